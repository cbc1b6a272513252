"""The fan-out benchmark works and loses nothing (its figures are no test: they depend on the machine)."""

from __future__ import annotations

from leaderboards.bench.frames import PING, TEXT, split_frames
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


def test_its_clients_read_frames_however_the_bytes_are_cut() -> None:
    payloads = [b"a", b"", b"b" * 126, b"c" * 300, b"d" * 70_000]
    heads = [
        b"\x81\x01",
        b"\x89\x00",
        b"\x81\x7e\x00\x7e",
        b"\x81\x7e\x01\x2c",
        b"\x81\x7f" + (70_000).to_bytes(8, "big"),
    ]
    data = b"".join(head + payload for head, payload in zip(heads, payloads, strict=True))
    for cut in (*range(460), len(data) - 1, len(data)):
        first, rest = split_frames(data[:cut])
        more, left = split_frames(rest + data[cut:])
        assert (first + more, left) == (list(zip((TEXT, PING, TEXT, TEXT, TEXT), payloads, strict=True)), b"")
