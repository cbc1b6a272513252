"""The open sockets of a process, and how they are closed when it ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from games.metrics import OPEN_SOCKETS

if TYPE_CHECKING:
    from .base import Socket


class OpenSockets:
    """Belongs to the event loop."""

    def __init__(self) -> None:
        self._sockets: dict[Socket, None] = {}

    def add(self, socket: Socket) -> None:
        """One has connected."""
        self._sockets[socket] = None
        OPEN_SOCKETS.labels(socket.kind).inc()

    def remove(self, socket: Socket) -> None:
        """It has gone."""
        if socket in self._sockets:
            del self._sockets[socket]
            OPEN_SOCKETS.labels(socket.kind).dec()

    async def close_all(self, seconds: float, *, most: float) -> None:
        """Tell every socket to come back elsewhere, evenly over `seconds`; then wait for frames at hand, `most` seconds.

        Evenly, so that the other processes do not have to welcome all of them in the same moment.
        """
        loop = asyncio.get_running_loop()
        begun = loop.time()
        sockets = list(self._sockets)
        for count, socket in enumerate(sockets):
            wait = begun + seconds * count / len(sockets) - loop.time()
            if wait > 0:
                await asyncio.sleep(wait)
            socket.restart()
        await asyncio.sleep(max(0.0, begun + seconds - loop.time()))
        for socket in list(self._sockets):
            socket.restart()
        until = loop.time() + most
        while any(socket.busy for socket in self._sockets) and loop.time() < until:  # noqa: ASYNC110 (a second at most)
            await asyncio.sleep(0.02)


OPEN = OpenSockets()
