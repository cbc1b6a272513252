"""Foreknowledge without a model: an attempt's choices held against shuffles of the cards that its player had not seen.

At each telling decision the unseen cards are shuffled among their places and the deal is solved again, as often as the
care taken says (`FIRST`, `FULL`). The real arrangement is one more of these worlds: to an honest player, whatever the
reasons for the move, it is like any other. Who uses hidden cards makes each choice with a chance of (1 - d) x usual +
d x share, where `usual` is this player's own habit (`habits`), d the degree of knowledge, and `share` what of the best
moves' usualness the move has (0 when it is none of them). The factor of a decision is that chance in the real world over
its mean in all worlds, so it averages 1 for every honest way to choose; moves that are odd for their player and yet
right weigh most.

One hidden card may decide several choices. So, in full, each world counts by its factors at the decisions before: what
these have told of the hidden cards is not told again, and the products of an attempt are fair too. A first look leaves
that out: its products may count a card twice, so they decide only whether to look closer. (Hidden cards that are turned
up are shared by all worlds of later decisions.) More worlds are solved for odd moves, which is seen from the table and
the move alone.

Solving costs a tenth of a second an attempt at first and half a second in full (`study`), and is kept by the caller; the
bets on it (`careful_logs`) cost a millisecond and go by the newest habits.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from games.engine.cards import Card
from games.engine.layout import BIT, SLOTS, open_slots
from games.engine.rulesets import Ruleset
from games.solver.options import LEAST_WIN, worths

from .choices import Decision, decisions
from .evidence import Line
from .foreknowledge import DEGREES, Logs, usually
from .habits import Choices, choices_of, usual, without_each

ODD_MOVES: Final = ((0.5, 1), (0.25, 3), (0.0, 6))
"""How usual a move is at least, and how many times as many shuffles it gets: with few of them the real world alone would
hide how rarely an odd move is right."""

Masks = NDArray[np.uint16]
"""(worlds, decisions): bit n for the n-th move; the first world is the real one, the last decision the one told of."""


@dataclass(frozen=True, slots=True)
class Care:
    """How closely an attempt is studied."""

    worlds: int
    """Shuffles of the unseen cards for a telling decision with a usual move."""
    back: int
    """Decisions before, whose factors weigh the worlds."""


FIRST: Final = Care(worlds=4, back=0)
"""Enough to see that there is nothing: of 36 simulated careers of 20 attempts, honest and not, 32 came within 6 decibans of
FULL and all within 13."""
FULL: Final = Care(worlds=16, back=3)


@dataclass(frozen=True, slots=True)
class Told:
    """One telling decision: which moves are good in each world."""

    at: int
    """Index of the decision."""
    best: Masks
    """The best ones."""
    win: Masks | None
    """Those that keep the win. None where all or none do."""


@dataclass(frozen=True, slots=True)
class Studied:
    """An attempt's choices and the worlds they were held against."""

    choices: Choices
    told: tuple[Told, ...]


def study(line: Line, care: Care) -> Studied:
    """Solve the shuffles of an attempt, ``care.worlds`` for each usual move, more for odd ones (ODD_MOVES).

    The attempt's id is the seed, so that the answer is always the same.
    """
    rng = random.Random(line.attempt_id)
    made = list(decisions(line.ruleset, line.cards, line.log))
    real = worths(line.ruleset, line.cards, [decision.choice for decision in made])
    choices = choices_of(line, made)
    told = []
    for at, decision in enumerate(made):
        if min(real[at]) == max(real[at]):
            continue
        first = max(0, at - care.back)
        before = [each.choice for each in made[first : at + 1]]
        values = [real[first : at + 1]]
        usual_here = usually(choices.looks[at], decision.made)
        times = next(times for least, times in ODD_MOVES if usual_here >= least)
        for shuffled in arrangements(line.ruleset, line.cards, decision, rng, care.worlds * times):
            values.append(worths(line.ruleset, shuffled, before))
        keeps = min(real[at]) < LEAST_WIN <= max(real[at])
        told.append(Told(at, _masks(values, _best), _masks(values, _winning) if keeps else None))
    return Studied(choices, tuple(told))


def arrangements(
    ruleset: Ruleset, cards: Sequence[Card], decision: Decision, rng: random.Random, count: int
) -> list[list[Card]]:
    """The deal with the cards that its player had not seen shuffled among their places."""
    removed = decision.choice.removed
    seen = set(range(SLOTS) if ruleset.faces_up else open_slots(removed))
    places = [slot for slot in range(SLOTS) if slot not in seen and not removed & BIT[slot]]
    places += range(ruleset.stock_start + decision.choice.drawn, ruleset.deck_size)
    hidden = [cards[place] for place in places]
    found = []
    for _ in range(count):
        rng.shuffle(hidden)
        dealt = list(cards)
        for place, card in zip(places, hidden, strict=True):
            dealt[place] = card
        found.append(dealt)
    return found


def _best(values: Sequence[int]) -> int:
    most = max(values)
    return sum(BIT[at] for at, value in enumerate(values) if value == most)


def _winning(values: Sequence[int]) -> int:
    """All of them where none keeps the win: nothing is told there."""
    return sum(BIT[at] for at, value in enumerate(values) if value >= LEAST_WIN) or (1 << len(values)) - 1


def _masks(values: Sequence[Sequence[Sequence[int]]], good: Any) -> Masks:
    return np.array([[good(each) for each in world] for world in values], dtype=np.uint16)


def careful_logs(career: Sequence[Studied]) -> list[Logs]:
    """For each attempt of a career the natural logarithms of its factors, by the habits that the other ones show."""
    habits = without_each([studied.choices for studied in career])
    return [_logs(studied, usual(studied.choices, each)) for studied, each in zip(career, habits, strict=True)]


def _logs(studied: Studied, likely: Sequence[NDArray[Any]]) -> Logs:
    sums = np.zeros(2 * len(DEGREES))
    made = studied.choices.made.tolist()
    for told in studied.told:
        for first, masks in ((0, told.best), (len(DEGREES), told.win)):
            if masks is not None:
                sums[first : first + len(DEGREES)] += _factors(masks, told.at, likely, made)
    return tuple(sums.tolist())


def _factors(masks: Masks, at: int, likely: Sequence[NDArray[Any]], made: Sequence[int]) -> NDArray[Any]:
    """The logarithms of one decision's factors, one for each degree."""
    degrees = np.array(DEGREES)
    telling = masks[:, -1] != (1 << len(likely[at])) - 1  # the others tell nothing; the real world does
    masks = masks[telling]
    back = masks.shape[1]
    chances = np.empty((len(masks), back, len(degrees)))
    for column, here in enumerate(range(at - back + 1, at + 1)):
        own = likely[here]
        good = masks[:, column, None] >> np.arange(len(own)) & 1
        share = good[:, made[here]] / (good @ own)
        chances[:, column] = (1 - degrees) + degrees * share[:, None]
    weights = chances[:, :-1].prod(axis=1)
    mean = (weights * chances[:, -1]).sum(axis=0) / weights.sum(axis=0)
    return np.asarray(np.log(chances[0, -1] / mean))
