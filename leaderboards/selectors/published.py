"""Which dailies there are to link to, and the seals that can be checked: nothing of a running one but its name."""

from __future__ import annotations

import datetime as dt
from typing import Any

from games.errors import BadInput, NotFound
from games.retry import repeat_once
from leaderboards.models import DailyChallenge

from .dailies import daily_find, daily_status


@repeat_once
def dailies_latest(now: dt.datetime) -> list[dict[str, Any]]:
    """`[{"board", "number", "today"}]`: the two latest dailies that have opened, the newest first."""
    rows = DailyChallenge.objects.filter(opens_at__lte=now).order_by("-date")[:2]
    return [{"board": row.key, "number": row.number, "today": row.closes_at > now} for row in rows]


@repeat_once
def seal_published(now: dt.datetime, date: str = "") -> dict[str, Any] | None:
    """`{"date", "number", "commitment", "code", "late"}` of the daily of this date if it is final, else of the latest
    final one; None before the first."""
    row: DailyChallenge | None = None
    if date:
        try:
            row = daily_find(date, now)
        except (BadInput, NotFound):
            row = None
    if row is None or daily_status(row, now) != "final":
        row = DailyChallenge.objects.filter(final_at__lte=now).order_by("-date").first()
    if row is None:
        return None
    return {
        "date": row.date,
        "number": row.number,
        "commitment": row.commitment,
        "code": row.code,  # final: published (R9.3)
        "late": row.late,
    }
