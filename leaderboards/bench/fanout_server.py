"""The real standings socket, as an ASGI application that says on standard output when each event begins to be written."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tripeaks_site.settings")

import django

django.setup()

from games.realtime.fanout import Member, fan_out  # noqa: E402
from games.realtime.writer import Message  # noqa: E402
from leaderboards.realtime import feeds  # noqa: E402
from leaderboards.realtime.consumers import standings as application  # noqa: E402

__all__ = ["application"]


async def timed(members: Iterable[Member], number: int, message: Message) -> int:
    """`fan_out`, and a line with the monotonic time (ns) before it."""
    started = time.monotonic_ns()
    written = await fan_out(members, number, message)
    print(started, flush=True)  # noqa: T201
    return written


feeds.fan_out = timed  # type: ignore[attr-defined]
