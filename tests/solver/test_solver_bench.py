"""The solver's benchmark measures what it says and reaches what is asked for, by CPU: the clock goes on when others compute."""

from __future__ import annotations

from games.bench.solver import run


def test_the_bench_tells_every_figure() -> None:
    told = run(deals=300, reference_deals=1, attempts=5, run_deals=3)
    assert (told["name"], told["compiled"]) == ("solver", True)
    assert {"figure", "unit", "floor", "floor_is", "ratio", "reference", "target"} <= set(told)
    assert told["ratio"] > 1
    assert told["reference"]["times_slower"] > 100
    for part in ("easy", "classic"):
        assert told[part]["samples"] == 300
        assert told[part]["p50_ms"] <= told[part]["p99_ms"] <= told[part]["worst_ms"]
        assert told[part]["p50_cpu_ms"] < 3
    assert told["analysis of a 50-move attempt, Easy"]["p50_cpu_ms"] < 60
    assert told["analysis of a 50-move attempt, Runs"]["p50_cpu_ms"] < 1_500
    assert told["best score of a deal, Runs"]["p50_cpu_ms"] < 1_500
