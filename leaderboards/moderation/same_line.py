"""Is the line that of an earlier finish? Weighted by how forced it was: what anybody would play tells nothing.

Two attempts are compared at the decisions that both came to, in whatever order. A shared move speaks for copying the more
the less usual it is; a different one speaks against it. How usual the moves are is taken from the model of honest play, for
the strength of player to whom the whole line would come most naturally, and never lower than what the others who came to
that decision did.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from games.engine.layout import SLOTS, turned_up
from games.engine.moves import DRAW

from .choices import Decision, decisions
from .evidence import Evidence
from .field import Finish
from .honest import chances
from .signals import Signal, points_of

KEPT: Final = 0.93
"""How often who copies plays the copied move."""
SHARPNESS: Final = (0.5, 1.0, 2.0, 4.0)
"""From beginners, who choose almost anything, to players who always choose what looks best."""
ODD: Final = 0.08
BEST: Final = 5
ON_BEST: Final = 0.7
"""So much of the suspicion is on the so many best finishes: those are what is copied. The rest is on all alike."""
ACROSS: Final = tuple(
    3.0 * slot + 1.5
    if slot < 3
    else 3.0 * ((slot - 3) // 2) + 1 + (slot - 3) % 2
    if slot < 9
    else slot - 8.5
    if slot < 18
    else slot - 18.0
    for slot in range(SLOTS)
)
"""Where a slot lies from left to right, in cards."""
ALIKE: Final = 0.9
"""Share of the decisions in which a finish that may be a copy of the same line did the same."""
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
    chosen = [field.chosen(decision.key) for decision in made]
    shared = np.zeros(len(field), dtype=int)
    same = np.zeros(len(field), dtype=int)
    for decision, at in zip(made, chosen, strict=True):
        for move, numbers in at.items():
            shared[numbers] += 1
            if move == decision.choice.moves[decision.made]:
                same[numbers] += 1
    # What is common is learnt from the others: ten copies of one line do not make it common.
    alike = (shared >= 8) & (same >= ALIKE * shared)
    sums = np.zeros((len(usual[0]), len(field)))
    gains: list[tuple[float, int]] = []
    for decision, chance, at in zip(made, usual, chosen, strict=True):
        differing = {move: int((~alike[numbers]).sum()) for move, numbers in at.items()}
        came = sum(differing.values())
        mine = decision.choice.moves[decision.made]
        for move, numbers in at.items():
            often = np.maximum(chance[:, decision.choice.moves.index(move)], differing[move] / (came + 2))
            if move == mine:
                gain = np.log(np.maximum(KEPT, often) / often)
                gains.append((float(gain.min()), decision.ply))
            else:
                gain = np.log((1 - KEPT) / np.maximum(1 - KEPT, 1 - often))
            sums[:, numbers] += gain[:, None]
    sums = sums.min(axis=0)
    own = [  # and those that came later: they may be copies of this one
        number
        for number, finish in enumerate(field.finishes)
        if finish.player_id == line.player_id or finish.ended_ms >= line.ended_ms
    ]
    sums[own] = -math.inf
    compared = len(field) - len(own)
    if not compared:
        return Copy(0.0, None, 0, 0, ())
    weights = np.full(len(field), (1 - ON_BEST) / compared)
    best = [number for number in field.best(BEST) if sums[number] > -math.inf]
    if best:
        weights[best] += ON_BEST / len(best)
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


def _usual(evidence: Evidence, made: Sequence[Decision]) -> list[np.ndarray]:
    """For each decision, how likely each move is (columns) to each kind of honest player (rows).

    Players who choose by what looks best, more or less sharply, and players with a fixed order: from the left or the
    right, from the top or the bottom, the cards that turn up most others first or not. Whoever plays by such an order
    plays like all who do.
    """
    found = []
    line = evidence.line
    for (best, _), decision in zip(chances(line.ruleset, line.cards, made), made, strict=True):
        odds = np.array([chance / (1 - chance) for chance in best])
        powers = odds[None, :] ** np.array(SHARPNESS)[:, None]
        moves = decision.choice.moves
        cards = [move for move in moves if move != DRAW]
        ups = {move: turned_up(decision.choice.removed, move) for move in cards}
        most = max(ups.values())
        turning = [move for move in cards if ups[move] == most]
        across = sorted(cards, key=ACROSS.__getitem__)
        turning = sorted(turning, key=ACROSS.__getitem__)
        ways = [across[0], across[-1], turning[0], turning[-1], cards[0], cards[-1], moves[int(odds.argmax())]]
        orders = np.array([[move == way for move in moves] for way in ways], dtype=float)
        rows = np.concatenate([powers / powers.sum(axis=1, keepdims=True), orders])
        found.append((1 - ODD) * rows + ODD / len(moves))
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
