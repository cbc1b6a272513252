"""One web process: sockets and HTTP on one port, and an end that no player notices.

At the first TERM `/readyz` answers 503 and new sockets are refused with 503, so that a balancer takes the next process.
Open sockets are closed with code 1012 ("reconnect"), spread over the drain time so that the other processes do not get
them all at once; one that is in the middle of a frame is closed after its answer. Then the port is closed and requests
under way are finished. A second TERM ends at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from games.realtime.open_sockets import OPEN

from .draining import Draining
from .serving import ASGI, FINISH_SECONDS, uvicorn_options


class _Sockets(WebSocketsSansIOProtocol):
    """uvicorn's protocol, that takes no new sockets once this process is about to end."""

    def handle_connect(self, event: Request) -> None:
        if not Draining.begun:
            super().handle_connect(event)
            return
        self.request = event
        self.handshake_initiated = self.handshake_complete = self.close_sent = True
        self.conn.send_response(self.conn.reject(503, "This process is ending. Connect again."))
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()


class WebProcess(uvicorn.Server):
    """uvicorn with an end of our own. `run` returns at the latest `drain_seconds` and 2 x FINISH_SECONDS after a TERM."""

    def __init__(self, *, drain_seconds: float, **where: Any) -> None:
        options = {**uvicorn_options(), "ws": _Sockets, "log_config": None, **where}
        super().__init__(uvicorn.Config(ASGI, **options))
        self._drain_seconds = drain_seconds
        self._draining: asyncio.Task[None] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by a signal: the first begins the end, the second ends at once."""
        if Draining.begun:
            self.end_at_once(sig)
        Draining.begun = True

    def end_at_once(self, sig: int) -> None:
        """What is not committed by now was not acknowledged either."""
        os._exit(128 + sig)

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second. True ends the serving."""
        if Draining.begun and self._draining is None:
            self._draining = asyncio.create_task(OPEN.close_all(self._drain_seconds, most=FINISH_SECONDS))
        if self._draining is not None and self._draining.done():
            self.should_exit = True
        return await super().on_tick(counter)


class WebProcessOfUp(WebProcess):
    """Beside `manage.py up`, whose embedded servers are to be stopped too: a second signal only hurries."""

    def end_at_once(self, sig: int) -> None:
        self.should_exit = self.force_exit = True


def end_signals_are_ignored() -> None:
    """While the last lines are written."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
