"""Which deals must stay closed for now."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from games.engine.cards import Card
from games.engine.layout import BOTTOM_ROW
from games.models import Deal


def deal_looks_sealed(cards: Sequence[Card], now: dt.datetime) -> bool:
    """Whether a deal opens like one of a competition that is not final.

    Judged by the bottom row, which everybody may see by starting that competition. Were only the very deal refused, who
    lacks the last few cards of it could compose their orders one by one, and the refusal would tell them (R10.1).
    """
    row = slice(BOTTOM_ROW.start, BOTTOM_ROW.stop)
    sealed = Deal.objects.filter(sealed_until__gt=now).values_list("cards", flat=True)  # a week of dailies
    return any(tuple(other)[row] == tuple(cards)[row] for other in sealed)
