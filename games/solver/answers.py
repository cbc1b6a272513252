"""What the solver answers."""

from __future__ import annotations

from dataclasses import dataclass

from games.engine.moves import Move
from games.engine.position import Outcome
from games.engine.ranking import Result


@dataclass(frozen=True, slots=True)
class Best:
    """The best result that can still be reached: a `Result` without its time, moves already made included."""

    outcome: Outcome
    score: int
    moves: int
    """The counter of R5.2."""
    peaks: int
    cards_left: int
    undos: int = 0
    """Those already made; no further undo is counted on."""

    def result(self, elapsed_ms: int = 0) -> Result:
        """As `games.engine.ranking.rank_key` takes it."""
        return Result(self.outcome, self.score, self.moves, self.peaks, self.cards_left, elapsed_ms, self.undos)


@dataclass(frozen=True, slots=True)
class PlyValue:
    """What can still come of one position, by moves and draws alone: an undo is never part of it."""

    winnable: bool
    fewest_draws: int | None
    """Draws from this position on in a win with as few as possible; None when there is no win."""
    best: Best | None
    """By the ruleset's ranking rule. None only where the log is too full to come to any end (R5.4)."""
    best_score: int | None
    """The best score by the scoring rule: the highest; with `cards_left` the lowest. It is `best.score` except after a
    lost game of `points500`, where fewer removed cards leave more points (R8.2)."""


@dataclass(frozen=True, slots=True)
class Solution(PlyValue):
    """The same with one line of moves that achieves `best`."""

    line: tuple[Move, ...]
