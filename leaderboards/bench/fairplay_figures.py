"""Shares with exact intervals, and what the best possible observer of the moves could find."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

RESAMPLED: Final = 20_000


def interval(hits: int, of: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Clopper-Pearson interval of a share: exact, never too narrow."""
    if of == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else _solve(lambda share: 1 - _at_most(hits - 1, of, share), tail, rising=True)
    high = 1.0 if hits == of else _solve(lambda share: _at_most(hits, of, share), tail, rising=False)
    return low, high


def _at_most(hits: int, of: int, share: float) -> float:
    """The chance of at most so many hits."""
    if share <= 0.0 or hits >= of:
        return 1.0
    if share >= 1.0:
        return 0.0
    if hits > of // 2:
        return 1 - _at_most(of - hits - 1, of, 1 - share)
    logs = math.log(share), math.log1p(-share)
    whole = math.lgamma(of + 1)
    return math.fsum(
        math.exp(whole - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * logs[0] + (of - k) * logs[1])
        for k in range(hits + 1)
    )


def _solve(chance: object, wanted: float, *, rising: bool) -> float:
    low, high = 0.0, 1.0
    assert callable(chance)
    for _ in range(60):
        middle = (low + high) / 2
        if (chance(middle) < wanted) == rising:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    hits: int
    of: int

    def __str__(self) -> str:
        if not self.of:
            return "-"
        low, high = interval(self.hits, self.of)
        return f"{_percent(self.hits / self.of)} ({_percent(low)}-{_percent(high)})"


def _percent(share: float) -> str:
    percent = 100 * share
    if 0 < percent < 1:
        return f"{percent:.3f}%"
    return f"{percent:.0f}%" if percent in (0, 100) else f"{percent:.1f}%"


def careers(by_daily: Sequence[Sequence[float]], *, attempts: int, seed: int) -> list[float]:
    """How much likelier whole careers of so many attempts are for the cheat: one attempt drawn from each daily's."""
    choose = random.Random(seed)
    dailies = [likelier for likelier in by_daily if likelier]
    if attempts > len(dailies):
        return []
    found = []
    for _ in range(RESAMPLED):
        days = dailies if attempts == len(dailies) else choose.sample(dailies, attempts)
        found.append(math.fsum(choose.choice(day) for day in days))
    return found


def most_found(likelier: Sequence[float], false: float) -> float:
    """The greatest share of cheats that any judge of the moves can find with this chance to flag their honest selves.

    `likelier`: natural logs of the likelihood ratio, of cheats. By Neyman and Pearson none beats a limit on it; the honest
    chance above a limit is the mean of 1 / ratio over the cheats above it.
    """
    if not likelier:
        return 0.0
    flagged, spent = 0, 0.0
    for one in sorted(likelier, reverse=True):
        spent += math.exp(-one) / len(likelier)
        if spent > false:
            break
        flagged += 1
    return flagged / len(likelier)
