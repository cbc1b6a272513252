"""The benchmark of ranks runs, finds both ways equal, and leaves nothing behind."""

from __future__ import annotations

import pytest
from django.db import connection

from games.models import Attempt, Player
from leaderboards import standings
from leaderboards.bench import rank
from leaderboards.bench.capacity import explained
from leaderboards.models import Board, Entry, ScoreBucket
from leaderboards.selectors.ranks import ask


@pytest.mark.django_db(transaction=True)
def test_a_small_run_measures_both_ways_finds_them_equal_and_cleans_up() -> None:
    figure = rank.run(entries=400, samples=50)
    assert (figure["entries"], figure["samples"]) == (400, 50)
    assert (figure["different_answers"], figure["same_order_everywhere"]) == (0, True)
    ways = ("with_cache", "without_cache", "page_with_cache", "page_without_cache")
    for way in (*ways, "with_cache_after_a_finish", "finish_bettered", "finish_new"):
        assert 0 < figure[way]["p50_ms"] <= figure[way]["p99_ms"] <= figure[way]["max_ms"]
        assert figure[way]["p50_to_floor"] > 0
    assert figure["copy_bytes_an_entry"] > 50
    assert 0 < figure["freed_longest_wait_ms"] <= figure["freed_s"] * 1000
    assert [model.objects.count() for model in (Board, Entry, ScoreBucket, Attempt, Player)] == [0] * 5


@pytest.mark.django_db(transaction=True)
def test_what_a_copy_lacks_is_read_by_index_also_by_a_plan_for_any_version() -> None:
    board = rank._fill(6_000)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET plan_cache_mode = force_generic_plan")
        values = {"board": board.pk, "since": board.version - 1}
        # Joined without an order, the board of 5,000,000 was read from end to end: half a second.
        [plan] = explained(lambda: ask(standings._CHANGES, values))
        assert "Index Scan using entry_changes" in plan
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET plan_cache_mode")
        rank._clean(board)
