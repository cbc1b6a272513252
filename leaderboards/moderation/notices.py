"""Notices: what a player is told about decisions, kept until the account is gone."""

from __future__ import annotations

import datetime as dt

from django.db import transaction
from django.db.models import Q

from games.errors import NotFound
from games.retry import repeat_once

from .models import ModeratorAction, Notice

APPEALABLE = frozenset(
    {
        Notice.Kind.DISQUALIFIED,
        Notice.Kind.WARNED,
        Notice.Kind.BANNED,
        Notice.Kind.HIDDEN,
        Notice.Kind.MERGED,
    }
)
"""Decisions against a player. What is under review has not been decided yet: a moderator looks without being asked."""


def notice_add(
    *, action: ModeratorAction, kind: Notice.Kind, words: str, now: dt.datetime, player_id: int | None = None
) -> Notice:
    """Tell a player (by default the action's) of an action. In the transaction of the action."""
    return Notice.objects.create(
        player_id=player_id or action.player_id,
        action=action,
        kind=kind,
        reason_class=action.reason_class,
        attempt=action.attempt,
        words=words,
        at=now,
    )


def notices_of(player_id: int) -> Q:
    """A player's own notices and those of the player's bots, whom nobody else could tell."""
    return Q(player_id=player_id) | Q(player__owner_id=player_id)


@repeat_once
def notices_read(*, player_id: int, newest: str, now: dt.datetime) -> int:
    """Mark this notice and all older ones as read; how many were not. One that has come since stays unread.

    The rows' own locks are enough. Safe to repeat. Raises NotFound for a notice that is not the player's.
    """
    with transaction.atomic(durable=True):
        last = Notice.objects.filter(notices_of(player_id), public_id=newest).values_list("id", flat=True).first()
        if last is None:
            raise NotFound
        return Notice.objects.filter(notices_of(player_id), id__lte=last, read_at=None).update(read_at=now)
