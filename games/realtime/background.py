"""Background work of a process that must not end silently."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

log = logging.getLogger(__name__)

RESTART_SECONDS = 1.0


class Background:
    """A coroutine that runs until `stop`; one that fails is logged and started again after a second."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._stopped = False
        self._start()

    def stop(self) -> None:
        """End it."""
        self._stopped = True
        self._task.cancel()

    def _start(self) -> None:
        if not self._stopped:
            self._task = self._loop.create_task(self._work())
            self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task.cancelled() or self._stopped:
            return
        log.error("Background work of the sockets failed; it starts again.", exc_info=task.exception())
        self._loop.call_later(RESTART_SECONDS, self._start)
