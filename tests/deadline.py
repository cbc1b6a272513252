"""A pytest plugin (`-p tests.deadline`): a test that hangs fails, and the run goes on without it.

By an alarm, which ends what the main thread waits for: a lock, a socket, a process, a query. It comes again, for what
cleans up behind the test may wait for the same.
"""

from __future__ import annotations

import faulthandler
import signal
import sys
from collections.abc import Generator
from types import FrameType

import pytest

SECONDS = 900.0
"""For a test, and for its fixtures before and after it. The slowest need a minute; beside many others on a busy machine ten times as long."""
AGAIN = 30.0


class TookTooLong(Exception):
    """A test is not over after SECONDS."""


def _ring(number: int, frame: FrameType | None) -> None:
    del number, frame
    # Of all threads: the one that waits is often not the one that hangs.
    faulthandler.dump_traceback(sys.__stderr__ or 2)
    raise TookTooLong(f"not over after {SECONDS:.0f} seconds")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup() -> Generator[None, object, object]:
    return (yield from _within())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    return (yield from _within())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Generator[None, object, object]:
    return (yield from _within())


def _within() -> Generator[None, object, object]:
    """Not around all three: what tells of the failure between them must not be interrupted."""
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, AGAIN)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
