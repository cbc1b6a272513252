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
        try:
            return fn(*args, **kwargs)
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or connection.is_usable():
                raise  # not the connection's fault (a lock timeout, say), or not ours to repeat
            connection.close()
        return fn(*args, **kwargs)

    return repeated
