"""The fan-out benchmark works and loses nothing (its figures are no test: they depend on the machine)."""

from __future__ import annotations

from tests.processes import run_bench

SCRIPT = """
import json, django
django.setup()
from leaderboards.bench.fanout import run
from tripeaks_site.serving import uvicorn_command
print(json.dumps(run(uvicorn_command(), sockets=60, events=3, processes=2, slow=2)))
"""


def test_the_fanout_bench_measures_both_sides_and_loses_nothing() -> None:
    figures = run_bench(SCRIPT)
    for side in ("websockets_broadcast_ms", "standings_socket_ms"):
        assert (figures[side]["samples"], figures[side]["lost"], figures[side]["twice"]) == (3, 0, 0)
        assert 0 < figures[side]["best"] <= figures[side]["p50"] <= figures[side]["p99"]
    assert 700 < figures["standings_socket_ms"]["frame_bytes"] < 1400
    assert figures["ratio_p50"] > 0
    slow = figures["slow_readers"]
    assert (slow["sockets"], slow["have_the_truth"]) == (4, 4)
    assert 0 < slow["snapshots_sent"] < slow["snapshots_asked_for"]
    assert slow["memory_kb_a_socket"] < 1000
