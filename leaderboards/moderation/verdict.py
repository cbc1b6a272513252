"""From signals to a verdict: nothing, flag or hold. No disqualification comes from here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from . import foreknowledge, linked, results, shuffles, timing
from .evidence import Evidence
from .foreknowledge import Logs
from .same_line import VOUCHES, find_copy, same_line
from .shuffles import FIRST, FULL, Care, Studied
from .signals import ACCOUNT_MOST, Signal, points_of

FLAG_AT: Final = 26
"""Points: four hundred to one against an honest attempt that looks so, by every signal's own cautious count."""
OVER_TIME: Final = "foreknowledge_over_time"
HOLD_AT: Final = 50
"""With two independent groups of signals that come to HOLD_EACH or more."""
HOLD_EACH: Final = 15
OTHERS: Final = 0.6
"""The strongest group counts in full, the others so much: chance brings several weak ones together more easily."""
SIEVE: Final = 8
"""Decibans by the fitted model from which the arrangements themselves are asked."""
CLOSER: Final = 16
"""Points with the first, quick look at them, from which they are studied in full."""
CAREER: Final = 6
"""Points more for a career's bet: it is looked at after every attempt, and yet comes to D decibans for one honest player
in 10^(D/10) ever (Ville's inequality), where other signals may err so often at each attempt."""
LEAD: Final = 10
"""Links between accounts count only beside so many points for the attempt itself: sharing a network is no offence. Of a
line like another one it takes VOUCHES."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What an attempt's evidence comes to."""

    verdict: Literal["nothing", "flag", "hold"]
    points: int
    signals: tuple[Signal, ...]
    """Those with any points, the strongest first."""
    knowledge: Logs
    """For `Career.knowledge` of the player's later attempts; empty on open cards."""

    @property
    def settles(self) -> bool:
        """Whether the career up to here was flagged, for `Career.settled` of the later ones."""
        return self.verdict != "nothing" and any(signal.name == OVER_TIME for signal in self.signals[:1])


def _nothing_earlier(care: Care) -> Sequence[Studied]:
    return ()


def judge(evidence: Evidence, *, confirm: Callable[[Care], Sequence[Studied]] = _nothing_earlier) -> Judged:
    """Ask every signal and add them up.

    `confirm` is called only when the model suspects foreknowledge, and once more, with full care, when a first look does
    too. It returns `shuffles.study` of the attempts of `career.knowledge` with that care, as many of the newest as
    foreknowledge looks at, oldest first: seconds of work, of which the caller keeps what it can.
    """
    copy = find_copy(evidence)
    found = [
        same_line(evidence, copy),
        timing.machine_speed(evidence),
        timing.even_rhythm(evidence),
        timing.copied_pace(evidence, copy),
        results.too_good(evidence),
        *linked.account_signals(evidence),
    ]
    others = [signal for signal in found if signal is not None and signal.points]
    if not evidence.sealed:  # open book (R8.1): anybody may know the cards
        return _judged(others, ())
    logs, figures = foreknowledge.logs(evidence.line)
    known = [*evidence.career.knowledge[evidence.career.settled :], logs]
    if max(foreknowledge.decibans(known)[0], foreknowledge.decibans(known[-1:])[0]) < SIEVE:
        return _judged(others, logs)
    knowing = _careful(evidence, confirm, figures, FIRST)
    if knowing and verdict_of([*others, *knowing])[1] >= CLOSER:
        knowing = _careful(evidence, confirm, figures, FULL)
    return _judged([*others, *knowing], logs)


def _careful(
    evidence: Evidence, confirm: Callable[[Care], Sequence[Studied]], figures: dict[str, object], care: Care
) -> list[Signal]:
    studied = [*confirm(care), shuffles.study(evidence.line, care)]
    counted = len(evidence.career.knowledge) - evidence.career.settled + 1
    return _knowledge_signals(shuffles.careful_logs(studied)[-counted:], figures)


def _knowledge_signals(career: Sequence[Logs], figures: dict[str, object]) -> list[Signal]:
    """What this attempt tells by itself, and what the career tells with it."""
    alone, _ = foreknowledge.decibans(career[-1:])
    together, window = foreknowledge.decibans(career)
    found = []
    if (points := points_of(alone)) >= 5:
        found.append(
            Signal(
                "foreknowledge",
                "moves",
                points,
                f"Of {figures['telling']} choices in which hidden cards decided which move was best, {figures['best']} were best ones; "
                f"{figures['expected']} were to be expected of somebody who sees only the table. Luck does that now and then.",
                dict(figures),
            )
        )
    if window > 1 and together > 0 and (points := points_of(together + CAREER)) >= 8:
        found.append(
            Signal(
                OVER_TIME,
                "moves",
                points,
                f"Over the newest {window} dailies, choices that the visible cards could not explain turned out right too often. "
                "Every attempt has other cards, so luck does not last.",
                {"dailies": window},
            )
        )
    return found


def verdict_of(signals: Sequence[Signal]) -> tuple[Literal["nothing", "flag", "hold"], int]:
    """The verdict and its points."""
    groups: dict[str, int] = {}
    for signal in signals:
        before = groups.get(signal.group, 0)
        if signal.group == "account":
            groups[signal.group] = min(ACCOUNT_MOST, before + signal.points)
        else:
            groups[signal.group] = max(before, signal.points)
    accounts = groups.pop("account", 0)
    ordered = sorted(groups.values(), reverse=True)
    if not any(_leads(signal) for signal in signals):
        accounts = 0
    ordered.append(accounts)
    total = round(ordered[0] + OTHERS * sum(ordered[1:]))
    independent = sum(points >= HOLD_EACH for points in ordered)
    if total >= HOLD_AT and independent >= 2:
        return "hold", total
    return ("flag" if total >= FLAG_AT else "nothing"), total


def _leads(signal: Signal) -> bool:
    return signal.group != "account" and signal.points >= (VOUCHES if signal.name == "same_line" else LEAD)


def _judged(signals: Sequence[Signal], knowledge: Logs) -> Judged:
    verdict, points = verdict_of(signals)
    ordered = tuple(sorted(signals, key=lambda signal: -signal.points))
    return Judged(verdict, points, ordered, knowledge)
