"""Earlier finishes at one list of cards under one ruleset, kept in memory: what was chosen where, and in which order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from games.engine.layout import SLOTS
from games.engine.moves import DRAW, UNDO, Move

from .choices import decisions
from .evidence import Line

Key = tuple[int, int, int]
STEPS: Final = SLOTS + 24
"""What a line can do once: remove each slot, and make its first draw, its second ... its 24th (W and G)."""
NEVER: Final = 99
"""The place of a step that a line does not take."""


def step_of(move: Move, drawn: int) -> int:
    """Which step a remove or a draw is, after so many draws."""
    return move if move < DRAW else SLOTS + drawn


def standing(log: Sequence[Move]) -> list[int]:
    """The plies, from 1, of the moves of a log that were not undone."""
    found: list[int] = []
    for ply, move in enumerate(log, start=1):
        if move == UNDO:
            found.pop()
        else:
            found.append(ply)
    return found


@dataclass(frozen=True, slots=True)
class Finish:
    """What is remembered of an earlier finish."""

    attempt_id: int
    player_id: int
    ended_ms: int
    a_move_ms: float
    """Milliseconds a ply on average."""
    quality: tuple[int, int]
    """Smaller is better: cards left, draws."""


class Field:
    """Grows by `add`; one for each list of cards and ruleset. Not safe among threads."""

    def __init__(self) -> None:
        self.finishes: list[Finish] = []
        self._known: set[int] = set()
        self._chosen: dict[Key, dict[Move, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._places: NDArray[np.int8] = np.full((STEPS, 64), NEVER, dtype=np.int8)

    def __len__(self) -> int:
        return len(self.finishes)

    def __contains__(self, attempt_id: int) -> bool:
        return attempt_id in self._known

    def add(self, line: Line) -> None:
        """Add a finished attempt; any order. An attempt is added once: a later state of it is ignored."""
        if line.attempt_id in self._known:
            return
        self._known.add(line.attempt_id)
        number = len(self.finishes)
        draws = sum(move == DRAW for move in line.log)
        removed = sum(move < DRAW for move in line.log)
        self.finishes.append(
            Finish(
                line.attempt_id,
                line.player_id,
                line.ended_ms,
                line.elapsed_ms / max(1, len(line.log)),
                (28 - removed, draws),
            )
        )
        if number == self._places.shape[1]:
            self._places = np.hstack([self._places, np.full_like(self._places, NEVER)])
        drawn = 0
        for place, ply in enumerate(standing(line.log)):
            move = line.log[ply - 1]
            self._places[step_of(move, drawn), number] = place
            drawn += move == DRAW
        for decision in decisions(line.ruleset, line.cards, line.log):
            self._chosen[decision.key][decision.choice.moves[decision.made]].append(number)

    def chosen(self, key: Key) -> dict[Move, np.ndarray]:
        """Which finishes (their numbers) chose what at a decision."""
        found = self._chosen.get(key)
        if found is None:
            return {}
        return {move: np.array(numbers) for move, numbers in found.items()}

    @property
    def places(self) -> NDArray[Any]:
        """int8 (STEPS, finishes): when each finish took each step, from 0, `NEVER` if not. What was undone is left out."""
        return self._places[:, : len(self.finishes)]
