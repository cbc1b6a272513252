"""The bets on shuffles are fair to every honest way to choose, and heed each player's habits."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from games.engine.moves import Move
from leaderboards.moderation.choices import decisions
from leaderboards.moderation.foreknowledge import DEGREES, NOTHING
from leaderboards.moderation.habits import LEAST_ODD, WIDTH, choices_of, usual, without_each
from leaderboards.moderation.shuffles import FIRST, FULL, Care, Studied, Told, careful_logs, study
from tests.moderation.lines_made import E, at_random, deal, from_the_left, knowing_all, line, played


def studied_of(seed: int, choose: object, worlds: int = 4) -> Studied:
    cards = deal(seed)
    return study(line(cards, played(cards, choose, seed)), Care(worlds, FULL.back))  # type: ignore[arg-type]


def in_world(studied: Studied, at: int, world: int) -> Studied:
    """As if another of the worlds of a decision were the real one."""
    told = studied.told[at]
    order = [world, *(each for each in range(len(told.best)) if each != world)]
    return Studied(studied.choices, (Told(told.at, told.best[order], None),))


@pytest.mark.parametrize("choose", [at_random, from_the_left, knowing_all])
def test_the_factors_of_a_decision_average_one_over_its_worlds_whatever_was_chosen(choose: object) -> None:
    """The weights of the decisions before hold for each world as they would if it were the real one."""
    tried = 0
    unweighted = 0.0
    for seed in range(3):
        studied = studied_of(seed, choose)
        for at, told in enumerate(studied.told):
            everything = (1 << int(studied.choices.counts[told.at])) - 1
            telling = [world for world, masks in enumerate(told.best) if masks[-1] != everything]
            factors = [np.exp(careful_logs([in_world(studied, at, world)])[0])[: len(DEGREES)] for world in telling]
            # Each world's factor with its weight: what the decisions before had won in that world.
            likely = usual(studied.choices, without_each([studied.choices])[0])
            weights = np.array([before(told, world, studied, likely) for world in telling])
            means = (weights * np.array(factors)).sum(axis=0) / weights.sum(axis=0)
            assert np.allclose(means, 1), (seed, told.at)
            unweighted = max(unweighted, float(np.abs(np.mean(factors, axis=0) - 1).max()))
            tried += 1
    assert tried > 15
    assert unweighted > 0.01, "the control: without the weights it does not come out"


def before(told: Told, world: int, studied: Studied, likely: list[np.ndarray]) -> list[float]:
    """The product of a world's factors at the decisions before, one number for each degree, written out plainly."""
    back = told.best.shape[1]
    found = [1.0] * len(DEGREES)
    for column in range(back - 1):
        here = told.at - back + 1 + column
        mask, made = int(told.best[world, column]), int(studied.choices.made[here])
        best = sum(share for move, share in enumerate(likely[here]) if mask >> move & 1)
        gain = 1 / best if mask >> made & 1 else 0.0
        for at, degree in enumerate(DEGREES):
            found[at] *= 1 - degree + degree * gain
    return found


def test_habits_are_learnt_from_the_other_attempts_alone() -> None:
    career = [studied_of(seed, from_the_left, worlds=0).choices for seed in range(8)]
    held_out = [
        sum(math.log(row[made]) for row, made in zip(usual(each, habits), each.made.tolist(), strict=True))
        for each, habits in zip(career, without_each(career), strict=True)
    ]
    unknown = [
        sum(
            math.log(row[made])
            for row, made in zip(usual(each, without_each([each])[0]), each.made.tolist(), strict=True)
        )
        for each in career
    ]
    assert sum(held_out) > sum(unknown) + 10, "whoever plays from the left is known for it"
    # An attempt has no say in the habits it is held against: another in its place leaves them nearly as they were.
    other = without_each([studied_of(99, at_random, worlds=0).choices, *career[1:]])[0]
    own, others = without_each(career)[0], without_each([*career[1:], career[0]])[0]
    assert np.abs(other.weights - own.weights).max() < 0.5
    assert np.abs(other.weights - others.weights).max() > 0.05, "the control"
    assert other.odd == pytest.approx(own.odd, abs=0.01)


def test_odd_moves_do_not_blur_what_a_player_usually_does() -> None:
    """Who plays from the left, but for every third choice or so, is known for that and for the odd ones."""

    def now_and_then(moves: Sequence[Move], *position: Any) -> Move:
        return (at_random if position[-1].random() < 0.4 else from_the_left)(moves, *position)

    strict = [studied_of(seed, from_the_left, worlds=0).choices for seed in range(12)]
    loose = [studied_of(seed, now_and_then, worlds=0).choices for seed in range(24)]
    assert max(each.odd for each in without_each(strict)) < 1.25 * LEAST_ODD
    habits = without_each(loose)
    assert min(each.odd for each in habits) > 1.5 * LEAST_ODD
    leftmost = [row[made] for each in strict for row, made in zip(usual(each, habits[0]), each.made, strict=True)]
    assert np.mean(leftmost) > 0.8


def test_habits_tell_nothing_of_hidden_cards() -> None:
    cards = deal(5)
    log = played(cards, at_random, 5)
    first = next(iter(decisions(E, cards, log)))
    seen = set(range(18, 28))
    hidden = [place for place in range(52) if place not in seen and place != 28]
    shuffled = [cards[place] for place in hidden]
    random.Random(3).shuffle(shuffled)
    other = list(cards)
    for place, card in zip(hidden, shuffled, strict=True):
        other[place] = card
    rows = choices_of(line(cards, log), [first]).rows
    assert rows.shape[2] == WIDTH
    assert np.array_equal(rows, choices_of(replace(line(cards, log), cards=tuple(other)), [first]).rows)


def test_nothing_to_choose_is_nothing_to_bet_on() -> None:
    cards = deal(1)
    empty = study(line(cards, played(cards, at_random, 1)[:0]), FIRST)
    assert careful_logs([empty]) == [NOTHING]
    assert careful_logs([]) == []
    assert FULL.back >= 1
