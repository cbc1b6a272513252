"""One player's own way to choose, learnt from the player's other attempts: what this person would usually do here.

A conditional logit over what is seen of each move (`honest.features`, the side it lies on, how good it looks), with a
share of odd moves that it does not explain, fitted by penalised likelihood (generalised EM: each choice counts as much as
it was likely made by habit, so that odd ones do not blur it). Before anything is known a move is as usual as it looks
good. The foreknowledge bets put more on a move the less usual it is for its player; habits say nothing about honesty by
themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from games.engine.layout import BOTTOM_ROW, COVERED_BY, SLOTS
from games.engine.moves import DRAW

from .choices import Decision
from .evidence import Line
from .honest import FEATURES, chances_of, features

Array = NDArray[Any]

WIDTH: Final = len(FEATURES) + 2
ODD: Final = 0.05
"""Share of moves made for no reason that the table shows, before anything is known of a player."""
LEAST_ODD: Final = 0.02
"""Nobody is that sure of others."""
DOUBT: Final = 100
"""As many choices does that first share count for, beside the player's own."""
TIE: Final = 0.2
"""How strongly habits are tied to those first ones: the inverse of the variance between people. Few features decide for
most, and strongly."""
STEPS: Final = 10
"""Newton's: more change nothing."""


def _sides() -> tuple[float, ...]:
    """How far to the right each slot lies, -1 to 1; 0 for the draw."""
    across = [0.0] * SLOTS + [4.5]
    for slot in reversed(range(SLOTS)):
        over = COVERED_BY[slot]
        across[slot] = sum(across[each] for each in over) / 2 if over else float(slot - BOTTOM_ROW[0])
    return tuple(place / 4.5 - 1 for place in across)


_SIDE: Final = _sides()


@dataclass(frozen=True, slots=True)
class Choices:
    """The decisions of one attempt, as its player saw them, with what was done."""

    rows: Array
    """float32 (decisions, most moves, WIDTH); zero where a decision has fewer moves."""
    counts: Array
    """int64 (decisions): how many moves there were."""
    made: Array
    """int64 (decisions): which was made."""
    looks: tuple[tuple[float, ...], ...]
    """How likely each move is to be a best one (`honest.chances`)."""


def choices_of(line: Line, made: Sequence[Decision]) -> Choices:
    """Of a line's decisions; nothing in it depends on hidden cards."""
    seen = [features(line.ruleset, line.cards, decision) for decision in made]
    looks = tuple(best for best, _ in chances_of(seen))
    most = max((len(decision.choice.moves) for decision in made), default=0)
    rows = np.zeros((len(made), most, WIDTH), dtype=np.float32)
    for at, (decision, best) in enumerate(zip(made, looks, strict=True)):
        moves = decision.choice.moves
        rows[at, : len(moves), :-2] = seen[at]
        rows[at, : len(moves), -2] = [_SIDE[SLOTS if move == DRAW else move] for move in moves]
        chance = np.array(best)
        rows[at, : len(moves), -1] = np.log(chance / (1 - chance))
    counts = np.array([len(decision.choice.moves) for decision in made], dtype=np.int64)
    return Choices(rows, counts, np.array([decision.made for decision in made], dtype=np.int64), looks)


@dataclass(frozen=True, slots=True)
class Habits:
    """What one person goes by."""

    weights: Array
    """float64 (WIDTH): of the features of `Choices.rows`."""
    odd: float
    """Share of moves that these do not explain."""


def _unknown() -> Habits:
    """Of somebody of whom nothing is known."""
    weights = np.zeros(WIDTH)
    weights[-1] = 1.0
    return Habits(weights, ODD)


def _likely(choices: Choices, habits: Habits) -> Array:
    """(decisions, most moves): how likely each move is where habit decides."""
    liking = choices.rows @ habits.weights
    liking[np.arange(liking.shape[1]) >= choices.counts[:, None]] = -np.inf
    grown = np.exp(liking - liking.max(axis=1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))


def _slopes(choices: Choices, habits: Habits) -> tuple[Array, Array, float]:
    """The gradient and the curvature of the log likelihood of the choices made by habit, and how many seem odd."""
    if not len(choices.made):
        return np.zeros(WIDTH), np.zeros((WIDTH, WIDTH)), 0.0
    likely = _likely(choices, habits)
    made = np.arange(len(likely)), choices.made
    by_habit = (1 - habits.odd) * likely[made]
    usual_share = by_habit / (by_habit + habits.odd / choices.counts)
    rows = choices.rows.astype(np.float64)
    expected = np.einsum("dm,dmf->df", likely, rows)
    gradient = usual_share @ (rows[made] - expected)
    weighted = (rows * np.sqrt(likely * usual_share[:, None])[:, :, None]).reshape(-1, WIDTH)
    curvature = weighted.T @ weighted - (expected * usual_share[:, None]).T @ expected
    return gradient, curvature, float((1 - usual_share).sum())


def _odd(seeming: float, choices: int) -> float:
    return max(LEAST_ODD, (seeming + DOUBT * ODD) / (choices + DOUBT))


def without_each(career: Sequence[Choices]) -> list[Habits]:
    """For each attempt the habits that all the *other* ones show: what was chosen here tells nothing about itself."""
    unknown = habits = _unknown()
    sizes = [len(choices.made) for choices in career]
    for _ in range(STEPS):
        parts = [_slopes(choices, habits) for choices in career]
        gradient = sum((part[0] for part in parts), TIE * (unknown.weights - habits.weights))
        curvature = sum((part[1] for part in parts), TIE * np.eye(WIDTH))
        step = np.linalg.solve(curvature, gradient)
        step *= min(1.0, 2.0 / max(2.0, float(np.abs(step).max())))
        habits = Habits(habits.weights + step, _odd(sum(part[2] for part in parts), sum(sizes)))
    if len(career) == 1:
        return [unknown]
    parts = [_slopes(choices, habits) for choices in career]
    whole = sum((part[1] for part in parts), TIE * np.eye(WIDTH))
    seeming = sum(part[2] for part in parts)
    return [
        Habits(habits.weights - np.linalg.solve(whole - curvature, gradient), _odd(seeming - own, sum(sizes) - size))
        for (gradient, curvature, own), size in zip(parts, sizes, strict=True)
    ]


def usual(choices: Choices, habits: Habits) -> list[Array]:
    """For each decision, how likely this player makes each of its moves."""
    likely = _likely(choices, habits) if len(choices.made) else np.zeros((0, 0))
    return [
        (1 - habits.odd) * row[:count] + habits.odd / count
        for row, count in zip(likely, choices.counts.tolist(), strict=True)
    ]
