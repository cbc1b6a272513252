"""How usual a line is: what many ways to play, each kept to throughout an attempt, would make of its choices.

Nobody plays like an average of people: who goes from left to right does so all along. So a line is held against each way
by itself, and the ways are averaged over whole lines (a mixture, R. A. Fisher's likelihood with a prior over policies):
after some moves only the ways that have foretold those count, and what follows from them is usual.

The ways are drawn once from five families with broad spreads: a strict order; a fixed order by eye; what turns up most cards; runs over
the open cards; what looks best to the fitted model (`honest`). None was fitted to anybody's lines, simulated ones
included. Hidden cards are not looked at.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from games.engine.layout import SLOTS
from games.engine.moves import DRAW

from .habits import WIDTH, Choices
from .honest import FEATURES

Array = NDArray[Any]

WAYS: Final = 480
"""Ways to play; with half or twice as many the findings hardly change."""
ORDERED: Final = 144
"""Of these, with a strict order: twelve for each of twelve orders."""
SEED: Final = 1
_SIDE: Final = WIDTH - 2
_LOOKS: Final = WIDTH - 1
_AT: Final = {name: at for at, name in enumerate(FEATURES)}


@dataclass(frozen=True, slots=True)
class Ways:
    """A population of policies: each a softmax over what is seen of a move, with slips."""

    weights: Array
    """(WIDTH, ways): of `Choices.rows`."""
    likings: Array
    """(slots and the draw, ways): for no reason that the table shows."""
    slips: Array
    """(ways): share of moves at random."""


@lru_cache(maxsize=1)
def ways() -> Ways:
    """Always the same."""
    choose = random.Random(SEED)
    weights = np.zeros((WIDTH, WAYS))
    likings = np.zeros((SLOTS + 1, WAYS))
    slips = np.zeros(WAYS)
    for way in range(WAYS):
        if way < ORDERED:
            given, liking, slips[way] = _in_order(way)
        else:
            given, liking, slips[way] = _FAMILIES[way % len(_FAMILIES)](choose, choose.choice((-1, 1, 1)))
        for feature, weight in given.items():
            weights[feature, way] = weight
        if liking:
            likings[:SLOTS, way] = [choose.gauss(0, liking) for _ in range(SLOTS)]
    return Ways(weights, likings, slips)


Way = tuple[dict[int, float], float, float]
"""Weights of features, how much slots are liked for no reason, share of slips."""


def _in_order(number: int) -> Way:
    """Always the first card in a strict order, as programs and some beginners have it: rows before sides, or sides only,
    those that turn up most before the others or not."""
    rows = (-60.0, 0.0, 60.0)[number % 3]
    side = (-20.0, 20.0)[number // 3 % 2]
    turning = (0.0, 300.0)[number // 6 % 2]
    weights = {_AT["row1"]: rows, _AT["row2"]: 2 * rows, _AT["tip"]: 3 * rows, _SIDE: side, _AT["draw"]: -999.0}
    return weights | {_AT["up1"]: turning, _AT["up2"]: 2 * turning}, 0.0, 0.01


def _by_eye(choose: random.Random, side: int) -> Way:
    """The first card that fits: from one side, from the top, from the bottom or aslant. Every other has favourites."""
    sharp = 10 ** choose.uniform(0.3, 1.5)
    upwards = choose.choice((-1, 0, 0, 1)) * choose.uniform(0.1, 1) * sharp
    weights = {_SIDE: -side * sharp, _AT["draw"]: -4.0}
    weights |= {_AT["row1"]: upwards, _AT["row2"]: 2 * upwards, _AT["tip"]: 3 * upwards}
    return weights, choose.choice((0.0, 0.3)) * sharp, 0.05


def _turning(choose: random.Random, side: int) -> Way:
    """What turns up most."""
    sharp = 10 ** choose.uniform(0.3, 1.0)
    sideways = -side * sharp * choose.uniform(0, 0.5)
    weights = {_AT["up1"]: sharp, _AT["up2"]: 2 * sharp, _SIDE: sideways, _AT["draw"]: -1.5 * sharp}
    return weights, 0.1 * sharp, 0.05


def _looking_ahead(choose: random.Random, side: int) -> Way:
    """What turns up cards and begins a long run, or leaves chances for the unseen ones."""
    sharp = 10 ** choose.uniform(0.3, 1.0)
    turning = sharp * choose.uniform(0.5, 1.3)
    weights = {
        _AT["up1"]: turning,
        _AT["up2"]: 2 * turning,
        _AT["run"]: 4 * sharp * choose.uniform(0.2, 1),
        _AT["follow"]: sharp * choose.uniform(0, 1),
        _AT["chance"]: sharp * choose.uniform(0, 1),
        _SIDE: -side * sharp * choose.uniform(0, 0.3),
        _AT["draw"]: -sharp * choose.uniform(0, 2),
    }
    return weights, 0.0, 0.03


def _as_it_looks(choose: random.Random, side: int) -> Way:
    """What looks best, more or less sharply."""
    return {_LOOKS: 10 ** choose.uniform(-0.3, 0.6), _SIDE: -side * choose.uniform(0, 1)}, 0.0, 0.03


_FAMILIES: Final = (_by_eye, _turning, _looking_ahead, _as_it_looks)


def usualness(choices: Choices, moves: Array) -> Array:
    """For each decision the chance of the move that was made, to somebody who has made those before.

    ``moves``: the move that was made and the other ones, as `Choices.rows` has them (decisions, most moves); anything
    where a decision has fewer. The product over a line is its chance under the whole population.
    """
    count = len(choices.made)
    if not count:
        return np.zeros(0)
    people = ways()
    liking = choices.rows.astype(np.float64) @ people.weights + people.likings[np.minimum(moves, DRAW)]
    liking[np.arange(liking.shape[1]) >= choices.counts[:, None]] = -np.inf
    liking -= liking.max(axis=1, keepdims=True)
    grown = np.exp(liking)
    made = grown[np.arange(count), choices.made] / grown.sum(axis=1)
    made = (1 - people.slips) * made + people.slips / choices.counts[:, None]
    logs = np.vstack([np.zeros(WAYS), np.cumsum(np.log(made), axis=0)])
    most = logs.max(axis=1)
    lines = most + np.log(np.exp(logs - most[:, None]).mean(axis=1))
    return np.asarray(np.exp(np.diff(lines)))
