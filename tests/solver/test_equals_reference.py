"""The fast solver says what the slow and obvious one says, on late positions of hundreds of deals of every ruleset."""

from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine.moves import UNDO
from games.engine.position import start
from games.engine.rulesets import RULESETS, Ruleset
from games.solver import reference
from games.solver.exact import solve, winnable
from games.solver.reference import TooLarge, value
from tests.engine.tables import deals
from tests.solver.positions import agrees, late_positions, opening, reaches, wander

seeds = st.integers(0, 1 << 40)


@pytest.mark.parametrize("letters", RULESETS)
@given(seed=seeds)
@settings(max_examples=25)
def test_mid_game_positions_of_every_ruleset(letters: str, seed: int) -> None:
    for position, told in late_positions(RULESETS[letters], seed):
        found = solve(position)
        assert agrees(found, told, position), (position.line, found, told)
        assert reaches(position, found)


def test_those_positions_are_won_and_lost_ones_and_not_only_ends() -> None:
    """Control: the property above is not about nothing."""
    for ruleset in RULESETS.values():
        told = [pair for seed in range(4) for pair in late_positions(ruleset, seed)]
        assert {reference.winnable for _, reference in told} == {True, False}
        assert max(position.cards_left + position.stock_left for position, _ in told) >= 12
        assert sum(position.outcome is None for position, _ in told) > len(told) / 2


def test_a_solver_that_errs_would_be_noticed() -> None:
    """Control: each field counts in the comparison."""
    [(position, told), *_] = late_positions(RULESETS["E"], 4)
    found = solve(position)
    assert agrees(found, told, position)
    assert found.best is not None
    wrong = [
        dataclasses.replace(found, winnable=not found.winnable),
        dataclasses.replace(found, fewest_draws=(found.fewest_draws or 0) + 1),
        dataclasses.replace(found, best_score=(found.best_score or 0) + 1),
        dataclasses.replace(found, best=dataclasses.replace(found.best, moves=found.best.moves + 1)),
    ]
    assert not any(agrees(one, told, position) for one in wrong)


@pytest.mark.parametrize("code", ["TP1-E-AAAAAAB", "TP1-C-AAAAAAB", "TP1-T-AAAAAAC", "TP1-T-AAAAAAE"])
def test_whole_deals_by_the_reference(code: str) -> None:
    position = opening(code)
    draws = reference.fewest_draws(position)
    assert winnable(position.ruleset, position.cards) == (draws is not None, draws)


@pytest.mark.parametrize("code", ["TP1-E-AAAAAAC", "TP1-C-AAAAAAD"])
def test_every_end_of_a_whole_deal(code: str) -> None:
    """The best of all stuck and won ends, not only whether there is a win."""
    position = opening(code)
    assert agrees(solve(position), value(position), position)


@pytest.mark.parametrize("code", ["TP1-T-AAAAAAC", "TP1-T-AAAAAAD", "TP1-T-AAAAAAE"])
def test_best_run_scores_of_whole_deals(code: str) -> None:
    position = opening(code)
    found = solve(position)
    assert found.best is not None
    assert reference.best_run_score(position) == (found.best_score, -found.best.moves)


@pytest.mark.parametrize("letters", ["E", "C", "R", "T", "G"])
def test_a_nearly_full_log_has_room_for_short_lines_only(letters: str) -> None:
    ruleset = RULESETS[letters]
    none = compared = 0
    for seed in range(12):
        choose = random.Random(f"{letters} full {seed}")
        cards = list(range(ruleset.deck_size))
        choose.shuffle(cards)
        position = start(ruleset, cards)
        first = position.legal_moves()[0]
        idle = choose.randrange(974, 992)
        for _ in range(idle):
            position = position.play(first).play(UNDO)
        walk = [position]
        while legal := [move for move in walk[-1].legal_moves() if move != UNDO]:
            removes = [move for move in legal if move < 28]
            walk.append(walk[-1].play(choose.choice(removes if removes and choose.random() < 0.9 else legal)))
        for here in walk[::-1][:14]:
            try:
                told = value(here, limit=3_000)
            except TooLarge:
                break
            found = solve(here)
            assert agrees(found, told, here)
            compared += 1
            none += found.best is None
    assert compared > 40
    assert none > 0


@given(deal=deals(), seed=seeds)
@settings(max_examples=60)
def test_decks_of_any_order(deal: tuple[Ruleset, tuple[int, ...]], seed: int) -> None:
    """Permutations that Hypothesis shrinks, deck Z among them."""
    ruleset, cards = deal
    walk = wander(start(ruleset, cards), random.Random(seed), greed=1.0)
    for position in walk[::-1][:12:3]:
        try:
            told = value(position, limit=1_000)
        except TooLarge:
            break
        assert agrees(solve(position), told, position)
