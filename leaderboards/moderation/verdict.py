"""From signals to a verdict: nothing, flag or hold. No disqualification comes from here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .evidence import Evidence
from .signals import Signal


@dataclass(frozen=True, slots=True)
class Judged:
    """What an attempt's evidence comes to."""

    verdict: Literal["nothing", "flag", "hold"]
    points: int
    signals: tuple[Signal, ...]
    """Those with any points, the strongest first."""
    knowledge: tuple[float, ...]
    """For `Career.knowledge` of the player's later attempts."""


def judge(evidence: Evidence, *, confirm: Callable[[], Sequence[tuple[float, ...]]] | None = None) -> Judged:
    """Ask every signal and add them up.

    `confirm` is called only when foreknowledge over time would decide: it returns the careful version of
    `career.knowledge` (see `foreknowledge`), which costs seconds.
    """
    return Judged("nothing", 0, (), ())
