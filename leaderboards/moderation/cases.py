"""Cases: one for each attempt, and one for each player beside them, that a moderator should look at."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Final

from django.db.models import QuerySet

from games.models import Attempt

from .models import Appeal, Case, Report

ALWAYS_NEW: Final = "appeal"
"""An appeal is always about something else than the one before it."""


def case_of(attempt: Attempt | None, player_id: int) -> QuerySet[Case]:
    """The case of an attempt, or else of a player: one row or none."""
    return Case.objects.filter(attempt=attempt) if attempt else Case.objects.filter(attempt=None, player_id=player_id)


def case_raise(
    *,
    attempt: Attempt | None,
    player_id: int,
    severity: int,
    reasons: Sequence[str],
    now: dt.datetime,
    reported: bool = False,
    anew: bool = False,
) -> Case:
    """Open the case of an attempt, or else of a player, or raise the one there is. In the caller's transaction.

    `severity` is that of the evidence and stands above what reports add to it (the caller adds that, as it depends on
    who reports); `reported` counts one more reporter. A closed case is opened again for reasons that are new, and only
    for those, unless it is to be judged `anew` (`case_opens`). Locks the case.
    """
    fresh = Case(
        attempt=attempt,
        player_id=player_id,
        severity=severity,
        reasons=[],
        opened_at=now,
        updated_at=now,
        closed_at=now,
    )
    Case.objects.bulk_create([fresh], ignore_conflicts=True)  # two at once make one, and meet at its lock
    case = case_of(attempt, player_id).select_for_update(of=("self",), no_key=True).get()
    new = [reason for reason in dict.fromkeys(reasons) if reason not in case.reasons]
    if case_opens(case, reasons, anew=anew):
        case.opened_at, case.closed_at = now, None
    case.reasons = [*case.reasons, *new]
    case.severity = max(case.severity, severity + (_points_of_reports(case) if severity else 0))
    case.reports += reported
    case.updated_at = now
    case.save()
    return case


def case_opens(case: Case | None, reasons: Sequence[str], *, anew: bool = False) -> bool:
    """Whether `case_raise` makes an open case of none or of a closed one. `anew`: also for the reasons it has."""
    if case is None:
        return bool(reasons)
    if case.closed_at is None:
        return False
    return anew or ALWAYS_NEW in reasons or any(reason not in case.reasons for reason in reasons)


def _points_of_reports(case: Case) -> int:
    from .reports import report_points

    if not case.reports:
        return 0
    guest = [kind == "guest" for kind in Report.objects.filter(case=case).values_list("reporter__kind", flat=True)]
    return report_points(accounts=guest.count(False), guests=guest.count(True))


def case_close(
    *, attempt: Attempt | None, player_id: int, now: dt.datetime, closed_at: dt.datetime | None = None
) -> bool:
    """A moderator has looked: out of the queue, until something new comes. In the caller's transaction.

    It stays open, and this is False, while an appeal about it waits for its answer. `closed_at` is `now` unless a
    closing of then is brought back. Safe to repeat. Locks the case before it looks for appeals: whoever appeals at
    this moment has either been seen here or opens the case again.
    """
    case = case_of(attempt, player_id).select_for_update(of=("self",), no_key=True).first()
    if case is None or case.closed_at is not None:
        return True
    about = {"notice__attempt": case.attempt_id, "notice__player": case.player_id}
    if Appeal.objects.filter(state=Appeal.State.OPEN, **about).exists():
        return False
    case.closed_at, case.updated_at = closed_at or now, now
    case.save(update_fields=["closed_at", "updated_at"])
    return True


def cases_end(*, player_ids: Collection[int], now: dt.datetime) -> None:
    """Of deleted accounts: nobody is left to act on, so the cases about the players close; those of attempts stay.

    In the transaction of the deletion, after their appeals are gone.
    """
    Case.objects.filter(player__in=player_ids, attempt=None, closed_at=None).update(closed_at=now, updated_at=now)
