"""Who may compute: a few threads of a process at a time, so that solving never takes the threads of other requests.

The solver's kernels release the GIL, so a thread that solves does not stop the others; but each request that solves
holds one of the few HTTP threads meanwhile. So at most `SLOTS` compute, `PLACES` wait for a moment, and everybody
else is told at once to come back.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from games.errors import Busy

SLOTS = max(1, min(settings.SOLVER_THREADS, settings.HTTP_THREADS // 4))
PLACES = max(0, settings.HTTP_THREADS // 2 - SLOTS)
"""To wait in: together never more than half of the threads (but one)."""
WAIT_SECONDS = 0.5
"""Most answers take a few milliseconds, so a short wait spares most of the refusals."""


class SolverGate:
    """Lets `slots` threads in, lets `places` more wait up to `wait` seconds, refuses the others at once."""

    def __init__(self, slots: int, places: int, wait: float) -> None:
        self._slots = threading.BoundedSemaphore(slots)
        self._waiting = threading.BoundedSemaphore(places)
        self._wait = wait

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Hold a slot; raises Busy."""
        if not self._slots.acquire(blocking=False) and not self._wait_for_slot():
            raise Busy
        try:
            yield
        finally:
            self._slots.release()

    def _wait_for_slot(self) -> bool:
        if not self._waiting.acquire(blocking=False):
            return False
        try:
            return self._slots.acquire(timeout=self._wait)
        finally:
            self._waiting.release()


solver_gate = SolverGate(SLOTS, PLACES, WAIT_SECONDS)
"""The gate of this process. Not to be entered twice by one thread."""
