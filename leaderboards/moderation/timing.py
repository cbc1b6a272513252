"""Signals from the server's times. Slow, erratic and assistive ways of playing are no signals; neither is a queue of
moves that arrives at once after a dropped link."""

from __future__ import annotations

import math
from statistics import NormalDist, fmean
from typing import Final

from games.engine.layout import COVERED_BY
from games.engine.moves import DRAW, UNDO

from .evidence import Evidence, Line
from .same_line import VOUCHES, Copy
from .signals import Signal, points_of

REACTION_MS: Final = 200
"""From a card being shown to the tap that uses it, the way to and from the server included; few people get under it."""
LUCKY: Final = 0.04
"""How often a tap that was under way anyhow happens to fit the new card."""
FEWEST: Final = 6
QUEUED_MS: Final = 20
QUEUED_MOST: Final = 8
"""Moves that a page can hold while its link is down and sends at once (their intervals are below QUEUED_MS)."""
USUAL_MS: Final = 1800
"""A move of an ordinary player; the spread is that of a lognormal distribution."""
SPREAD: Final = 0.5
EVEN: Final = 0.035
"""Spread of the middle nine tenths of the intervals, relative to their median, that no hand keeps."""


def queued(line: Line) -> set[int]:
    """The plies that arrived at once after a pause long enough to have made them one by one."""
    found: set[int] = set()
    burst: list[int] = []
    pause = 0
    for ply, interval in enumerate((*line.intervals_ms, QUEUED_MS), start=1):
        if interval < QUEUED_MS:
            burst.append(ply)
            continue
        if burst and len(burst) <= QUEUED_MOST and pause >= REACTION_MS * len(burst):
            found.update(burst)
        burst, pause = [], interval
    return found


def answers(line: Line) -> list[tuple[int, int]]:
    """(ply, milliseconds) of the moves that use a card shown by the very ply before: no plan can have held them."""
    found = []
    before = None
    waited = queued(line)
    for ply, (move, interval) in enumerate(zip(line.log, line.intervals_ms, strict=True), start=1):
        if move < DRAW and before is not None and ply not in waited:
            drawn = before == DRAW
            turned = before < DRAW and before in COVERED_BY[move] and not line.ruleset.faces_up
            if drawn or turned:
                found.append((ply, interval))
        before = None if move == UNDO else move
    return found


def _tail(hits: int, tries: int, chance: float) -> float:
    """The chance of so many hits or more."""
    return sum(math.comb(tries, k) * chance**k * (1 - chance) ** (tries - k) for k in range(hits, tries + 1))


def machine_speed(evidence: Evidence) -> Signal | None:
    """Answers to cards just shown that come faster than people react. Not asked of bots, which may be fast."""
    if evidence.subject.kind == "bot":
        return None
    found = answers(evidence.line)
    quick = [ply for ply, interval in found if interval < REACTION_MS]
    if len(found) < FEWEST or len(quick) < FEWEST - 1:
        return None
    points = points_of(-10 * math.log10(max(1e-12, _tail(len(quick), len(found), LUCKY))))
    return Signal(
        "machine_speed",
        "time",
        points,
        f"{len(quick)} of {len(found)} moves that answer a card just shown came within {REACTION_MS} ms of it. People need longer "
        "to see a card and react, whatever they play with; a program on a person's account does not.",
        {"quick": len(quick), "answers": len(found), "plies": quick, "milliseconds": REACTION_MS},
    )


def even_rhythm(evidence: Evidence) -> Signal | None:
    """Intervals as even as a timer's over the whole attempt, choices and plain moves alike."""
    line = evidence.line
    if evidence.subject.kind == "bot" or len(line.intervals_ms) < 25:
        return None
    ordered = sorted(line.intervals_ms[1:])
    cut = max(1, len(ordered) // 20)
    middle = ordered[cut:-cut]
    centre = middle[len(middle) // 2]
    if centre < 50:
        return None  # a queue that arrived at once, or machine speed
    spread = (middle[-1] - middle[0]) / centre
    if spread >= EVEN * 2:
        return None
    points = points_of(min(45.0, 30 + 15 * (1 - spread / (EVEN * 2))))
    return Signal(
        "even_rhythm",
        "time",
        points,
        f"Nine tenths of the intervals lie within {100 * spread:.0f} % of each other around {centre} ms. Scanning and dwell "
        "switches keep a beat too, but wait for whole steps of it or for the eye; a timer does not.",
        {"median_ms": centre, "spread_percent": round(100 * spread, 1), "intervals": len(line.intervals_ms)},
    )


def copied_pace(evidence: Evidence, copy: Copy) -> Signal | None:
    """A line that is like an earlier one, played much faster than people decide: reading off takes no thought."""
    line = evidence.line
    if (
        evidence.subject.kind == "bot"
        or copy.finish is None
        or points_of(copy.decibans) < VOUCHES
        or len(line.log) < 15
    ):
        return None
    pace = fmean(line.intervals_ms)
    usual = [finish.a_move_ms for finish in evidence.field.finishes if finish.player_id != line.player_id]
    middle = sorted(usual)[len(usual) // 2] if len(usual) >= 20 else float(USUAL_MS)
    below = NormalDist().cdf((math.log(max(1.0, pace)) - math.log(max(1.0, middle))) / SPREAD)
    points = points_of(min(30.0, -10 * math.log10(max(1e-6, below))))
    if points < 10:
        return None
    return Signal(
        "copied_pace",
        "time",
        points,
        f"The line is like an earlier one and took {pace / 1000:.1f} s a move; half of the others need more than {middle / 1000:.1f} s. "
        "Who reads a line off decides nothing; quick players are quick, too.",
        {"ms_a_move": round(pace), "usual_ms_a_move": round(middle), "attempt_id": copy.finish.attempt_id},
    )
