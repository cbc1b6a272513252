"""The kernels with their tables and scratch memory: from a deal to what every state of it is worth.

numba's kernels where numba is, else the same by numpy alone; which of them, the first question decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import numpy as np

from games.solver import plain
from games.solver.tables import ROWS_OF_RANKS, Array, Board, shapes, within_reach


@cache
def _sweeps() -> Any:
    # Not at the top: most processes never ask, and numba takes them a fifth of a second and memory. A web process pays
    # that at its first analysis; who can pay before calls `exact.warm_up`.
    from games.solver import compiled, kernels

    return kernels if compiled.COMPILED else plain


NONE: Final = -(1 << 30)
"""Worth of a run state that comes to no end that counts."""

_kept: dict[
    str, list[Array]
] = {}  # scratch memory, reused: the operating system's zeroed pages cost as much as a sweep
_SCRATCH: Final = {
    "seen": ((ROWS_OF_RANKS,), np.int32),
    "worth": ((ROWS_OF_RANKS, 32), np.uint8),
    "ends": ((ROWS_OF_RANKS - 1, 32), np.int32),
}


@contextmanager
def scratch(name: str) -> Iterator[Array]:
    """Uninitialised memory for one row a shape. Safe among threads: `pop` and `append` are atomic."""
    kept = _kept.setdefault(name, [])
    try:
        array = kept.pop()
    except IndexError:
        shape, kind = _SCRATCH[name]
        array = np.empty((shapes().count, *shape), dtype=kind)
    try:
        yield array
    finally:
        if len(kept) < 2:
            kept.append(array)


def stock_words(board: Board) -> Array:
    """int32 (16): bit d of a rank's word when the d-th card drawn (from 1) has that rank."""
    words = [0] * ROWS_OF_RANKS
    for drawn, rank in enumerate(board.stock_ranks[: board.stock_size].tolist(), start=1):
        words[rank] |= 1 << drawn
    return np.array(words, dtype=np.int32)


def reached(board: Board, seen: Array, *, origin: int, drawn: int, rank: int) -> int:
    """`games.solver.kernels.reach` from one state; ``seen`` is cleared first. The wins, a bit for each number drawn."""
    table = shapes()
    seen[origin:] = 0
    return int(
        _sweeps().reach(
            table.first,
            table.slot,
            table.to,
            board.slot_ranks,
            stock_words(board),
            board.below,
            board.above,
            origin,
            drawn,
            rank,
            board.forced,
            board.empty_draw,
            seen,
        )
    )


def settled(board: Board, worth: Array, *, removed: int, won_worth: Array, stuck_worth: Array) -> None:
    """`games.solver.kernels.settle` for all shapes in which the slots of the mask ``removed`` are empty."""
    table = shapes()
    _sweeps().settle(
        table.first,
        table.slot,
        table.to,
        board.slot_ranks,
        board.stock_ranks,
        board.stock_size,
        board.below,
        board.above,
        within_reach(removed),
        board.forced,
        board.empty_draw,
        board.ruleset.has_joker,
        won_worth,
        stuck_worth,
        worth,
        worth.view(np.uint64),
    )


def settled_runs(
    board: Board,
    seen: Array,
    ends: Array,
    *,
    origin: int,
    drawn: int,
    end_worth: Array,
    longest: int,
    draw_worth: int,
    run_worth: Array,
    after_draw: Array,
    before: Array,
) -> None:
    """`games.solver.kernels.settle_runs` for one number of cards drawn."""
    table = shapes()
    _sweeps().settle_runs(
        table.first,
        table.slot,
        table.to,
        table.sizes,
        board.slot_ranks,
        board.below,
        board.above,
        origin,
        drawn,
        int(board.stock_ranks[drawn - 1]) if drawn else ROWS_OF_RANKS - 1,
        board.stock_size,
        board.forced,
        board.empty_draw,
        seen,
        end_worth,
        longest,
        draw_worth,
        run_worth,
        after_draw,
        ends,
        before,
    )
