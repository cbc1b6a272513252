"""One repeat after a lost database connection."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import InterfaceError, OperationalError, connection

P = ParamSpec("P")
R = TypeVar("R")


def repeat_once(fn: Callable[P, R]) -> Callable[P, R]:
    """Decorate an outermost service or selector: repeat it once when PostgreSQL has closed the connection.

    Connections are kept for good and not checked per request, so the first statement after a restart of PostgreSQL
    fails. A commit whose answer was lost may have happened: only what is safe to repeat may be decorated. Other errors,
    and a second failure, are raised as they are (the edge answers 503 `unavailable`).
    """

    @functools.wraps(fn)
    def repeated(*args: P.args, **kwargs: P.kwargs) -> R:
        before = connection.connection
        try:
            return fn(*args, **kwargs)
        except (OperationalError, InterfaceError):
            if before is None or not before.closed or connection.in_atomic_block:
                raise  # not the kept connection's fault (a lock timeout, say), or not ours to repeat
            if connection.connection is before:  # leaving an atomic block has replaced it already
                connection.close()
        return fn(*args, **kwargs)

    return repeated
