"""Is the line that of an earlier finish? Weighted by how forced it was: what anybody would play tells nothing.

Two attempts are compared at the decisions that both came to, in whatever order. A shared move speaks for copying the more
the less usual it is; a different one speaks against it. How usual a move is, is never taken lower than what strong players
or beginners do by the model of honest play, nor than what the others who came to that decision did.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from .choices import Decision, decisions
from .evidence import Evidence, Link
from .field import Finish
from .honest import chances
from .signals import Signal, points_of

KEPT: Final = 0.93
"""How often who copies plays the copied move."""
SHARPNESS: Final = (0.5, 1.0, 2.0, 4.0)
"""From beginners, who choose almost anything, to players who always choose what looks best."""
ODD: Final = 0.08
BEST: Final = 10
"""Half of the suspicion is on the so many best finishes: those are what is copied. The rest is on all alike."""
LEAST: Final = 10


@dataclass(frozen=True, slots=True)
class Copy:
    """The earlier finish that a line is most likely copied from."""

    decibans: float
    finish: Finish | None
    shared: int
    """Decisions that both came to."""
    same: int
    unusual: tuple[int, ...]
    """Plies of the shared moves that tell most."""


def find_copy(evidence: Evidence) -> Copy:
    """Against every earlier finish of other players."""
    line, field = evidence.line, evidence.field
    made = list(decisions(line.ruleset, line.cards, line.log))
    if not len(field) or not made:
        return Copy(0.0, None, 0, 0, ())
    usual = _usual(evidence, made)
    sums = np.zeros(len(field))
    shared = np.zeros(len(field), dtype=int)
    same = np.zeros(len(field), dtype=int)
    gains: list[tuple[float, int]] = []
    for decision, chance in zip(made, usual, strict=True):
        at = field.chosen(decision.key)
        came = sum(len(numbers) for numbers in at.values())
        mine = decision.choice.moves[decision.made]
        for move, numbers in at.items():
            often = max(chance[decision.choice.moves.index(move)], (len(numbers) - 0.5) / came if came > 1 else 0.0)
            shared[numbers] += 1
            if move == mine:
                gain = math.log(max(KEPT, often) / often)
                same[numbers] += 1
                gains.append((gain, decision.ply))
            else:
                gain = math.log((1 - KEPT) / max(1 - KEPT, 1 - often))
            sums[numbers] += gain
    own = [  # and those that came later: they may be copies of this one
        number
        for number, finish in enumerate(field.finishes)
        if finish.player_id == line.player_id or finish.ended_ms >= line.ended_ms
    ]
    sums[own] = -math.inf
    others = len(field) - len(own)
    if not others:
        return Copy(0.0, None, 0, 0, ())
    weights = np.full(len(field), 0.5 / others)
    best = [number for number in field.best(BEST) if sums[number] > -math.inf]
    if best:
        weights[best] += 0.5 / len(best)
    total = float((weights * np.exp(np.minimum(sums, 300.0))).sum())
    likeliest = int(np.argmax(sums + np.log(weights)))
    gains.sort(reverse=True)
    return Copy(
        10 * math.log10(max(total, 1e-9)),
        field.finishes[likeliest],
        int(shared[likeliest]),
        int(same[likeliest]),
        tuple(sorted(ply for gain, ply in gains[:8] if gain > 0.5)),
    )


def _usual(evidence: Evidence, made: Sequence[Decision]) -> list[list[float]]:
    """For each decision and move, how usual it is among players of the strength that would make it most often."""
    found = []
    for best, _ in chances(evidence.line.ruleset, evidence.line.cards, made):
        odds = [chance / (1 - chance) for chance in best]
        most = [0.0] * len(odds)
        for sharpness in SHARPNESS:
            powers = [odd**sharpness for odd in odds]
            total = sum(powers)
            most = [
                max(so_far, (1 - ODD) * power / total + ODD / len(odds))
                for so_far, power in zip(most, powers, strict=True)
            ]
        found.append(most)
    return found


def same_line(evidence: Evidence, copy: Copy) -> Signal | None:
    """Programs of one make play alike, so for bots it is not asked."""
    if evidence.subject.kind == "bot" or copy.finish is None or copy.decibans < LEAST:
        return None
    pause = max(0, evidence.line.started_ms - copy.finish.ended_ms)
    return Signal(
        "same_line",
        "moves",
        points_of(copy.decibans),
        "Same line as an earlier finish: at "
        f"{copy.same} of {copy.shared} decisions that both came to the same move was made, among them moves that few "
        "would make. It may be copied from a replay or from another player; two players of one school can also think alike.",
        {
            "attempt_id": copy.finish.attempt_id,
            "shared": copy.shared,
            "same": copy.same,
            "plies": list(copy.unusual),
            "minutes_after": round(pause / 60_000, 1),
        },
    )


def link_to(copy: Copy, links: Sequence[Link]) -> Link | None:
    """The link to the player whose line was copied, if there is one."""
    return next((link for link in links if copy.finish is not None and link.player_id == copy.finish.player_id), None)
