"""Notices: what a player is told about decisions, kept until the account is gone."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import BooleanField, DateTimeField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce
from django.db.models.lookups import GreaterThan, LessThanOrEqual

from games.errors import NotFound
from games.retry import repeat_once
from games.services.passwords import is_banned

from .action_state import State, Whose
from .models import Exclusion, ModeratorAction, Notice

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


# --- whether a decision stands -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Coming:
    """An act that the log does not have yet: what it leaves of whose parts, and the action that it takes back."""

    whose: Whose
    parts: State
    now: dt.datetime
    reverted: ModeratorAction | None = None


def undone(by: Coming | None = None) -> Q:
    """The notices (their condition) of decisions that stand no more, by any act in the log; or that `by` would undo.

    A decision is undone by the act that takes it back, and what is a part of a state by any later act that leaves the
    part without it, or with a ban that had run out by then. What comes after that is told in a notice of its own. A ban
    that has run out by its date is not undone by what comes later, nor is one that another replaces.
    """
    if by is None:
        found = Q(Exists(ModeratorAction.objects.filter(reverts=OuterRef("action"))))
    else:
        found = Q(action=by.reverted) if by.reverted is not None else Q(pk__in=[])
    for part, kind in PARTS_DECIDED.items():
        found |= Q(kind=kind) & (_ended(part) if by is None else _ends(part, by))
    return found


def _ended(part: str) -> Q:
    later = ModeratorAction.objects.filter(_left_without(part), id__gt=OuterRef("action"))
    later = later.filter(**{name: OuterRef(f"action__{name}") for name in _subject(part)})
    return Q(Exists(later.filter(GreaterThan(_end(OuterRef("action__after")), F("at"))) if part == "ban" else later))


def _ends(part: str, by: Coming) -> Q:
    if part not in by.parts or _against(by.parts[part], by.now):
        return Q(pk__in=[])
    about = Q(**{f"action__{name}": getattr(by.whose, name) for name in _subject(part)})
    return about & Q(GreaterThan(_end(F("action__after")), Value(by.now))) if part == "ban" else about


def _subject(part: str) -> list[str]:
    """What an act and the decision that it ends are both about."""
    return ["player", "attempt"] if part == "exclusion" else ["player"]


def _left_without(part: str) -> Q:
    """What `_against` denies, of actions in the log."""
    without = Q(**{f"after__{part}": None})
    if part == "ban":
        without |= Q(LessThanOrEqual(_end(F("after")), F("at")))
    return without | Q(after__exclusion__kind=Exclusion.Kind.HELD) if part == "exclusion" else without


def _against(part: State | None, now: dt.datetime) -> bool:
    """Whether a part is a decision against the player; what is held has not been decided yet, and a ban that has run out
    can come back when the one that had replaced it is taken back.
    """
    return part is not None and part.get("kind") != Exclusion.Kind.HELD and not has_run_out(part, now)


def has_run_out(part: State | None, now: dt.datetime) -> bool:
    """Whether a part is a ban whose end has passed."""
    until = part.get("banned_until") if part else None
    return until is not None and dt.datetime.fromisoformat(until) <= now


def _end(after: F) -> Coalesce:
    """When the ban ends that this state says; of one for good, at the end of all times."""
    until = KeyTextTransform("banned_until", KeyTransform("ban", after))
    return Coalesce(Cast(until, DateTimeField()), Value(dt.datetime.max.replace(tzinfo=dt.UTC)))


def ban_end(notice: Notice) -> dt.datetime | None:
    """When the ban that a notice tells of ends: as it was decided, whatever has come since."""
    ban = notice.action.after.get("ban") if notice.kind == Notice.Kind.BANNED else None
    until = ban.get("banned_until") if ban else None
    return dt.datetime.fromisoformat(until) if until else None


def is_over(notice: Notice, now: dt.datetime) -> bool:
    """Whether nothing is left of a ban: its end has passed, or that of the one which has replaced it."""
    if notice.kind != Notice.Kind.BANNED:
        return False
    return has_run_out(notice.action.after.get("ban"), now) or not is_banned(notice.player, now)


def with_standing(notices: QuerySet[Notice]) -> QuerySet[Notice]:
    """With `undone`: whether the decision stands no more."""
    return notices.annotate(undone=ExpressionWrapper(undone(), BooleanField()))


def is_undone(notice: Notice) -> bool:
    """The same of one notice; under its lock no action undoes its decision meanwhile (`appeals.appeals_settle`)."""
    return bool(with_standing(Notice.objects.filter(pk=notice.pk)).values_list("undone", flat=True)[0])  # type: ignore[misc]


# --- a player's own ------------------------------------------------------------------------------------------------


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
