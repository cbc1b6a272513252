"""The simulated season's table: what a player sees at each choice, and one attempt from the first card to the last.

Whoever plays, honest or not, is handed a `Seen`: made from `games.engine.visibility.view` and from what the same player
has seen before, nothing else. A cheat brings the rest along from elsewhere.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from games.engine.cards import CARD_TEXTS, FITS, NO_CARD, Card
from games.engine.layout import BIT, turned_up
from games.engine.moves import DRAW, Move
from games.engine.position import start
from games.engine.rulesets import Ruleset
from games.engine.visibility import View, view

CARD_OF: Final = {text: card for card, text in enumerate(CARD_TEXTS)}


@dataclass(frozen=True, slots=True)
class Seen:
    """One choice as its player sees it."""

    ruleset: Ruleset
    ply: int
    removed: int
    """Bit mask of the slots that are empty."""
    open: tuple[int, ...]
    cards: dict[int, Card]
    """The cards that lie face up in the tableau, by slot."""
    top: Card
    """On the waste; `NO_CARD` when it is empty."""
    stock: int
    options: tuple[Move, ...]
    """The moves that the rules allow: slots ascending, then draw."""
    known: frozenset[Card]
    """Every card that this player has seen in this attempt so far."""

    @property
    def drawn(self) -> int:
        return self.ruleset.stock_size - self.stock


def seen_of(shown: View, ruleset: Ruleset, ply: int, before: frozenset[Card]) -> Seen:
    """What the player makes of a view; ``before`` is what was seen earlier."""
    removed = 0
    cards: dict[int, Card] = {}
    for slot, text in enumerate(shown.tableau):
        if text is None:
            removed |= BIT[slot]
        elif text in CARD_OF:
            cards[slot] = CARD_OF[text]
    top = NO_CARD if shown.waste is None else CARD_OF[shown.waste]
    row = FITS[ruleset.joined][top]
    options = [slot for slot in shown.open if row[cards[slot]]]
    if shown.stock:
        options.append(DRAW)
    known = before.union(cards.values(), () if top == NO_CARD else (top,))
    return Seen(ruleset, ply, removed, shown.open, cards, top, shown.stock, tuple(options), known)


@dataclass(frozen=True, slots=True)
class Weights:
    """How a mind chooses: a probability for each option."""

    does: Sequence[float]
    honest: Sequence[float] | None = None
    """What the same person would do without what it must not know; None for those who play honestly."""
    guess: Sequence[float] | None = None
    """What somebody who knows how this cheat works expects it to do, where that is not `does`."""


class Mind(Protocol):
    """Somebody at the table, for one attempt."""

    def weigh(self, seen: Seen) -> Weights: ...

    def stops(self, seen: Seen) -> bool:
        """Give up here?"""
        ...


@dataclass(frozen=True, slots=True)
class Ply:
    """What a move's time depends on."""

    options: int
    draw: bool
    turned: int
    """Cards that the move before has turned up."""
    place: int
    """Of the chosen card among the open ones, from 0; a draw comes last."""
    run: int
    """Cards removed since the last draw, before this move."""
    needs: int
    """How many plies the server must have answered before anybody could think of this one: a card that was turned up
    or drawn is not seen earlier."""


@dataclass(frozen=True, slots=True)
class Played:
    """An attempt without its times."""

    log: tuple[Move, ...]
    plies: tuple[Ply, ...]
    outcome: str
    """won, stuck or resigned."""
    score: int
    known: frozenset[Card]
    """Every card its player has seen."""
    likelier: float
    """Natural log of how much likelier the choices are for the cheat than for its honest self; 0 for the honest."""
    choices: int
    """Plies with more than one option."""


def play(ruleset: Ruleset, cards: tuple[Card, ...], mind: Mind, choose: random.Random) -> Played:
    """One attempt without undo."""
    position = start(ruleset, cards, undo_allowed=False)
    known: frozenset[Card] = frozenset()
    plies: list[Ply] = []
    turned = choices = drawn_at = 0
    shown_at: dict[int, int] = {}
    likelier = 0.0
    outcome = ""
    while not outcome:
        seen = seen_of(view(position), ruleset, position.ply + 1, known)
        known = seen.known
        if mind.stops(seen):
            outcome = "resigned"
            break
        weights = mind.weigh(seen)
        at = 0
        if len(seen.options) > 1:
            choices += 1
            at = pick(weights.does, choose)
            if weights.honest is not None:
                expected = weights.does if weights.guess is None else weights.guess
                likelier += math.log(expected[at]) - math.log(max(weights.honest[at], 1e-12))
        move = seen.options[at]
        place = len(seen.open) if move == DRAW else seen.open.index(move)
        here = len(plies)
        for slot in seen.cards.keys() - shown_at.keys():
            shown_at[slot] = here
        needs = max(drawn_at, max(shown_at.values()) if move == DRAW else shown_at[move])
        plies.append(Ply(len(seen.options), move == DRAW, turned, place, position.run, needs))
        if move == DRAW:
            drawn_at = here + 1
        turned = 0 if move == DRAW else turned_up(position.removed, move)
        position = position.play(move)
        outcome = position.outcome or ""
    return Played(position.line, tuple(plies), outcome, position.score, known, likelier, choices)


def pick(weights: Sequence[float], choose: random.Random) -> int:
    """An index with these probabilities."""
    left = choose.random() * math.fsum(weights)
    last = 0
    for at, weight in enumerate(weights):
        if weight > 0:
            last = at
            left -= weight
            if left < 0:
                return at
    return last


def softened(scores: Sequence[float], temperature: float, lapse: float = 0.0) -> list[float]:
    """Probabilities: mostly the highest score, now and then any option."""
    most = max(scores)
    grown = [math.exp((score - most) / temperature) for score in scores]
    total = math.fsum(grown)
    return [(1 - lapse) * one / total + lapse / len(scores) for one in grown]
