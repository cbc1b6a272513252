"""Is the line that of an earlier finish? Weighed by how usual it is: what anybody would play tells nothing.

A likelihood ratio. If the attempt copies an earlier finish, each choice is, of the moves that are possible, the one that
the finish made first: so two lines are compared in the order of their steps, and one that left the other's way for a
few moves is back on it afterwards. If it is played independently, its choices are as usual as the many ways to play make
them (`policies`). Every earlier finish may have been the source, the best ones more likely.

Players who think alike in a way that `policies` does not know would look like copies of each other. So a suspicious
line is asked about twice more. Where the field has others who came to the same decisions, what they did there counts
(SCHOOL); lines that are all but the source's are left out of that: ten copies of one line do not make it common. And it
may be the line of somebody who simply plays well (STRONG): on sealed cards that is what does well on average over
shuffles of the cards that the player had not seen; on open cards, which anybody may know, what does well.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from games.engine.moves import DRAW
from games.solver.options import worths

from .choices import Decision, decisions
from .evidence import Evidence, Line
from .field import NEVER, Field, Finish, standing, step_of
from .habits import choices_of
from .policies import usualness
from .shuffles import arrangements
from .signals import Signal, points_of

Array = NDArray[Any]

KEPT: Final = ((0.99, 0.6), (0.85, 0.4))
"""How often who copies makes the copied move, and how probable that is: most copies are exact, some are changed."""
ON_BEST: Final = 0.85
"""So much of the suspicion goes by rank, for good results are what is copied; the rest is on all earlier finishes alike."""
RANKS: Final = 2.0
"""The finish of rank r, from 0, gets a share of it that goes as 1 / (r + RANKS)."""
ALIKE: Final = 0.9
"""Share of the decisions in which a finish that may be a copy of the same source did the same."""
SCHOOL: Final = 0.03
"""How probable it is that the others at the same decisions tell more of this player than `policies` do."""
VISITS: Final = 6
"""The chance by `policies` weighs as much as so many others at a decision."""
STRONG: Final = 0.1
"""How probable it is that an independent line is a strong player's."""
STRONG_ODD: Final = 0.5
"""A move this unusual is asked about: might a strong player see more in it?"""
TEMPERATURE: Final = 0.5
"""How much worse, in draws, a move may be for a strong player and still be played now and then (e-folds)."""
SLIPS: Final = 0.05
WORLDS: Final = 8
"""Shuffles of the unseen cards for each unusual move: a millisecond each."""
SUSPICIOUS: Final = 15
"""Decibans from which the slow question for strong play is asked."""
CAUTION: Final = 5.0
"""Decibans taken off: some people think alike in ways that nothing above foresees. In a simulated season 60 of 20,200
honest attempts came to a flag with 2 decibans off, 12 of them by this signal alone; this and VOUCHES were chosen by them, so
that 8 would be left."""
LEAST: Final = 12
"""Decibans: with less nothing is said."""
VOUCHES: Final = 22
"""Points from which the pace is asked about and links between accounts count beside it: one honest attempt in sixty comes
to LEAST, and in a household, or of a quick player, each of those has something else beside it."""
_AFTER: Final = 100
_NONE: Final = 3


@dataclass(frozen=True, slots=True)
class Copy:
    """The earlier finish that a line is most likely copied from."""

    decibans: float
    """For a copy of any earlier finish, against independent play; less CAUTION."""
    finish: Finish | None
    shared: int
    """Decisions at which that finish's order says what comes next."""
    same: int
    """Those at which that was done."""
    unusual: tuple[int, ...]
    """Plies of the shared moves that tell most."""


def find_copy(evidence: Evidence) -> Copy:
    """Against every earlier finish of other players; what was undone is not compared."""
    line, field = evidence.line, evidence.field
    plies = set(standing(line.log))
    made = [decision for decision in decisions(line.ruleset, line.cards, line.log) if decision.ply in plies]
    numbers = np.array(
        [  # those that came later may be copies of this one
            number
            for number, finish in enumerate(field.finishes)
            if finish.player_id != line.player_id and finish.ended_ms < line.ended_ms
        ],
        dtype=int,
    )
    if not len(numbers) or not made:
        return Copy(0.0, None, 0, 0, ())
    follows = _follows(line, made, field.places[:, numbers].astype(np.int16))
    usual = usualness(choices_of(line, made), _moves(made))
    ratios = _ratios(follows, usual) + np.log(_priors(field, numbers))
    at = int(np.argmax(ratios))
    most = float(ratios[at])
    total = most + math.log(float(np.exp(ratios - most).sum()))
    if total > 0:
        school = _school(field, numbers, made, usual, follows, at)
        strong = _strong(line, made, usual, sealed=evidence.sealed) if total > _nats(SUSPICIOUS) else 0.0
        total -= math.log(1 - SCHOOL - STRONG + SCHOOL * math.exp(school) + STRONG * math.exp(strong))
    told = follows[:, at]
    gains = sorted((usual[n], made[n].ply) for n in np.flatnonzero(told == 2) if usual[n] < 0.6)
    return Copy(
        total / _nats(1) - CAUTION,
        field.finishes[int(numbers[at])],
        int((told != _NONE).sum()),
        int(((told == 1) | (told == 2)).sum()),
        tuple(sorted(ply for _, ply in gains[:8])),
    )


