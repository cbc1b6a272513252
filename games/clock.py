"""The server's one clock. Read once per operation at the edge (view, consumer, command) and passed in as `now`."""

from __future__ import annotations

import contextlib
import datetime as dt
from pathlib import Path

from django.conf import settings

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLISECOND = dt.timedelta(milliseconds=1)


def now() -> dt.datetime:
    """The current instant, aware, UTC, cut to whole milliseconds (R8.4): PostgreSQL, Redis and JSON then agree.

    When the setting CLOCK_OFFSET_FILE names a file, the seconds in it are added: tests and fault runs step the clock of
    every process with it.
    """
    instant = dt.datetime.now(dt.UTC)
    if settings.CLOCK_OFFSET_FILE:
        with contextlib.suppress(FileNotFoundError):
            instant += dt.timedelta(seconds=float(Path(settings.CLOCK_OFFSET_FILE).read_text() or 0))
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def milliseconds(instant: dt.datetime) -> int:
    """Whole milliseconds since 1970 of an aware instant."""
    return (instant - EPOCH) // _MILLISECOND


def from_milliseconds(value: int | None) -> dt.datetime | None:
    """The aware UTC instant of whole milliseconds since 1970, or None."""
    return None if value is None else EPOCH + dt.timedelta(milliseconds=value)


def iso(instant: dt.datetime | None) -> str | None:
    """`2026-11-29T21:00:00.000Z`, or None."""
    if instant is None:
        return None
    if instant.tzinfo is not dt.UTC:
        instant = instant.astimezone(dt.UTC)
    return instant.isoformat(timespec="milliseconds")[:-6] + "Z"
