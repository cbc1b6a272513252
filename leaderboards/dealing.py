"""Choosing the deal of a daily with the exact solver (R9.1), before anybody can play it.

The one place of `leaderboards` that shows sealed cards to the solver. What it finds is stored as sealed as the deal, and
published with it (R9.3); nothing asks the solver about a deal once it is committed.
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass, field
from typing import Final

from games.engine.cards import Card
from games.engine.codes import GameCode, sealed_code
from games.engine.deals import deal_cards
from games.engine.rulesets import find_ruleset
from games.solver.exact import analyse, winnable
from games.solver.playouts import difficulty

logger = logging.getLogger(__name__)

DRAWS: Final = 1_000
"""How many winnable deals are looked at for one of the wanted difficulty (about 4 ms each)."""


@dataclass(frozen=True, slots=True)
class DailyDeal:
    """A sealed deal that can be won, and what the solver says of it; all secret, so the repr shows nothing (R10.1)."""

    code: GameCode = field(repr=False)
    cards: tuple[Card, ...] = field(repr=False)
    difficulty: float = field(repr=False)
    best_score: int = field(repr=False)
    best_moves: int = field(repr=False)


def daily_deal(letters: str, wanted: tuple[float, float]) -> DailyDeal:
    """Draw codes of 128 secret random bits (R7.8) until one can be won and is as difficult as `wanted` (low, high).

    Where none of `DRAWS` winnable deals is, the nearest of them is taken: a day without a daily would be worse. The best
    result is that of the ruleset's ranking (R8.2, R8.3). Some ms; a tenth of a second more for the `runs` score.
    """
    ruleset = find_ruleset(letters)
    low, high = wanted
    nearest: tuple[float, float, GameCode, tuple[Card, ...]] | None = None
    looked_at = 0
    while looked_at < DRAWS:
        code = sealed_code(ruleset, secrets.token_bytes(16))
        cards = deal_cards(code)
        if not winnable(ruleset, cards)[0]:
            continue
        looked_at += 1
        found = difficulty(ruleset, cards)
        away = max(low - found, found - high, 0.0)
        if nearest is None or away < nearest[0]:
            nearest = (away, found, code, cards)
        if away == 0:
            break
    assert nearest is not None
    away, found, code, cards = nearest
    if away:
        logger.warning("No deal of difficulty %s to %s was found for a daily; the nearest is taken.", low, high)
    best = analyse(ruleset, cards, (), undo_allowed=False)[0].best
    assert best is not None
    return DailyDeal(code, cards, found, best.score, best.moves)