def _nats(decibans: float) -> float:
    return decibans * math.log(10) / 10


def _moves(made: Sequence[Decision]) -> Array:
    found = np.full((len(made), max(len(decision.choice.moves) for decision in made)), DRAW)
    for row, decision in zip(found, made, strict=True):
        row[: len(decision.choice.moves)] = decision.choice.moves
    return found


def _follows(line: Line, made: Sequence[Decision], places: Array) -> Array:
    """int8 (decisions, finishes): is the move made the next one in the finish's order?

    2: yes. 1: only if what it did earlier and is still possible is put off, or the other way round: who has left a step
    out may take it up now or go on behind it. 0: no. _NONE: the finish took none of the possible steps.
    """
    decided = {decision.ply: at for at, decision in enumerate(made)}
    follows = np.zeros((len(made), places.shape[1]), dtype=np.int8)
    last = np.full(places.shape[1], -1, dtype=np.int16)
    drawn = 0
    for ply in standing(line.log):
        move = line.log[ply - 1]
        mine = places[step_of(move, drawn)]
        at = decided.get(ply)
        if at is not None:
            first = after = np.int16(NEVER + _AFTER)
            for other in made[at].choice.moves:
                if other != move:
                    place = places[step_of(other, drawn)]
                    first = np.minimum(first, place)
                    after = np.minimum(after, np.where(place > last, place, place + _AFTER))
            follows[at] = (mine < first).astype(np.int8) + (np.where(mine > last, mine, mine + _AFTER) < after)
            follows[at, np.minimum(first, mine) == NEVER] = _NONE
        last = np.where(mine < NEVER, mine, last)
        drawn += move == DRAW
    return follows


def _ratios(follows: Array, usual: Array) -> Array:
    """For each finish the logarithm of how much likelier the line is for its copy than for independent play."""
    found = []
    for kept, share in KEPT:
        own = (1 - kept) * usual
        gains = np.log(np.stack([own, kept / 2 + own, kept + own, usual]) / usual)
        found.append(math.log(share) + gains[follows, np.arange(len(usual))[:, None]].sum(axis=0))
    return np.asarray(np.logaddexp.reduce(found))


def _priors(field: Field, numbers: Array) -> Array:
    """How probable each finish is as a source before the moves are compared. Sums to 1."""
    left, draws = np.array([field.finishes[number].quality for number in numbers]).T
    ranks = np.empty(len(numbers))
    ranks[np.lexsort((draws, left))] = np.arange(len(numbers))
    by_rank = 1 / (ranks + RANKS)
    return np.asarray((1 - ON_BEST) / len(numbers) + ON_BEST * by_rank / by_rank.sum())


def _school(field: Field, numbers: Array, made: Sequence[Decision], usual: Array, follows: Array, source: int) -> float:
    """How much likelier (natural logarithm) the line is by what others did at the same decisions than by `policies`."""
    same = (follows == follows[:, [source]]).mean(axis=0)
    counted = np.zeros(len(field), dtype=bool)
    counted[numbers[same < ALIKE]] = True
    more = 0.0
    for decision, chance in zip(made, usual.tolist(), strict=True):
        came = alike = 0
        for move, who in field.chosen(decision.key).items():
            count = int(counted[who].sum())
            came += count
            alike += count if move == decision.choice.moves[decision.made] else 0
        more += math.log((alike + VISITS * chance) / (came + VISITS) / chance)
    return more


def _strong(line: Line, made: Sequence[Decision], usual: Array, *, sealed: bool) -> float:
    """How much likelier (natural logarithm) the line is for a strong player than by `policies`.

    The attempt's id is the seed of the shuffles, so that the answer is always the same.
    """
    rng = random.Random(line.attempt_id)
    more = 0.0
    for decision, chance in zip(made, usual.tolist(), strict=True):
        if chance >= STRONG_ODD:
            continue
        worlds: Sequence[Sequence[int]] = [line.cards]
        if sealed:
            worlds = arrangements(line.ruleset, line.cards, decision, rng, WORLDS)
        worth = np.array([worths(line.ruleset, cards, [decision.choice])[0] for cards in worlds]).mean(axis=0)
        likely = np.exp((worth - worth.max()) / TEMPERATURE)
        likely = (1 - SLIPS) * likely / likely.sum() + SLIPS / len(likely)
        more += math.log(likely[decision.made] / chance)
    return more


def same_line(evidence: Evidence, copy: Copy) -> Signal | None:
    """Programs of one make play alike, so for bots it is not asked."""
    if evidence.subject.kind == "bot" or copy.finish is None or copy.decibans < LEAST:
        return None
    pause = max(0, evidence.line.started_ms - copy.finish.ended_ms)
    return Signal(
        "same_line",
        "moves",
        points_of(copy.decibans),
        f"Same line as an earlier finish: at {copy.same} of {copy.shared} choices the move was made that the other line makes "
        "next, among them moves that few would make. It may be copied from a replay or from another player; two players of "
        "one school can also think alike.",
        {
            "attempt_id": copy.finish.attempt_id,
            "shared": copy.shared,
            "same": copy.same,
            "plies": list(copy.unusual),
            "minutes_after": round(pause / 60_000, 1),
        },
    )
