"""The scoring rules (R4): named, versioned, and pure functions of the standing line (R5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from games.engine.moves import DRAW, Move
from games.engine.rulesets import ScoringName


@dataclass(frozen=True, slots=True)
class ScoringRule:
    """What each action of the standing line adds to the score."""

    name: ScoringName
    start: int
    remove: int
    """Added by each removed card."""
    run_step: int
    """Added n times by the n-th card removed since the last draw."""
    draw: int
    """Added by each draw."""
    peaks: tuple[int, int, int]
    """Added by the first, second and third cleared peak."""
    floor: int | None = None
    version: int = 1


SCORING: Final[dict[str, ScoringRule]] = {
    rule.name: rule
    for rule in (
        ScoringRule("points500", start=500, remove=-1, run_step=0, draw=-1, peaks=(100, 100, 100), floor=0),  # R4.1
        ScoringRule("runs", start=0, remove=0, run_step=1, draw=-5, peaks=(15, 15, 30)),  # R4.2
        ScoringRule("cards_left", start=28, remove=-1, run_step=0, draw=0, peaks=(0, 0, 0)),  # R4.3
    )
}


def tally(rule: ScoringRule, line: Sequence[Move]) -> tuple[int, int]:
    """``(score, run)`` of a standing line (removes and draws only); run = cards removed since the last draw."""
    score = rule.start
    remove, run_step, draw, peaks = rule.remove, rule.run_step, rule.draw, rule.peaks
    run = cleared = 0
    for move in line:
        if move == DRAW:
            run = 0
            score += draw
        else:
            run += 1
            score += remove + run_step * run
            if move < 3:  # a tip is always the last card of its peak (R1.5)
                score += peaks[cleared]
                cleared += 1
    if rule.floor is not None and score < rule.floor:
        score = rule.floor
    return score, run
