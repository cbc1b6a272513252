"""The benchmark of moves runs over the site's own server (its figures are no test: they depend on the machine)."""

from __future__ import annotations

from tests.processes import run_bench

SCRIPT = """
import json, django
django.setup()
from games.bench.moves import run
from tripeaks_site.serving import uvicorn_command
print(json.dumps(run(uvicorn_command(), rounds=1)))
"""


def test_the_bench_of_moves_measures_both_ways_and_a_floor() -> None:
    figures = run_bench(SCRIPT)
    assert figures["floor_us"] > 0
    for way in ("socket", "rest"):
        assert figures[way]["samples"] > 100
