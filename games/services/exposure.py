"""Who has asked for a hint at a list of cards, or for its analysis, and plays it as practice from then on (R8.1)."""

from __future__ import annotations

import datetime as dt

from django.db import transaction

from games.errors import Conflict, NotSignedIn
from games.models import DealExposure, Player
from games.retry import repeat_once
from games.selectors.exposure import deal_exposed, ranked_running


def check_none_ranked(*, player_id: int, deal_id: int, now: dt.datetime, except_id: int | None = None) -> None:
    """Raises Conflict `finish_first`, `data.attempt` naming the ranked attempt that still runs.

    Its being ranked was fixed at its start (R8.1), so help is not to be had before its end.
    """
    running = ranked_running(player_id=player_id, deal_id=deal_id, now=now, except_id=except_id)
    if running is not None:
        raise Conflict(
            "finish_first",
            "You have a ranked attempt at these cards that is not over. Finish or resign it first.",
            attempt=running.public_id,
        )


@repeat_once
def exposure_record(*, player_id: int, deal_id: int, now: dt.datetime) -> None:
    """Write down that the player is about to get help at these cards. To be called before the help is sent.

    Locks the player's row, as a start does: a start either comes before and is seen here, or comes after and is
    practice. Nothing to lock for who is exposed already: all their attempts since are practice. Safe to repeat.
    Raises Conflict `finish_first`, NotSignedIn (deleted meanwhile).
    """
    if deal_exposed(player_id=player_id, deal_id=deal_id):
        return
    with transaction.atomic(durable=True):
        _lock_player(player_id)
        check_none_ranked(player_id=player_id, deal_id=deal_id, now=now)
        row = DealExposure(player_id=player_id, deal_id=deal_id, at=now)
        DealExposure.objects.bulk_create([row], ignore_conflicts=True)


def _lock_player(player_id: int) -> None:
    if Player.objects.select_for_update(no_key=True).filter(pk=player_id, deleted_at=None).first() is None:
        raise NotSignedIn
