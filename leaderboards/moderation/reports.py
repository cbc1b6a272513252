"""Reports: a player says that an attempt, or a player, is not fair. Moderators read them beside what the signals found."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Count, Q

from games.errors import Conflict, NotFound
from games.ids import PUBLIC_ID
from games.models import Attempt, Player
from games.retry import repeat_once
from games.selectors.attempts import facts_of, is_public, progress_of

from .cases import case_raise
from .models import Case, HiddenPlayer, Report

POINTS_OF_ACCOUNT: Final = 5
POINTS_OF_GUEST: Final = 1
GUESTS_AT_MOST: Final = 5
"""Guests cost nothing to make, so all of them together weigh as much as one account."""
POINTS_AT_MOST: Final = 20
"""However many report: a crowd brings a case up the queue, and holds nobody."""
TEXT_LONGEST: Final = 1000
_ID = re.compile(PUBLIC_ID)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a report is about: a player, or one attempt of theirs."""

    player_id: int
    attempt: Attempt | None


def report_points(*, accounts: int, guests: int) -> int:
    """What so many reporters of either kind add to the severity of a case."""
    return min(POINTS_AT_MOST, accounts * POINTS_OF_ACCOUNT + min(GUESTS_AT_MOST, guests * POINTS_OF_GUEST))


@repeat_once
def report_make(
    *,
    reporter_id: int,
    attempt_id: str | None = None,
    player_id: str | None = None,
    reason_class: str,
    text: str,
    now: dt.datetime,
) -> Report:
    """Report an attempt, or else a player, by public id. A repeat changes reason and text, and weighs no more.

    The reporter's row is locked first (two reports of one player come one after the other), then the case by
    `case_raise`. Raises NotFound for what the reporter may not see (unknown, hidden, deleted, running, sealed), alike;
    Conflict `own_report` for oneself, one's bots and their attempts.
    """
    with transaction.atomic(durable=True):
        reporter = Player.objects.select_for_update(no_key=True).get(pk=reporter_id)
        subject = _attempt(attempt_id, reporter, now) if attempt_id is not None else _player(player_id or "", reporter)
        known = Report.objects.select_related("case").filter(
            reporter=reporter, case__attempt=subject.attempt, case__player_id=subject.player_id
        )
        report = known.first()
        if report is not None:
            report.reason_class, report.text, report.at = reason_class, text, now
            report.save(update_fields=["reason_class", "text", "at"])
            return report
        return _add(reporter, subject, reason_class, text, now)


def _add(reporter: Player, subject: Subject, reason_class: str, text: str, now: dt.datetime) -> Report:
    """One more reporter; the case is raised by what that adds. Assumes the reporter's lock."""
    case = case_raise(
        attempt=subject.attempt,
        player_id=subject.player_id,
        severity=0,
        reasons=["report"],
        now=now,
        reported=True,
    )
    before = _points(case)
    report = Report.objects.create(reporter=reporter, case=case, reason_class=reason_class, text=text, at=now)
    added = _points(case) - before
    if added:
        case.severity += added
        case.save(update_fields=["severity"])
    return report


def _points(case: Case) -> int:
    kinds = Report.objects.filter(case=case).aggregate(
        guests=Count("pk", filter=Q(reporter__kind=Player.Kind.GUEST)),
        accounts=Count("pk", filter=~Q(reporter__kind=Player.Kind.GUEST)),
    )
    return report_points(**kinds)


def _attempt(public_id: str, reporter: Player, now: dt.datetime) -> Subject:
    """An attempt whose replay the reporter may see (R10.2)."""
    found = Attempt.objects.select_related("player").filter(public_id=public_id) if _ID.fullmatch(public_id) else None
    attempt = found.first() if found is not None else None
    if attempt is None:
        raise NotFound
    _not_own(attempt.player, reporter)
    if not is_public(facts_of(attempt), progress_of(attempt, now), now) or not _visible(attempt.player):
        raise NotFound
    return Subject(attempt.player_id, attempt)


def _player(public_id: str, reporter: Player) -> Subject:
    """A player whose page the reporter may see: a guest's is seen by that guest only."""
    player = Player.objects.filter(public_id=public_id).first() if _ID.fullmatch(public_id) else None
    if player is None:
        raise NotFound
    _not_own(player, reporter)
    if player.kind == Player.Kind.GUEST or not _visible(player):
        raise NotFound
    return Subject(player.pk, None)


def _visible(player: Player) -> bool:
    return player.deleted_at is None and not HiddenPlayer.objects.filter(player=player).exists()


def _not_own(player: Player, reporter: Player) -> None:
    if reporter.pk in (player.pk, player.owner_id):
        raise Conflict("own_report", "This is yours. Reports are about others.")
