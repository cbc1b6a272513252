"""The benchmark of capacity fills, asks and explains (its figures are no test: they depend on the machine)."""

from __future__ import annotations

import pytest

from leaderboards.bench.capacity import levels_with
from tests.processes import run_bench

SCRIPT = """
import json, django
django.setup()
from leaderboards.bench import capacity, capacity_rows
capacity_rows.DAYS, capacity_rows.GAMES, capacity.SAMPLES = 2, 5, 3
print(json.dumps(capacity.run(entries=400)))
"""


def test_a_small_run_fills_true_rows_asks_everything_and_explains_the_products_own_statements() -> None:
    figure = run_bench(SCRIPT)
    rows = {table: size["rows"] for table, size in figure["sizes"].items() if isinstance(size, dict)}
    assert (rows["leaderboards_entry"], rows["games_attempt"], rows["games_compactlog"]) == (400, 400, 300)
    assert rows["games_move"] > 100 * 20
    assert len(figure["queries"]) == 7
    for asked in figure["queries"].values():
        assert asked["statements"] >= 1
        assert asked["pages"] >= 1
        assert "Index Scan" in asked["plans"] or "Seq Scan" in asked["plans"]


@pytest.mark.parametrize(
    ("entries", "pages", "levels"), [(100, 1, 0), (10_000, 60, 1), (1_000_000, 2_800, 2), (100_000_000, 280_000, 3)]
)
def test_a_level_more_each_time_the_level_above_is_full(entries: int, pages: int, levels: int) -> None:
    assert levels_with(entries, pages) == levels
