"""The server's one clock. Read once per operation at the edge (view, consumer, command) and passed in as `now`."""

from __future__ import annotations

import contextlib
import datetime as dt
from pathlib import Path

from django.conf import settings


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
    return int(instant.timestamp()) * 1000 + instant.microsecond // 1000


def iso(instant: dt.datetime | None) -> str | None:
    """`2026-11-29T21:00:00.000Z`, or None."""
    if instant is None:
        return None
    return instant.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{instant.microsecond // 1000:03d}Z"
