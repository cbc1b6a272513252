"""The same sweeps as `games.solver.kernels` with numpy alone, for platforms without numba: whole sizes at once.

Written apart from the kernels, so that the tests can hold the two to each other. Arguments are those of the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from games.engine.layout import SLOTS
from games.solver.tables import Array, shapes


@dataclass(frozen=True, slots=True)
class _Level:
    """The shapes of one size, ``low`` up to but not including ``high``, and their steps by slot."""

    low: int
    high: int
    steps: tuple[tuple[int, Array, Array], ...]
    """(slot, shapes from - low, shapes to): no shape comes twice in one of these."""


@lru_cache(maxsize=1)
def _levels() -> tuple[_Level, ...]:
    table = shapes()
    edges = np.searchsorted(table.sizes, np.arange(SLOTS + 2))
    origin = np.repeat(np.arange(table.count), np.diff(table.first))
    found = []
    for size in range(SLOTS + 1):
        low, high = int(edges[size]), int(edges[size + 1])
        part = slice(int(table.first[low]), int(table.first[high]))
        come, slots, to = origin[part] - low, table.slot[part], table.to[part]
        steps = [(slot, come[slots == slot], to[slots == slot]) for slot in range(SLOTS)]
        found.append(_Level(low, high, tuple(step for step in steps if len(step[1]))))
    return tuple(found)


def _fitting_words(level: _Level, slot_ranks: Array, below: Array, above: Array) -> Array:
    """int64 (shapes of the level): bit r when a card fits on a waste of rank r."""
    words = np.zeros(level.high - level.low, dtype=np.int64)
    for slot, come, _ in level.steps:
        rank = slot_ranks[slot]
        fits = 0xFFFF if rank == 13 else 1 << below[rank] | 1 << above[rank] | 1 << 13 | 1 << 14
        words[come] |= fits & 0x7FFF
    return words


def reach(
    first: Array,
    slot: Array,
    to: Array,
    slot_ranks: Array,
    stock_words: Array,
    below: Array,
    above: Array,
    origin: int,
    drawn: int,
    rank: int,
    forced: bool,
    empty_draw: bool,
    seen: Array,
) -> int:
    """See `games.solver.kernels.reach`."""
    levels = _levels()
    size = int(shapes().sizes[origin])
    seen[levels[size].low : origin] = 0
    seen[origin, rank] = 1 << drawn
    for level in levels[size:SLOTS]:
        rows = seen[level.low : level.high]
        if forced:
            fits = _fitting_words(level, slot_ranks, below, above)
            for d in range(24):
                ranks = np.flatnonzero(stock_words >> (d + 1) & 1)
                if len(ranks):
                    may = ((rows >> d & 1) & ~(fits[:, None] >> np.arange(16)) & 1).any(axis=1)
                    rows[may, ranks[0]] |= 1 << (d + 1)
        else:
            union = np.bitwise_or.reduce(rows[:, : 15 if empty_draw else 14], axis=1)
            later = np.where(union, -((union & -union) << 1), 0)
            rows[:, :14] |= stock_words[None, :14] & later[:, None]
        for cover, come, after in level.steps:
            r = slot_ranks[cover]
            if r == 13:
                word = np.bitwise_or.reduce(rows[come, :15], axis=1)
            else:
                word = rows[come, below[r]] | rows[come, above[r]] | rows[come, 13] | rows[come, 14]
            seen[after, r] |= word
    return int(np.bitwise_or.reduce(seen[-1]))


def settle(
    first: Array,
    slot: Array,
    to: Array,
    slot_ranks: Array,
    stock_ranks: Array,
    stock_size: int,
    below: Array,
    above: Array,
    order: Array,
    forced: bool,
    empty_draw: bool,
    has_joker: bool,
    won_worth: Array,
    stuck_worth: Array,
    worth: Array,
    words: Array,
) -> None:
    """See `games.solver.kernels.settle`; whole levels at once, so more than is asked for."""
    levels = _levels()
    worth[-1] = won_worth
    for level in reversed(levels[int(shapes().sizes[order].min(initial=SLOTS)) : SLOTS]):
        removed = np.zeros((level.high - level.low, 16, 32), dtype=np.uint8)
        for cover, come, after in level.steps:
            r = slot_ranks[cover]
            removed[come, r] = np.maximum(removed[come, r], worth[after, r])
        fits = _fitting_words(level, slot_ranks, below, above)
        here = worth[level.low : level.high]
        here[:, :13] = np.maximum(np.maximum(removed[:, below[:13]], removed[:, above[:13]]), removed[:, 13:14])
        here[:, 13] = here[:, 14] = removed.max(axis=1)
        for w in range(13):
            free = fits >> w & 1 == 0
            here[free, w, stock_size] = stuck_worth[level.low : level.high][free]
        x = np.zeros(level.high - level.low, dtype=np.uint8)
        later = np.zeros((level.high - level.low, 32), dtype=np.uint8)
        for d in range(stock_size - 1, -1, -1):
            w = int(stock_ranks[d])
            drawn_next = here[:, w, d + 1]
            if forced:
                x = np.where((fits >> w & 1 == 1) | (d == stock_size - 1), drawn_next, x)
            else:
                x = np.maximum(x, drawn_next)
            later[:, d] = x
        for w in range(15 if empty_draw else 14):
            better = np.maximum(here[:, w], later)
            here[:, w] = np.where((fits >> w & 1 == 1)[:, None], here[:, w], better) if forced else better


def settle_runs(
    first: Array,
    slot: Array,
    to: Array,
    sizes: Array,
    slot_ranks: Array,
    below: Array,
    above: Array,
    origin: int,
    drawn: int,
    card: int,
    stock_size: int,
    forced: bool,
    empty_draw: bool,
    seen: Array,
    end_worth: Array,
    longest: int,
    draw_worth: int,
    run_worth: Array,
    after_draw: Array,
    ends: Array,
    before: Array,
) -> None:
    """See `games.solver.kernels.settle_runs`; states out of reach are filled as well, with what nobody reads."""
    none = -(1 << 30)
    for size in range(SLOTS, int(sizes[origin]) - 1, -1):
        level = _levels()[size]
        part = slice(level.low, level.high)
        removed = np.full((level.high - level.low, 16, 32), none, dtype=np.int32)
        for cover, come, after in level.steps:
            r = slot_ranks[cover]
            removed[come, r] = np.maximum(removed[come, r], ends[after, r])
        rows = ends[part]
        rows[:, :13] = np.maximum(np.maximum(removed[:, below[:13]], removed[:, above[:13]]), removed[:, 13:14])
        rows[:, 13] = rows[:, 14] = removed.max(axis=1)
        fits = _fitting_words(level, slot_ranks, below, above)
        for w in range(15):
            fitting = fits >> w & 1 == 1
            if size == SLOTS or drawn == stock_size:
                if size + drawn <= longest:
                    rows[~fitting, w, size] = end_worth[part][~fitting]
            elif empty_draw or w != 14:
                go_on = (after_draw[part] > none) & ~(fitting & forced)
                rows[go_on, w, size] = after_draw[part][go_on] + draw_worth
        before[part] = none
        if card < 15:
            row = rows[:, card, size : SLOTS + 1].astype(np.int64)
            best = np.where(row > none, row + run_worth[: SLOTS + 1 - size], none).max(axis=1)
            before[part] = np.where(seen[part, card] >> drawn & 1, best, none)
