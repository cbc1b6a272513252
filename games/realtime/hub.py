"""The play sockets of one process: who is connected, what they must hear, and whether they may still be here."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, ClassVar

from django.conf import settings

from games import clock
from games.events import ATTEMPTS, CREDENTIALS, WARN_EVERY, Hint
from games.metrics import event_written
from games.selectors.credentials import credentials_alive

from .background import Background
from .protocol import Heartbeat, encode
from .relay import Relay
from .work import DATABASE_AWAY, read_in_thread
from .writer import text_message

if TYPE_CHECKING:
    from .consumers import PlaySocket

log = logging.getLogger(__name__)

SOCKETS_PER_PLAYER = 100
RECHECK_SECONDS = 2.0
"""Rights are asked again this often, all sockets in one query: with Redis down they still end within 5 s (case C21)."""


class PlayHub:
    """One per event loop: `PlayHub.here()`. It works only while there are sockets."""

    _hubs: ClassVar[dict[asyncio.AbstractEventLoop, PlayHub]] = {}

    @classmethod
    def here(cls) -> PlayHub:
        """The hub of the running event loop."""
        return cls._hubs.setdefault(asyncio.get_running_loop(), cls())

    def __init__(self) -> None:
        self._by_player: dict[int, set[PlaySocket]] = {}
        self._tasks: list[Background] = []
        self._warned_at = float("-inf")

    @property
    def sockets(self) -> list[PlaySocket]:
        """All signed-in sockets."""
        return [socket for sockets in self._by_player.values() for socket in sockets]

    def join(self, socket: PlaySocket) -> bool:
        """Add a signed-in socket; False when its player has too many."""
        theirs = self._by_player.setdefault(socket.actor.player_id, set())
        if len(theirs) >= SOCKETS_PER_PLAYER:
            return False
        theirs.add(socket)
        if not self._tasks:
            relay = Relay.here()
            relay.subscribe(ATTEMPTS, self._attempts)
            relay.subscribe(CREDENTIALS, self._credentials)
            self._tasks = [Background(self._heartbeats), Background(self._rechecks)]
        return True

    def leave(self, socket: PlaySocket) -> None:
        """Take a socket out; the last one stops the background work."""
        theirs = self._by_player.get(socket.actor.player_id, set())
        theirs.discard(socket)
        if not theirs:
            self._by_player.pop(socket.actor.player_id, None)
        if not self._by_player and self._tasks:
            relay = Relay.here()
            relay.unsubscribe(ATTEMPTS, self._attempts)
            relay.unsubscribe(CREDENTIALS, self._credentials)
            for task in self._tasks:
                task.stop()
            self._tasks = []

    def _attempts(self, hints: list[Hint]) -> None:
        told = False
        for player_id, attempt, ply, ended in hints:
            for socket in self._by_player.get(player_id, ()):
                told |= socket.moved_elsewhere(attempt, (ply, ended))
        if told:
            event_written("play", Relay.here().committed_at)

    def _credentials(self, hints: list[Hint]) -> None:
        ended = {credential for hint in hints for credential in hint}
        for socket in self.sockets if ended else ():
            if socket.actor.credential_id in ended:
                socket.credential_ended()

    async def _heartbeats(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(settings.SOCKET_HEARTBEAT_SECONDS)
            message = text_message(encode(Heartbeat(clock.iso(clock.now()) or "")))
            for socket in self.sockets:
                socket.writer.offer(message)
                socket.end_if_stuck(loop.time())

    async def _rechecks(self) -> None:
        while True:
            await asyncio.sleep(RECHECK_SECONDS)
            ids = {socket.actor.credential_id for socket in self.sockets}
            try:
                alive = await read_in_thread(credentials_alive, ids=ids, now=clock.now())
            except DATABASE_AWAY as problem:
                now = asyncio.get_running_loop().time()
                if now - self._warned_at > WARN_EVERY:
                    self._warned_at = now
                    log.warning("Cannot check credentials of open sockets: %s", type(problem).__name__)
                continue  # without the database nothing can be played either
            self._credentials([list(ids - alive)])
