"""Two attempts at the same cards side by side: where their moves agree and where they part."""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.models import Attempt

from .. import selectors
from .replay import Step, Watched, watched


@dataclass(frozen=True, slots=True)
class Pair:
    """A row of the comparison: a move of this attempt, of the other, or of both."""

    mine: Step | None
    other: Step | None

    @property
    def agree(self) -> bool:
        return self.mine is not None and self.other is not None


@dataclass(frozen=True, slots=True)
class Similar:
    """Another attempt that a signal compares this one with."""

    attempt: Attempt
    signals: tuple[str, ...]
    """Names of the signals that name it."""
    why_not: str
    """Why the moves are not shown; "" when they are."""
    pairs: Sequence[Pair] = ()

    @property
    def agreeing(self) -> int:
        return sum(pair.agree for pair in self.pairs)

    @property
    def moves(self) -> int:
        return sum(pair.mine is not None for pair in self.pairs)


def similar_attempts(
    mine: Watched, attempt: Attempt, signals: Sequence[Mapping[str, Any]], now: dt.datetime
) -> list[Similar]:
    """The attempts that the signals name, with their moves where both attempts' may be shown; at most five."""
    named: dict[str, list[str]] = {}
    for signal in signals:
        for public_id in _named(signal.get("evidence", {})):
            named.setdefault(public_id, []).append(signal["name"])
    rows = selectors.attempts_by_id(list(named)[:5])
    found = []
    for public_id, row in rows.items():
        why_not, pairs = _compared(mine, attempt, row, now)
        found.append(Similar(row, tuple(named[public_id]), why_not, pairs))
    return found


def _named(evidence: Mapping[str, Any]) -> list[str]:
    """Public ids under `attempt` or `attempts`."""
    found = [evidence.get("attempt"), *(evidence.get("attempts") or [])]
    return [each for each in found if isinstance(each, str)]


def _compared(mine: Watched, attempt: Attempt, other: Attempt, now: dt.datetime) -> tuple[str, list[Pair]]:
    if other.deal_id != attempt.deal_id:
        return "It was played with other cards.", []
    theirs = watched(other, [], now)
    if not mine.steps or not theirs.steps:
        return "Its moves can be compared once both attempts are over.", []
    return "", pairs_of(mine.steps[:-1], theirs.steps[:-1])


def pairs_of(mine: Sequence[Step], other: Sequence[Step]) -> list[Pair]:
    """The two logs aligned: as many moves as possible beside their equals."""
    matcher = difflib.SequenceMatcher(a=[step.move for step in mine], b=[step.move for step in other], autojunk=False)
    pairs = []
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            pairs += [Pair(a, b) for a, b in zip(mine[start:end], other[other_start:other_end], strict=True)]
        else:
            pairs += [Pair(step, None) for step in mine[start:end]]
            pairs += [Pair(None, step) for step in other[other_start:other_end]]
    return pairs
