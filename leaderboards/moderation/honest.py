"""What an honest player can know of a choice: features of its moves that are seen from the table, hidden cards left out.

`chances` says how likely each move is to be a best one, given only those. It was fitted once to random deals (see
honest_weights); nothing here looks at a face-down card.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from games.engine.cards import JOKER, Card
from games.engine.layout import BIT, COVERS, SLOTS, TIPS_MASK, open_slots, turned_up
from games.engine.moves import DRAW
from games.engine.rulesets import Ruleset

from .choices import Decision
from .honest_weights import HIDDEN, HIDDEN_BIAS, OUTPUT, OUTPUT_BIAS

DEEPEST: Final = 5
"""How many removes ahead a run through cards already seen is followed."""


@lru_cache(maxsize=1)
def _beneath() -> tuple[int, ...]:
    """For each slot, the mask of all slots that it helps to cover."""
    masks = [0] * SLOTS
    for slot in range(SLOTS):
        for under in COVERS[slot]:
            masks[slot] |= BIT[under] | masks[under]
    return tuple(masks)


def _row(slot: int) -> int:
    return 0 if slot >= 18 else 1 if slot >= 9 else 2 if slot >= 3 else 3


class _Table:
    """What is seen at one decision."""

    def __init__(self, ruleset: Ruleset, cards: Sequence[Card], removed: int, drawn: int) -> None:
        self.joined = ruleset.joined
        self.open = open_slots(removed)
        seen = range(SLOTS) if ruleset.faces_up else self.open
        self.rank = {slot: 13 if cards[slot] == JOKER else cards[slot] % 13 for slot in self.open}
        known = [cards[slot] for slot in range(SLOTS) if removed & BIT[slot]]
        known += [cards[slot] for slot in seen if not removed & BIT[slot]]
        known += cards[SLOTS : ruleset.stock_start + drawn]
        self.unseen = [4.0] * 13
        for card in known:
            if card != JOKER:
                self.unseen[card % 13] -= 1
        self.hidden = max(1.0, sum(self.unseen))

    def near(self, one: int, other: int) -> bool:
        step = abs(one - other)
        return one == 13 or other == 13 or step == 1 or (step == 12 and self.joined)

    def chance(self, rank: int) -> float:
        """The share of unseen cards that fit this rank."""
        if rank == 13:
            return 1.0
        sides = [rank - 1, rank + 1]
        if self.joined:
            sides = [side % 13 for side in sides]
        return sum(self.unseen[side] for side in sides if 0 <= side < 13) / self.hidden

    def run(self, rank: int, used: int, depth: int = 0) -> int:
        """The longest run through open cards from this rank."""
        best = 0
        for slot in self.open:
            if not used & BIT[slot] and self.near(rank, self.rank[slot]):
                best = max(best, 1 + (self.run(self.rank[slot], used | BIT[slot], depth + 1) if depth < DEEPEST else 0))
                if best > DEEPEST - depth:
                    break
        return best


FEATURES: Final = (
    "draw", "up1", "up2", "tip", "row1", "row2", "row3", "follow", "run", "run_less", "up_less", "draw_fits", "draw_run",
    "draw_up", "draw_stock", "twins", "beneath", "beneath_less", "chance", "up_chance", "draw_left", "options", "run0", "last_peak",
)  # fmt: skip


def features(ruleset: Ruleset, cards: Sequence[Card], decision: Decision) -> list[list[float]]:
    """A row for each move, in the order of FEATURES."""
    choice = decision.choice
    removed = choice.removed
    table = _Table(ruleset, cards, removed, choice.drawn)
    stock_left = ruleset.stock_size - choice.drawn
    left = SLOTS - removed.bit_count()
    beneath_masks = _beneath()
    seen = []
    for move in choice.moves:
        if move == DRAW:
            seen.append((0, 0, 0, 0, 0.0))
        else:
            rank = table.rank[move]
            follow = sum(slot != move and table.near(rank, table.rank[slot]) for slot in table.open)
            beneath = (beneath_masks[move] & ~removed).bit_count()
            seen.append((turned_up(removed, move), table.run(rank, BIT[move]), follow, beneath, table.chance(rank)))
    most_up = max(each[0] for each in seen)
    most_run = max(each[1] for each in seen)
    most_beneath = max(each[3] for each in seen)
    fitting = sum(move != DRAW for move in choice.moves)
    peaks_left = 3 - (removed & TIPS_MASK).bit_count()
    rows = []
    for move, (up, run, follow, beneath, chance) in zip(choice.moves, seen, strict=True):
        if move == DRAW:
            row = [
                1.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, min(fitting, 4) / 2, most_run / 4, float(most_up), stock_left / 24,
                0, 0, 0, 0, 0, left / 28, math.log(len(choice.moves)), 0, 0,
            ]  # fmt: skip
        else:
            height = _row(move)
            twins = sum(slot != move and table.rank[slot] == table.rank[move] for slot in table.open)
            row = [
                0.0, float(up == 1), float(up == 2), float(height == 3), float(height == 1), float(height == 2),
                float(height == 3 and peaks_left == 1), min(follow, 3) / 2, run / 4, (run - most_run) / 4,
                float(up - most_up), 0, 0, 0, 0, min(twins, 2), beneath / 6, (beneath - most_beneath) / 6, chance * 4,
                up * chance * 4, 0, math.log(len(choice.moves)), float(run == 0), float(peaks_left == 1),
            ]  # fmt: skip
        rows.append(row)
    return rows


_HIDDEN: Final = np.array(HIDDEN)
_HIDDEN_BIAS: Final = np.array(HIDDEN_BIAS)
_OUTPUT: Final = np.array(OUTPUT)
_OUTPUT_BIAS: Final = np.array(OUTPUT_BIAS)
LEAST_CHANCE: Final = 0.02


def chances(
    ruleset: Ruleset, cards: Sequence[Card], made: Sequence[Decision]
) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """For each decision: how likely each of its moves is to be a best one, and to keep the win, from what is seen.

    Given that the moves differ at all in it. LEAST_CHANCE to 1 - LEAST_CHANCE.
    """
    return chances_of([features(ruleset, cards, decision) for decision in made])


def chances_of(rows: Sequence[list[list[float]]]) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """`chances` of decisions whose `features` are there already."""
    if not rows:
        return []
    inputs = np.array([row for each in rows for row in each])
    found = 1 / (1 + np.exp(-(np.tanh(inputs @ _HIDDEN + _HIDDEN_BIAS) @ _OUTPUT + _OUTPUT_BIAS)))
    found = np.clip(found, LEAST_CHANCE, 1 - LEAST_CHANCE)
    answers, at = [], 0
    for each in rows:
        best, win = found[at : at + len(each)].T.tolist()
        answers.append((tuple(best), tuple(win)))
        at += len(each)
    return answers
