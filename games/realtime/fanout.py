"""One message to many sockets of this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Protocol

from .writer import Message, Writer

SLICE_SECONDS = 0.02  # how long a fan-out may hold the event loop: moves on other sockets must not wait for all of it
_CHECK_EVERY = 64  # sockets between two looks at the clock


class Member(Protocol):
    """A socket's place in a fan-out."""

    writer: Writer

    def wants(self, number: int) -> bool:
        """Whether it still lacks message `number`: it may have left, or had a newer snapshot, meanwhile."""

    def wrote(self, number: int, done: bool) -> None:
        """Message `number` was written, or (not `done`) refused because the client is slow: send newer things later."""


async def fan_out(members: Iterable[Member], number: int, message: Message) -> int:
    """Write one prebuilt message to every member that wants it; returns how many took it.

    Gives the event loop a turn every SLICE_SECONDS. Members that come meanwhile are not written to: they start from a
    snapshot that already holds what this message says.
    """
    written = 0
    until = time.monotonic() + SLICE_SECONDS
    for count, member in enumerate(list(members), start=1):
        if member.wants(number):
            done = member.writer.offer(message)
            member.wrote(number, done)
            written += done
        if count % _CHECK_EVERY == 0 and time.monotonic() > until:
            await asyncio.sleep(0)
            until = time.monotonic() + SLICE_SECONDS
    return written
