"""Honest players of five strengths. They choose by what they have seen alone, each with habits and slips of their own."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from games.engine.cards import FITS, Card
from games.engine.layout import BIT, COVER_MASK, COVERS, OPEN_TEST, SLOTS, turned_up
from games.engine.moves import DRAW, Move

from .fairplay_rollouts import imagined_worths
from .fairplay_sight import Seen, Weights, softened

Strength = Literal["beginner", "first fit", "greedy", "careful", "expert"]
STRENGTHS: Final[tuple[Strength, ...]] = ("beginner", "first fit", "greedy", "careful", "expert")
SAMPLES: Final = 200
"""Orders of the hidden cards that the expert imagines at each choice."""


@dataclass(frozen=True, slots=True)
class Habits:
    """One person's way to play: the same in every attempt."""

    strength: Strength
    side: float
    """Left to right (above 0) or right to left."""
    liking: tuple[float, ...]
    """Of each slot, for no reason."""
    temperature: float
    """How much worse a move may look and still be played."""
    lapse: float
    """How often anything at all is played."""
    turning: float
    """What a card turned up is worth to this person."""
    chain: float
    """What a card more in a row is worth."""
    depth: int
    """Plies looked ahead."""
    counting: float
    """What a card not seen yet that would fit is worth."""
    patience: float
    """How bad the best card must be to draw instead."""
    samples: int = SAMPLES


def new_habits(strength: Strength, choose: random.Random, samples: int = SAMPLES) -> Habits:
    """A person of this strength."""
    careful = strength in ("careful", "expert")
    return Habits(
        strength,
        side=choose.choice((-1, 1, 1)) * choose.uniform(0.2, 1.0),
        liking=tuple(choose.gauss(0, 0.3) for _ in range(SLOTS)),
        temperature={
            "beginner": choose.uniform(0.8, 2.0),
            "first fit": choose.uniform(0.03, 0.1),
            "greedy": choose.uniform(0.12, 0.3),
            "careful": choose.uniform(0.08, 0.25),
            "expert": choose.uniform(0.003, 0.012),
        }[strength],
        lapse={"beginner": 0.1, "first fit": 0.04, "greedy": 0.03, "careful": 0.015, "expert": 0.005}[strength],
        turning=choose.uniform(0.7, 1.3),
        chain=choose.uniform(0.3, 0.9) if careful else 0.0,
        depth=choose.randint(3, 6) if careful else 0,
        counting=choose.uniform(0.0, 0.06) if careful else 0.0,
        patience=choose.uniform(1.2, 2.5),
        samples=samples,
    )


class Honest:
    """A person at one attempt."""

    def __init__(self, habits: Habits, choose: random.Random, told: Mapping[int, Card] | None = None) -> None:
        self.habits = habits
        self._choose = choose
        self._told: Mapping[int, Card] = told or {}
        """Cards by their place in the deal that somebody else has turned up: empty for the honest."""

    def stops(self, seen: Seen) -> bool:
        return False

    def weigh(self, seen: Seen) -> Weights:
        return Weights(self.probabilities(seen))

    def probabilities(self, seen: Seen) -> list[float]:
        if len(seen.options) == 1:
            return [1.0]
        habits = self.habits
        scores = self._liking(seen)
        if habits.strength == "beginner":
            return self._with_draw(seen, softened(scores, habits.temperature, habits.lapse), 0.03)
        if habits.strength == "first fit":
            return self._with_draw(seen, softened(scores, habits.temperature, habits.lapse), 0.01)
        scores = [score * 0.1 + more for score, more in zip(scores, self._looks(seen), strict=True)]
        if habits.strength == "expert":
            chances = self._chances(seen)
            scores = [chance + 0.01 * score for chance, score in zip(chances, scores, strict=True)]
        return softened(scores, habits.temperature, habits.lapse)

    def _liking(self, seen: Seen) -> list[float]:
        habits = self.habits
        return [0.0 if move == DRAW else habits.liking[move] - habits.side * _ACROSS[move] for move in seen.options]

    @staticmethod
    def _with_draw(seen: Seen, weights: Sequence[float], share: float) -> list[float]:
        """Draws while a card fits come with this share, whatever they look like."""
        if seen.options[-1] != DRAW:
            return list(weights)
        rest = sum(weights[:-1])
        return [(1 - share) * weight / rest for weight in weights[:-1]] + [share]

    def _looks(self, seen: Seen) -> list[float]:
        """How good each option looks: what it turns up, how the run may go on over open cards, what may come."""
        habits = self.habits
        found = []
        unseen = _unseen(seen) if habits.counting else ()
        for move in seen.options:
            if move == DRAW:
                found.append(-habits.patience)
                continue
            score = habits.turning * turned_up(seen.removed, move)
            if habits.depth:
                follow = _Follow(seen, habits)
                score += follow.best(seen.removed | BIT[move], seen.cards[move], habits.depth)
            if unseen:
                rank = seen.cards[move] % 13
                score += habits.counting * (unseen[(rank + 1) % 13] + unseen[rank - 1])
            found.append(score)
        return found

    def _chances(self, seen: Seen) -> list[float]:
        """What each option comes to on average over imagined orders of the hidden cards."""
        return imagined_worths(seen, self._told, self.habits.samples, self._choose.getrandbits(31))


def _unseen(seen: Seen) -> list[int]:
    """How many cards of each rank have not been seen yet."""
    counts = [4] * 13
    for card in seen.known:
        if card < 52:
            counts[card % 13] -= 1
    return counts


class _Follow:
    """The best run over the cards that lie open now: what is under them cannot be known."""

    def __init__(self, seen: Seen, habits: Habits) -> None:
        self._fits = FITS[seen.ruleset.joined]
        self._cards = tuple(seen.cards.items())
        self._habits = habits
        self._found: dict[tuple[int, Card, int], float] = {}

    def best(self, removed: int, top: Card, depth: int) -> float:
        key = (removed, top % 13, depth)
        known = self._found.get(key)
        if known is not None:
            return known
        row = self._fits[top]
        most = 0.0
        for slot, card in self._cards:
            if row[card] and removed & OPEN_TEST[slot] == COVER_MASK[slot]:
                gain = self._habits.chain + 0.5 * self._habits.turning * _turned(removed | BIT[slot], slot)
                if depth > 1:
                    gain += 0.9 * self.best(removed | BIT[slot], card, depth - 1)
                most = max(most, gain)
        self._found[key] = most
        return most


@lru_cache(maxsize=200_000)
def _turned(after: int, slot: int) -> int:
    return sum(after & COVER_MASK[under] == COVER_MASK[under] for under in COVERS[slot])


def _across() -> tuple[float, ...]:
    """How far right each slot lies, -1 to 1."""
    places: dict[Move, float] = {slot: float(slot - 18) for slot in range(18, 28)}
    for slot in range(17, -1, -1):
        over = [other for other in range(SLOTS) if slot in COVERS[other]]
        places[slot] = sum(places[other] for other in over) / 2
    return tuple(places[slot] / 4.5 - 1 for slot in range(SLOTS))


_ACROSS: Final = _across()
