"""Lines on standard error: as text or one JSON object each (TRIPEAKS_LOG_FORMAT), with the request's id, without secrets.

Messages and the texts of exceptions pass through `redact`; a traceback tells files, lines and functions, no values.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import traceback
from types import TracebackType
from typing import Any, Final

from games.request_ids import request_id

from .redaction import redact

_EXTRA: Final = ("method", "route", "status", "ms")
_SHORT: Final = 200
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class Refusals(logging.Filter):
    """What Django refuses as suspicious (an unknown host, a form that is too large) is logged by it as an error, with a
    traceback; but it is no fault, and anybody can send it without end. Here it becomes a warning of one short line.
    Reports of faults (tripeaks_site.reporting) look at a record after the handlers, and leave warnings alone.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.name.startswith("django.security."):
            return True
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        record.msg, record.args = " ".join(record.getMessage().split())[:_SHORT], ()
        record.exc_info = record.exc_text = None
        # That this kind of record is written at all was asked of the error it was.
        return logging.getLogger().isEnabledFor(logging.WARNING)


class RoutesOnly(logging.Filter):
    """Django names the address that something happened at; what leaves is its route. Changes the record for everybody."""

    def filter(self, record: logging.LogRecord) -> bool:
        request: Any = getattr(record, "request", None)
        if isinstance(record.args, tuple) and hasattr(request, "path_info"):
            from .observing import route_of  # settings configure the log before there are metrics

            addresses = {path.encode("unicode_escape").decode() for path in (request.path, request.get_full_path())}
            record.args = tuple(
                route_of(request) if isinstance(each, str) and each in addresses else each for each in record.args
            )
        return True


class _Safe(logging.Formatter):
    def formatException(self, ei: _ExcInfo) -> str:
        """What Django and others ask for by themselves."""
        return "\n".join(_told(ei))


class Lines(_Safe):
    """`time level logger [request id]: message`."""

    def format(self, record: logging.LogRecord) -> str:
        at = self.formatTime(record)
        asked = f" [{request_id.get()}]" if request_id.get() else ""
        ms = f" in {ms} ms" if (ms := getattr(record, "ms", None)) is not None else ""
        line = f"{at} {record.levelname} {record.name}{asked}: {redact(record.getMessage())}{ms}"
        return "\n".join([line, *_trouble(record)])


class JsonLines(_Safe):
    """One object a line: time, level, logger, message; request_id, exception and what a request came to, where known."""

    def format(self, record: logging.LogRecord) -> str:
        at = dt.datetime.fromtimestamp(record.created, dt.UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "time": at,
            "level": record.levelname,
            "logger": record.name,
            "message": redact(record.getMessage()),
        }
        if request_id.get():
            line["request_id"] = request_id.get()
        line |= {
            name: getattr(record, name) for name in _EXTRA if isinstance(getattr(record, name, None), int | float | str)
        }
        trouble = _trouble(record)
        if trouble:
            line["exception"] = "\n".join(trouble)
        return json.dumps(line, ensure_ascii=False)


def _trouble(record: logging.LogRecord) -> list[str]:
    if record.exc_info:
        return _told(record.exc_info)
    return [redact(record.exc_text)] if record.exc_text else []


def _told(info: _ExcInfo) -> list[str]:
    if info[1] is None:
        return []
    told = traceback.TracebackException.from_exception(info[1], capture_locals=False)
    return [redact(part).rstrip("\n") for part in told.format()]
