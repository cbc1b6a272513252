"""Earlier finishes at one list of cards under one ruleset, as an index in memory by what was chosen where."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from games.engine.moves import DRAW, Move

from .choices import decisions
from .evidence import Line

Key = tuple[int, int, int]


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
        for decision in decisions(line.ruleset, line.cards, line.log):
            self._chosen[decision.key][decision.choice.moves[decision.made]].append(number)

    def chosen(self, key: Key) -> dict[Move, np.ndarray]:
        """Which finishes (their numbers) chose what at a decision."""
        found = self._chosen.get(key)
        if found is None:
            return {}
        return {move: np.array(numbers) for move, numbers in found.items()}

    def best(self, count: int) -> list[int]:
        """The numbers of the best finishes."""
        order = sorted(range(len(self.finishes)), key=lambda number: self.finishes[number].quality)
        return order[:count]
