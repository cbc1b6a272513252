"""Who has been helped at which cards, and who still has a ranked attempt at them (R8.1)."""

from __future__ import annotations

import datetime as dt
from typing import Any

from games.errors import NotFound
from games.models import Attempt, DealExposure
from games.selectors.attempts import progress_of


def deal_exposed(*, player_id: int, deal_id: int) -> bool:
    """Whether this player has asked. To decide by it, hold the player row's lock (as `attempt_start` does)."""
    return DealExposure.objects.filter(player_id=player_id, deal_id=deal_id).exists()


def ranked_running(*, player_id: int, deal_id: int, now: dt.datetime, except_id: int | None = None) -> Attempt | None:
    """A ranked attempt of the player at these cards that can still be moved, a stuck one that can be undone included."""
    rows = Attempt.objects.filter(player_id=player_id, deal_id=deal_id, ranked=True, closed_at=None)
    return next((row for row in rows if row.pk != except_id and not progress_of(row, now).closed), None)


def help_standing(*, public_id: str, player_id: int, now: dt.datetime) -> dict[str, Any]:
    """How a player stands to the cards of somebody's attempt: `{"exposed", "running"}`, the latter a public id or None."""
    deal_id = Attempt.objects.filter(public_id=public_id).values_list("deal_id", flat=True).first()
    if deal_id is None:
        raise NotFound
    running = ranked_running(player_id=player_id, deal_id=deal_id, now=now)
    return {
        "exposed": deal_exposed(player_id=player_id, deal_id=deal_id),
        "running": running.public_id if running else None,
    }
