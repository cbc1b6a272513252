"""Cases: one for each attempt, and one for each player beside them, that a moderator should look at."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Final

from games.models import Attempt

from .models import Case, Report

ALWAYS_NEW: Final = "appeal"
"""An appeal is always about something else than the one before it."""


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
    where = {"attempt": attempt} if attempt is not None else {"attempt": None, "player_id": player_id}
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
    case = Case.objects.select_for_update(of=("self",), no_key=True).get(**where)
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


def case_close(*, case_id: int, now: dt.datetime) -> None:
    """A moderator has looked: out of the queue, until something new comes. Safe to repeat; locks the case."""
    Case.objects.filter(pk=case_id, closed_at=None).update(closed_at=now, updated_at=now)
