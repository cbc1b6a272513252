"""What a signal is: one question asked of the evidence, with an answer that a person can read and check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

VERSION: Final = 5
"""Of all signals together. Raised when one changes: `manage.py rejudge` then shows what would change."""

Group = Literal["moves", "time", "account", "results"]
"""Signals of one group may see the same thing: the strongest counts. Those of `account` are different facts: they add
up, to ACCOUNT_MOST, and count only beside others: they never flag anybody by themselves."""

ACCOUNT_MOST: Final = 30

MOST: Final = 99
"""Points of one signal at most: beyond that, odds say more about the model than about the player."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One finding. `points` are decibans: 10 is ten to one against an honest attempt that looks so, 30 a thousand."""

    name: str
    group: Group
    points: int
    explanation: str
    """One or two plain English sentences for moderators: what was seen, what it may mean, what else it may mean."""
    evidence: dict[str, Any]
    """The figures behind it, JSON values only; never a hidden card (plies, counts, ids, times)."""
    version: int = 1

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "version": self.version,
            "group": self.group,
            "points": self.points,
            "explanation": self.explanation,
            "evidence": self.evidence,
        }


def points_of(decibans: float) -> int:
    """A whole number of points, 0 to MOST."""
    return max(0, min(MOST, round(decibans)))
