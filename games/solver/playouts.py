"""Simple play-outs: how often a deal loses to players who do not think ahead. A measure of difficulty, not a solver.

Two kinds: *first fit* plays the first card that fits, going through the slots in an order of its own; *greedy* plays the
card that turns up most others. Both draw only when no card fits. The orders come from fixed seeds, so that a deal has one
difficulty, on every machine: anybody can check a published one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from games.engine.cards import FITS, NO_CARD, Card
from games.engine.deals import shuffle, splitmix64
from games.engine.layout import ALL_REMOVED, BIT, SLOTS, open_slots, turned_up
from games.engine.position import check_deck
from games.engine.rulesets import Ruleset

PLAY_OUTS: Final = 100
"""Half of them first fit, half greedy."""


@lru_cache(maxsize=1)
def _orders() -> tuple[tuple[int, ...], ...]:
    """For each pair of play-outs, the place of every slot in the order that its player goes by (seeds 1 to 50)."""
    return tuple(shuffle(tuple(range(SLOTS)), splitmix64(seed)) for seed in range(1, PLAY_OUTS // 2 + 1))


def play_out(ruleset: Ruleset, cards: Sequence[Card], order: Sequence[int], *, greedy: bool) -> bool:
    """Whether such a player wins. ``order[slot]``: lower is preferred, among the best cards where ``greedy``."""
    fits = FITS[ruleset.joined]
    top = NO_CARD if ruleset.waste_starts_empty else cards[SLOTS]
    stock = iter(cards[ruleset.stock_start :])
    removed = 0
    while removed != ALL_REMOVED:
        row = fits[top]
        fitting = [slot for slot in open_slots(removed) if row[cards[slot]]]
        if fitting:
            if len(fitting) == 1:
                slot = fitting[0]
            elif greedy:
                slot = min(fitting, key=lambda slot: (-turned_up(removed, slot), order[slot]))
            else:
                slot = min(fitting, key=order.__getitem__)
            top = cards[slot]
            removed |= BIT[slot]
        else:
            drawn = next(stock, None)
            if drawn is None:
                return False
            top = drawn
    return True


def difficulty(ruleset: Ruleset, cards: Sequence[Card]) -> float:
    """The share of `PLAY_OUTS` simple play-outs that lose: 0 (easy) to 1. Raises `InvalidCards` for a wrong deck."""
    deal = check_deck(ruleset, cards)
    lost = sum(not play_out(ruleset, deal, order, greedy=greedy) for order in _orders() for greedy in (False, True))
    return lost / PLAY_OUTS
