"""The slow and obvious solver that the fast one is held to: a search over engine positions, nothing clever.

It tries every legal move but undo and remembers what it has seen. Far too slow for whole deals of some rulesets; the
tests give it late positions, the benchmark easy deals.
"""

from __future__ import annotations

from dataclasses import dataclass

from games.engine.moves import UNDO, Move
from games.engine.position import Position
from games.engine.ranking import rank_key, result_of


@dataclass(frozen=True, slots=True)
class Reference:
    """The same facts as `games.solver.answers.PlyValue`, and the key of the best result."""

    winnable: bool
    fewest_draws: int | None
    key: int | None
    best_score: int | None


def ends(position: Position) -> tuple[tuple[Move, ...], ...]:
    """A line to each different end (removed slots, draws, score) that play can reach."""
    found: dict[tuple[int, int, int], tuple[Move, ...]] = {}
    seen: set[tuple[int, int, int | None, int, int]] = set()
    waiting = [position]
    while waiting:
        here = waiting.pop()
        state = (here.removed, here.drawn, here.waste_top, here.run, here.score)
        if state in seen:
            continue
        seen.add(state)
        if here.outcome is not None:
            found[here.removed, here.drawn, here.score] = here.line
        waiting += [here.play(move) for move in here.legal_moves() if move != UNDO]
    return tuple(found.values())
