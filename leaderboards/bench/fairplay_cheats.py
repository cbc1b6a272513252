"""Cheats at the table: each brings along something that it cannot have seen in this attempt."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from games.engine.cards import Card
from games.engine.moves import DRAW, Move
from games.engine.replay import replay
from games.engine.rulesets import Ruleset

from .fairplay_oracle import Oracle
from .fairplay_players import Habits, Honest
from .fairplay_sight import Seen, Weights

CHANGE: Final = 0.04
"""How often somebody who expects a copy expects a change in it."""


class Foreknowing:
    """Knows all hidden cards and uses that at a share of its choices; moves that are as good go by its own habits."""

    def __init__(self, oracle: Oracle, honest: Honest, share: float, *, literal: bool = False) -> None:
        self._oracle = oracle
        self._honest = honest
        self._share = share
        self._literal = literal
        """Of equally good moves the first, as the solver's line has it."""

    def stops(self, seen: Seen) -> bool:
        return False

    def weigh(self, seen: Seen) -> Weights:
        honest = self._honest.probabilities(seen)
        worths = self._oracle.worths(seen)
        most = max(worths)
        best = [at for at, worth in enumerate(worths) if worth == most]
        if self._literal:
            best = best[:1]
        liked = sum(honest[at] for at in best) + 0.01 * len(best)
        knowing = [(honest[at] + 0.01) / liked if at in best else 0.0 for at in range(len(worths))]
        does = [self._share * one + (1 - self._share) * own for one, own in zip(knowing, honest, strict=True)]
        return Weights(does, honest)


def edited(
    ruleset: Ruleset, cards: tuple[Card, ...], source: Sequence[Move], changes: int, choose: random.Random
) -> tuple[Move, ...]:
    """The log with up to so many moves taken out of their place, still playable and as good: who copies checks that."""
    log = tuple(source)
    aim = _ended(ruleset, cards, log)
    for _ in range(changes):
        for _ in range(60):
            at = choose.randrange(1, len(log))
            to = max(0, min(len(log) - 1, at + choose.choice((-6, -4, -3, -2, -1, -1, 1, 2))))
            rest = (*log[:at], *log[at + 1 :])
            tried = (*rest[:to], log[at], *rest[to:])
            if tried != log and _ended(ruleset, cards, tried) == aim:
                log = tried
                break
    return log


def _ended(ruleset: Ruleset, cards: tuple[Card, ...], log: Sequence[Move]) -> tuple[int, int] | None:
    """Cards removed and drawn in the end; None for a log that the rules do not let pass."""
    played = replay(ruleset, cards, log, undo_allowed=False)
    return None if played.error is not None else (played.position.removed, played.position.drawn)


class Copying:
    """Plays a log that somebody else has played, move by move; where it cannot go on, its own way until it can."""

    def __init__(self, log: Sequence[Move], source: Sequence[Move], honest: Honest) -> None:
        self._left = list(log)
        self._source = list(source)
        self._honest = honest

    def stops(self, seen: Seen) -> bool:
        return False

    def weigh(self, seen: Seen) -> Weights:
        honest = self._honest.probabilities(seen)
        for left in (self._left, self._source):
            while left and left[0] != DRAW and seen.removed >> left[0] & 1:
                del left[0]
        expected = self._source[0] if self._source else None
        guess: Sequence[float] = honest
        if expected in seen.options:
            follows = seen.options.index(expected)
            guess = [CHANGE * own + (1 - CHANGE if at == follows else 0.0) for at, own in enumerate(honest)]
        does: Sequence[float] = honest
        if self._left and self._left[0] in seen.options:
            move = self._left[0]
            does = [1.0 if option == move else 0.0 for option in seen.options]
            del self._left[0]
            if move in self._source:
                self._source.remove(move)
        return Weights(does, honest, guess)


class Looking:
    """A throwaway account that turns up as many cards as it can, and may then give up."""

    def __init__(self, honest: Honest, *, gives_up: bool) -> None:
        self._honest = honest
        self._gives_up = gives_up

    def stops(self, seen: Seen) -> bool:
        return self._gives_up and seen.stock == 0

    def weigh(self, seen: Seen) -> Weights:
        return Weights(self._honest.probabilities(seen))


class Told:
    """Plays as well as it can by what it sees and by the cards that its other account has turned up."""

    def __init__(self, habits: Habits, cards: Sequence[Card], known: Collection[Card], choose: random.Random) -> None:
        told: Mapping[int, Card] = {place: card for place, card in enumerate(cards) if card in known}
        self._told = Honest(habits, choose, told)
        self._honest = Honest(habits, choose)

    def stops(self, seen: Seen) -> bool:
        return False

    def weigh(self, seen: Seen) -> Weights:
        return Weights(self._told.probabilities(seen), self._honest.probabilities(seen))
