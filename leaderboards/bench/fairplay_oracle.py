"""All hidden cards at once: what every state of one order of cards is worth, by the exact solver's sweep.

Only cheats ask it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from games.engine.cards import Card
from games.engine.layout import BIT, SLOTS
from games.engine.moves import DRAW
from games.engine.rulesets import RULESETS, Ruleset
from games.solver.linear import won_worth
from games.solver.sweeps import settled
from games.solver.tables import LONGEST_LINE, Array, board_of, rank_of, shapes

from .fairplay_sight import Seen

WIN: Final = 100
"""Worth of the least win: each draw less is one more."""


@lru_cache(maxsize=1)
def _stuck() -> Array:
    """Worth of being stuck in a shape: peaks, then cards removed."""
    table = shapes()
    return (1 + table.peaks * (SLOTS + 1) + table.sizes).astype(np.uint8)


def _rules(ruleset: Ruleset) -> Ruleset:
    """The rules swept for it: a win with few draws is aimed at under every scoring rule."""
    return RULESETS["E" if ruleset.joined else "C"]


def _read(worth: Array, seen: Seen, cards: Sequence[Card]) -> list[int]:
    number = shapes().number
    drawn = seen.drawn
    found = []
    for move in seen.options:
        if move == DRAW:
            rank = rank_of(cards[seen.ruleset.stock_start + drawn])
            found.append(int(worth[number[seen.removed], rank, drawn + 1]))
        else:
            found.append(int(worth[number[seen.removed | BIT[move]], rank_of(cards[move]), drawn]))
    return found


class Oracle:
    """Foreknowledge of one deal: every state's worth, kept."""

    def __init__(self, ruleset: Ruleset, cards: tuple[Card, ...]) -> None:
        self.cards = cards
        board = board_of(_rules(ruleset), cards)
        self._worth: Array = np.empty((shapes().count, 16, 32), dtype=np.uint8)
        settled(board, self._worth, removed=0, won_worth=won_worth(board, LONGEST_LINE), stuck_worth=_stuck())

    def worths(self, seen: Seen) -> list[int]:
        """The worth of each option."""
        return _read(self._worth, seen, self.cards)
