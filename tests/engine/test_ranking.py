"""R8.2-R8.4, and the engine's part of cases C12 and C13: one integer a result, in exactly the order of the rules."""

from __future__ import annotations

import random
from dataclasses import replace as with_fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine.moves import DRAW
from games.engine.position import start
from games.engine.ranking import Result, compare, key_bucket, key_span, rank_all, rank_key, result_of
from games.engine.rulesets import RankingName
from tests.engine.tables import DECKS, C, E, play_all

RANKINGS: tuple[RankingName, ...] = ("result", "score", "cards_left")
MODES = [(ranking, timed) for ranking in RANKINGS for timed in (False, True)]


def results(ranking: str, timed: bool) -> st.SearchStrategy[Result]:
    """Results that R1-R5 allow, drawn so that ties in every field are common."""
    scores = st.integers(-120, 466) if ranking == "score" else st.integers(0, 772)
    near = st.one_of(scores, st.sampled_from([300, 301]))
    moves = st.one_of(st.integers(0, 63 if timed else 2000), st.sampled_from([28, 29]))
    elapsed = st.one_of(st.integers(0, (1 << 27) - 1), st.sampled_from([60_000, 60_001]))
    won = st.builds(Result, st.just("won"), near, moves, st.just(3), st.just(0), elapsed, st.just(0))
    stuck = st.builds(Result, st.just("stuck"), near, moves, st.integers(0, 2), st.integers(1, 28), elapsed, st.just(0))
    return st.one_of(won, stuck)


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


@pytest.mark.parametrize(("ranking", "timed"), MODES)
def test_r8_key_order_is_the_order_of_the_rules(ranking: RankingName, timed: bool) -> None:
    @settings(max_examples=500, deadline=None)
    @given(results(ranking, timed), results(ranking, timed))
    def check(one: Result, other: Result) -> None:
        keys = [rank_key(ranking, result, timed=timed) for result in (one, other)]
        assert sign(keys[0] - keys[1]) == sign(compare(ranking, one, other, timed=timed))
        for key in keys:
            assert 0 <= key < key_span(ranking, timed) < 1 << 53
            assert int(float(key)) == key

    check()


@pytest.mark.parametrize(("ranking", "timed"), MODES)
def test_r8_first_and_last_key_fill_the_span(ranking: RankingName, timed: bool) -> None:
    least_moves, most_moves = 0, 63 if timed else 2000
    best = Result("won", 466 if ranking == "score" else 772, least_moves, 3, 0, 0, 0)
    worst = Result("stuck", -120 if ranking == "score" else 0, most_moves, 0, 28, (1 << 27) - 1, 0)
    assert rank_key(ranking, best, timed=timed) == 0
    assert rank_key(ranking, worst, timed=timed) == key_span(ranking, timed) - 1


def test_c13_two_timed_results_one_millisecond_apart_keep_their_order() -> None:
    zed = Result("stuck", 477, 23, 0, 28, 80_000_123, 0)
    abe = with_fields(zed, elapsed_ms=80_000_124)
    keys = [float(rank_key("result", result, timed=True)) for result in (zed, abe)]
    assert keys[0] < keys[1]
    packed = [float(1250 * 10**13 + 10**13 - 1_803_081_600_123 - late) for late in (0, 1)]
    assert packed[0] == packed[1]  # control: the usual packing loses it


@pytest.mark.parametrize(
    ("ranking", "changes"),
    [
        ("result", {"score": 773}),
        ("result", {"score": -1}),
        ("result", {"outcome": "stuck", "cards_left": 0}),
        ("result", {"outcome": "stuck", "peaks": 3, "cards_left": 1}),
        ("score", {"score": 467}),
        ("score", {"score": -121}),
        ("cards_left", {"cards_left": 29}),
        ("result", {"moves": 64}),
        ("result", {"moves": -1}),
        ("result", {"elapsed_ms": 1 << 27}),
        ("result", {"elapsed_ms": -1}),
    ],
)
def test_a_result_that_does_not_fit_is_refused(ranking: RankingName, changes: dict[str, int]) -> None:
    result = with_fields(Result("won", 300, 28, 3, 0, 1000, 0), **changes)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="outside"):
        rank_key(ranking, result, timed=True)


def test_untimed_keys_take_2000_moves_and_no_time() -> None:
    result = Result("won", 300, 2000, 3, 0, 1 << 40, 5)
    assert rank_key("result", result, timed=False) == rank_key("result", with_fields(result, elapsed_ms=0), timed=False)
    with pytest.raises(ValueError, match="moves"):
        rank_key("result", with_fields(result, moves=2001), timed=False)


def test_r8_2_who_removes_more_is_not_ranked_below_for_it() -> None:
    """Plain score order would rank the second above the first."""
    more = Result("stuck", 460, 40, 0, 5, 0, 0)
    less = Result("stuck", 477, 23, 0, 28, 0, 0)
    won = Result("won", 740, 60, 3, 0, 0, 9)
    assert rank_key("result", won, timed=False) < rank_key("result", more, timed=False)
    assert rank_key("result", more, timed=False) < rank_key("result", less, timed=False)
    assert more.score < less.score


def test_c12_equal_results_share_a_rank_1_1_1_4() -> None:
    ties = [Result("stuck", score, 40, 0, 5, 0, 0) for score in (300, 300, 280, 300)]
    assert rank_all("score", ties, timed=False) == [1, 1, 4, 1]
    better = [ties[0], with_fields(ties[1], score=301), ties[2], ties[3]]
    assert rank_all("score", better, timed=False) == [2, 1, 4, 2]


@pytest.mark.parametrize(("ranking", "timed"), MODES)
def test_ranks_by_key_are_the_reference_ranks(ranking: RankingName, timed: bool) -> None:
    choose = random.Random(8)
    many = [
        Result("won", choose.choice((300, 301)), choose.choice((28, 29)), 3, 0, choose.choice((5, 6)), 0)
        if choose.random() < 0.5
        else Result(
            "stuck",
            choose.choice((300, 301)),
            choose.choice((28, 29)),
            choose.choice((0, 1)),
            7,
            choose.choice((5, 6)),
            0,
        )
        for _ in range(300)
    ]
    keys = [rank_key(ranking, result, timed=timed) for result in many]
    by_key = [1 + sum(other < key for other in keys) for key in keys]
    assert by_key == rank_all(ranking, many, timed=timed)


@pytest.mark.parametrize(("ranking", "timed"), MODES)
def test_buckets_part_no_equal_keys_and_divide_the_span(ranking: RankingName, timed: bool) -> None:
    assert key_bucket(ranking, timed) == (1 << 15 if timed else 1)
    assert key_span(ranking, timed) % key_bucket(ranking, timed) == 0


def test_result_of_takes_finished_positions_only() -> None:
    with pytest.raises(ValueError, match="goes on"):
        result_of(start(E, DECKS["Z"]), 5)
    stuck = play_all(start(C, DECKS["V"]), [DRAW, 29, *[DRAW] * 23])
    assert result_of(stuck, 1234) == Result("stuck", 477, 24, 0, 28, 1234, 1)
