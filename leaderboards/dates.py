"""Official dates (R9.1, R9.4, R9.5): pure calendar arithmetic in one named zone. Hours are never counted."""

from __future__ import annotations

import datetime as dt
import functools
import zoneinfo
from collections.abc import Iterable
from dataclasses import dataclass

FINAL_AFTER_GRACE = dt.timedelta(seconds=60)  # R9.3


@functools.lru_cache(maxsize=8)
def _zone(name: str) -> zoneinfo.ZoneInfo:
    return zoneinfo.ZoneInfo(name)


def official_date(now: dt.datetime, zone: str) -> dt.date:
    """The date of an aware instant in the zone, whatever the server's own zone is."""
    return now.astimezone(_zone(zone)).date()


def midnight(date: dt.date, zone: str) -> dt.datetime:
    """The first instant of a date in the zone, in UTC.

    Where a clock change skips midnight that is the moment of the change; where it repeats midnight, the first one.
    """
    return dt.datetime.combine(date, dt.time(), _zone(zone)).astimezone(dt.UTC)


def daily_number(date: dt.date, day_one: dt.date) -> int:
    """1 for day one, one more for each date after it (case C10)."""
    return (date - day_one).days + 1


@dataclass(frozen=True, slots=True)
class Times:
    """When a date's daily opens, closes, ends its grace time and becomes final: UTC instants."""

    opens_at: dt.datetime
    closes_at: dt.datetime
    grace_ends_at: dt.datetime
    final_at: dt.datetime


def daily_times(date: dt.date, zone: str, grace_seconds: int) -> Times:
    """From midnight to midnight in the zone: 23 or 25 hours where the clocks change."""
    closes_at = midnight(date + dt.timedelta(days=1), zone)
    grace_ends_at = closes_at + dt.timedelta(seconds=grace_seconds)
    return Times(midnight(date, zone), closes_at, grace_ends_at, grace_ends_at + FINAL_AFTER_GRACE)


def streaks(dates: Iterable[dt.date], today: dt.date) -> tuple[int, int]:
    """(current, longest) number of consecutive dates (R9.4). A run is current until a whole date has been missed."""
    current = longest = length = 0
    before: dt.date | None = None
    for date in sorted(set(dates)):
        length = length + 1 if before is not None and (date - before).days == 1 else 1
        longest = max(longest, length)
        before = date
    if before is not None and (today - before).days <= 1:
        current = length
    return current, longest
