"""A claimed best result is one that the engine reaches; an analysis is `solve` at every ply; values only go one way."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine.moves import UNDO
from games.engine.position import Position, start
from games.engine.ranking import rank_key
from games.engine.replay import replay_steps
from games.engine.rulesets import RULESETS
from games.solver.answers import PlyValue
from games.solver.exact import analyse, solve, winnable
from tests.engine.tables import deals
from tests.solver.positions import opening, reaches, wander


def _log(positions: list[Position]) -> tuple[int, ...]:
    """The moves, undos included, between positions of one attempt."""
    log = []
    for before, after in itertools.pairwise(positions):
        log.append(UNDO if after.undos > before.undos else after.line[-1])
    return tuple(log)


def _key(position: Position, value: PlyValue) -> int:
    assert value.best is not None
    return rank_key(position.ruleset.ranking, value.best.result(), timed=False)


def _deal(letters: str, seed: int) -> tuple[int, ...]:
    cards = list(range(RULESETS[letters].deck_size))
    random.Random(seed).shuffle(cards)
    return tuple(cards)


@pytest.mark.parametrize("letters", RULESETS)
@given(seed=st.integers(0, 1 << 40))
@settings(max_examples=6)
def test_the_line_of_a_whole_deal_leads_to_the_best_result(letters: str, seed: int) -> None:
    position = start(RULESETS[letters], _deal(letters, seed))
    found = solve(position)
    assert reaches(position, found)
    assert winnable(position.ruleset, position.cards) == (found.winnable, found.fewest_draws)
    assert found.best is not None
    assert (found.best.outcome == "won") or not found.winnable or position.ruleset.ranking == "score"


@pytest.mark.parametrize("letters", RULESETS)
def test_an_analysis_is_what_solve_says_at_every_ply(letters: str) -> None:
    ruleset = RULESETS[letters]
    choose = random.Random(letters)
    undos = 0
    for seed in range(2):
        positions = wander(start(ruleset, _deal(letters, seed)), choose, greed=0.95)
        undos += positions[-1].undos
        values = analyse(ruleset, positions[0].cards, _log(positions))
        assert len(values) == len(positions)
        for position, value in zip(positions, values, strict=True):
            found = solve(position)
            assert (value.winnable, value.fewest_draws, value.best_score) == (
                found.winnable,
                found.fewest_draws,
                found.best_score,
            )
            assert value.best is not None
            assert found.best is not None
            assert _key(position, value) == _key(position, found)
            if ruleset.ranking != "score":  # several ends can share a score and its moves
                assert value.best == found.best
    assert undos > 0


@given(deal=deals(), seed=st.integers(0, 1 << 40))
@settings(max_examples=25)
def test_no_move_makes_things_better_and_some_move_keeps_the_best(deal: tuple[object, ...], seed: int) -> None:
    ruleset, cards = deal
    assert isinstance(ruleset, type(RULESETS["E"]))
    assert isinstance(cards, tuple)
    walk = wander(start(ruleset, cards, undo_allowed=False), random.Random(seed), greed=0.9)
    position = random.Random(seed).choice(walk)
    before = solve(position)
    if position.outcome is not None:
        assert before.line == ()
        return
    after = [solve(position.play(move)) for move in position.legal_moves()]
    keys = [_key(position, value) for value in after]
    assert min(keys) == _key(position, before)
    assert any(value.winnable for value in after) == before.winnable
    scores = [value.best_score for value in after if value.best_score is not None]
    assert (min if ruleset.scoring == "cards_left" else max)(scores) == before.best_score


def test_a_win_can_be_lost_but_never_regained() -> None:
    for number in range(8):
        position = opening(f"TP1-C-AAAAAA{'BCEFGHIJ'[number]}", undo_allowed=False)
        walk = wander(position, random.Random(number), greed=0.7)
        values = analyse(position.ruleset, position.cards, _log(walk), undo_allowed=False)
        for before, after in itertools.pairwise(values):
            assert before.winnable or not after.winnable
            assert before.best is not None
            assert after.best is not None
            assert _key(position, before) <= _key(position, after)


@pytest.mark.parametrize("letters", ["E", "R", "T", "J"])
def test_suits_never_matter(letters: str) -> None:
    cards = _deal(letters, 3)
    other = tuple(card if card == 52 else (card + 13) % 52 for card in cards)
    one, two = solve(start(RULESETS[letters], cards)), solve(start(RULESETS[letters], other))
    assert one == two


def test_an_analysis_with_undos_sees_the_counter_grow() -> None:
    """R5.2: an undone move stays counted, so the best result pays for it; the score does not."""
    position = opening("TP1-E-AAAAAAB")
    values = analyse(position.ruleset, position.cards, (20, UNDO, 20, UNDO))  # t20 is on a best line
    moves = [value.best.moves for value in values if value.best is not None]
    assert moves == [40, 40, 41, 41, 42]
    assert {value.best_score for value in values} == {760}
    assert [value.fewest_draws for value in values] == [12, 12, 12, 12, 12]
    assert [value.best.undos for value in values if value.best is not None] == [0, 0, 1, 1, 2]


def test_the_whole_analysis_of_a_full_log_is_answered() -> None:
    position = opening("TP1-E-AAAAAAB")
    log = (28, UNDO) * 1_000
    values = analyse(position.ruleset, position.cards, log)
    assert len(values) == 2_001
    assert values[0].winnable
    assert values[-1] == PlyValue(False, None, None, None)  # no room for any move
    at_1950 = list(replay_steps(position.ruleset, position.cards, log[:1_950]))[-1]
    assert solve(at_1950).winnable == values[1_950].winnable
