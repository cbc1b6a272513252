"""What the sweeps need to know: the shapes of the tableau and the steps between them, and a deal as ranks.

A *shape* is a set of removed slots that play can reach (R1.6). Shapes are numbered by size, so that every step leads to
a higher number: 0 is the whole tableau, the last one is the won game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from games.engine.cards import JOKER, NO_CARD, Card
from games.engine.layout import BIT, COVER_MASK, OPEN_TEST, REACHABLE_SHAPES, SLOTS
from games.engine.rulesets import Ruleset
from games.engine.scoring import SCORING

Array = NDArray[Any]

RANK_JOKER: Final = 13
RANK_EMPTY: Final = 14
"""The empty waste: everything fits on it (R6.1)."""
RANK_NONE: Final = 15
"""A row of the sweeps that stays empty: the missing neighbour of a king or an ace (R2.3)."""
ROWS_OF_RANKS: Final = 16
LONGEST_LINE: Final = SLOTS + 24
"""Removes and draws of the longest line (R6.1, R6.2)."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """All shapes; ``first[s]`` .. ``first[s + 1]`` are the steps from shape s, by ascending slot."""

    masks: Array
    """int64: the removed slots."""
    sizes: Array
    """int64: how many they are."""
    peaks: Array
    """int64: peaks cleared (R1.5)."""
    first: Array
    slot: Array
    to: Array
    number: dict[int, int]
    """Mask -> shape."""

    @property
    def count(self) -> int:
        return len(self.masks)


@lru_cache(maxsize=1)
def shapes() -> Shapes:
    """Made once in each process, in about 30 ms."""
    levels = [np.zeros(1, dtype=np.int64)]
    for _ in range(SLOTS):
        masks = levels[-1]
        found = [masks[masks & OPEN_TEST[slot] == COVER_MASK[slot]] | BIT[slot] for slot in range(SLOTS)]
        levels.append(np.unique(np.concatenate(found)))
    masks = np.concatenate(levels)
    assert len(masks) == REACHABLE_SHAPES
    sizes = np.repeat(np.arange(SLOTS + 1), [len(level) for level in levels])
    order = np.argsort(masks)
    come, slots, to = [], [], []
    for slot in range(SLOTS):
        open_in = np.flatnonzero(masks & OPEN_TEST[slot] == COVER_MASK[slot])
        come.append(open_in)
        slots.append(np.full(len(open_in), slot))
        to.append(order[np.searchsorted(masks, masks[open_in] | BIT[slot], sorter=order)])
    origin = np.concatenate(come)
    by_origin = np.argsort(origin, kind="stable")
    first = np.zeros(len(masks) + 1, dtype=np.int64)
    np.cumsum(np.bincount(origin, minlength=len(masks)), out=first[1:])
    tips = (masks & 1) + (masks >> 1 & 1) + (masks >> 2 & 1)
    return Shapes(
        masks,
        sizes.astype(np.int64),
        tips.astype(np.int64),
        first,
        np.concatenate(slots)[by_origin].astype(np.int64),
        np.concatenate(to)[by_origin].astype(np.int64),
        {mask: number for number, mask in enumerate(masks.tolist())},
    )


@lru_cache(maxsize=1024)
def within_reach(removed: int) -> Array:
    """int64: the shapes in which all slots of the mask ``removed`` are empty, but the won one, later shapes first.

    Whatever can follow a shape is among those of its own mask: later in a game there are few.
    """
    masks = shapes().masks[:-1]
    return np.ascontiguousarray(np.flatnonzero(masks & removed == removed)[::-1])


def rank_of(card: Card) -> int:
    """0..12, `RANK_JOKER`, or `RANK_EMPTY` for `NO_CARD`. Suits never matter (R2.1)."""
    if card == NO_CARD:
        return RANK_EMPTY
    return RANK_JOKER if card == JOKER else card % 13


@lru_cache(maxsize=2)
def _neighbours(joined: bool) -> tuple[Array, Array]:
    """Rank below and above each rank, `RANK_NONE` where there is none."""
    below = np.full(ROWS_OF_RANKS, RANK_NONE, dtype=np.int64)
    above = np.full(ROWS_OF_RANKS, RANK_NONE, dtype=np.int64)
    below[1:13] = np.arange(12)
    above[:12] = np.arange(1, 13)
    if joined:
        below[0], above[12] = 12, 0
    return below, above


@dataclass(frozen=True, slots=True)
class Board:
    """A deal under a ruleset as the kernels read it."""

    ruleset: Ruleset
    slot_ranks: Array
    """int64 (28): rank of each slot's card."""
    stock_ranks: Array
    """int64 (25): rank of the card that the n-th draw brings, from 0."""
    stock_size: int
    below: Array
    above: Array
    forced: bool
    """A draw only when no card fits."""
    empty_draw: bool
    """A draw onto the empty waste is allowed."""
    opening_rank: int


def board_of(ruleset: Ruleset, cards: Sequence[Card]) -> Board:
    """Assumes a checked deck."""
    ranks = [rank_of(card) for card in cards]
    stock = np.full(25, RANK_NONE, dtype=np.int64)
    stock[: ruleset.stock_size] = ranks[ruleset.stock_start :]
    below, above = _neighbours(ruleset.joined)
    return Board(
        ruleset,
        np.array(ranks[:SLOTS], dtype=np.int64),
        stock,
        ruleset.stock_size,
        below,
        above,
        ruleset.draw_only_when_stuck,
        ruleset.draw_onto_empty_waste,
        RANK_EMPTY if ruleset.waste_starts_empty else ranks[SLOTS],
    )


@lru_cache(maxsize=4)
def peak_points(scoring: str) -> tuple[int, int, int, int]:
    """What 0, 1, 2 and 3 cleared peaks have added to a score."""
    one, two, three = SCORING[scoring].peaks
    return (0, one, one + two, one + two + three)
