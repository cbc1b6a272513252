"""Notices: what a player is told about decisions, kept until the account is gone."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db import transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

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
PARTS_DECIDED: Final = {
    "exclusion": Notice.Kind.DISQUALIFIED,
    "ban": Notice.Kind.BANNED,
    "hidden": Notice.Kind.HIDDEN,
    "merged": Notice.Kind.MERGED,
}
"""What a player is told of a decision against them that is a part of `action_state`. A warning is none."""


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


def with_standing(notices: QuerySet[Notice]) -> QuerySet[Notice]:
    """With `undone`: whether the decision was taken back, or ended by the act that is its opposite, at any time since.

    What came after that is told in a notice of its own. A ban that has run out was not undone, nor one that another
    has replaced.
    """
    later = ModeratorAction.objects.filter(player=OuterRef("action__player"), id__gt=OuterRef("action"))
    undone = Q(Exists(ModeratorAction.objects.filter(reverts=OuterRef("action"))))
    for part, kind in PARTS_DECIDED.items():
        ended = later.filter(attempt=OuterRef("action__attempt")) if part == "exclusion" else later
        undone |= Q(kind=kind) & Q(Exists(ended.filter(**{f"after__{part}": None})))
    return notices.annotate(undone=ExpressionWrapper(undone, BooleanField()))


def is_undone(notice: Notice) -> bool:
    """The same of one notice; under its lock no action undoes its decision meanwhile (`appeals.appeals_settle`)."""
    return bool(with_standing(Notice.objects.filter(pk=notice.pk)).values_list("undone", flat=True)[0])  # type: ignore[misc]


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
