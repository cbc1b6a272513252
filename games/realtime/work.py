"""The threads on which sockets use the database: settings.SOCKET_THREADS a process, each with one kept connection.

However many sockets are open, a process never has more connections for them (case C20). Channels' own
`database_sync_to_async` would run everything on a single thread.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from games.metrics import waited

P = ParamSpec("P")
R = TypeVar("R")

DATABASE_AWAY = (OperationalError, InterfaceError)
"""What a database call raises while PostgreSQL is away, restarting or out of connections."""


@functools.cache
def _executor() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(settings.SOCKET_THREADS, thread_name_prefix="socket-db")


async def in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a service on one of the socket threads; for writes, which repeat themselves where that is safe."""
    loop = asyncio.get_running_loop()
    work = contextvars.copy_context().run  # the request's id, for logs
    return await loop.run_in_executor(_executor(), waited("socket", functools.partial(work, function, *args, **kwargs)))


async def read_in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a read on one of the socket threads, once more on a new connection if its kept one turns out dead."""
    return await in_thread(_twice, functools.partial(function, *args, **kwargs))


def _twice(function: Callable[[], R]) -> R:
    try:
        return function()
    except DATABASE_AWAY:
        connection.close()
        return function()
