"""A position as the sweeps see it: the shape of the tableau, the cards drawn, the rank on the waste."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import and_

from games.engine.layout import SLOTS
from games.engine.moves import MAX_PLIES
from games.engine.position import Position
from games.solver.tables import LONGEST_LINE, Board, rank_of, shapes


@dataclass(frozen=True, slots=True)
class State:
    """What decides the future of a position, and what of its past counts in its result."""

    shape: int
    drawn: int
    rank: int
    run: int
    score: int
    line: int
    """Removes and draws that stand."""
    undos: int
    longest: int
    """The longest line that the log still has room for (R5.4), `LONGEST_LINE` at most."""


def empty_in_all(states: Iterable[State]) -> int:
    """The mask of the slots that are empty in all of them."""
    masks = shapes().masks
    return reduce(and_, (int(masks[state.shape]) for state in states))


def state_of(position: Position) -> State:
    """Assumes a checked position."""
    return State(
        shapes().number[position.removed],
        position.drawn,
        rank_of(position.waste_index),
        position.run,
        position.score,
        len(position.line),
        position.undos,
        min(LONGEST_LINE, len(position.line) + MAX_PLIES - position.ply),
    )


def fits(board: Board, top: int, rank: int) -> bool:
    """May a card of this rank go onto that one (R2.1, R2.3, R6.1, R6.2)?"""
    return top >= 13 or rank == 13 or rank in (board.below[top], board.above[top])


def steps(board: Board, shape: int, top: int) -> list[tuple[int, int, int]]:
    """The removes from a shape: (slot, shape after it, rank of the card), by ascending slot."""
    table = shapes()
    found = []
    for step in range(int(table.first[shape]), int(table.first[shape + 1])):
        slot = int(table.slot[step])
        rank = int(board.slot_ranks[slot])
        if fits(board, top, rank):
            found.append((slot, int(table.to[step]), rank))
    return found


def is_won(shape: int) -> bool:
    return shape == shapes().count - 1


assert LONGEST_LINE == SLOTS + 24
