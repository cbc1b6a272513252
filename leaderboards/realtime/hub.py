"""The standings sockets of one process: their feeds, heartbeats and the change of the date."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from typing import TYPE_CHECKING, ClassVar

from django.conf import settings

from games import clock
from games.errors import GameError
from games.events import WARN_EVERY
from games.realtime.background import Background
from games.realtime.fanout import SLICE_SECONDS
from games.realtime.relay import Relay
from games.realtime.work import DATABASE_AWAY, read_in_thread
from games.realtime.writer import Message, text_message
from leaderboards.selectors import board_versions

from .feeds import BoardFeed, Follower, Named
from .protocol import Heartbeat, Rollover, encode
from .rollover import current_daily

if TYPE_CHECKING:
    from .consumers import StandingsSocket

log = logging.getLogger(__name__)

POLL_WHILE_DELAYED = 2.0  # seconds between two looks at the versions while no hints arrive
TICK = 1.0


class StandingsHub:
    """One per event loop: `StandingsHub.here()`. It works only while there are sockets."""

    _hubs: ClassVar[dict[asyncio.AbstractEventLoop, StandingsHub]] = {}

    @classmethod
    def here(cls) -> StandingsHub:
        """The hub of the running event loop."""
        return cls._hubs.setdefault(asyncio.get_running_loop(), cls())

    def __init__(self) -> None:
        self.sockets: dict[StandingsSocket, None] = {}
        self._feeds: dict[Named, BoardFeed] = {}
        self._opening: dict[Named, asyncio.Task[BoardFeed]] = {}
        self._work: list[Background] = []
        self._warned_at = float("-inf")

    def join(self, socket: StandingsSocket) -> None:
        """A socket has connected."""
        self.sockets[socket] = None
        if not self._work:
            self._work = [Background(self._heartbeats), Background(self._checks), Background(self._rollovers)]

    def leave(self, socket: StandingsSocket) -> None:
        """A socket has gone."""
        self.sockets.pop(socket, None)
        if not self.sockets:
            for work in self._work:
                work.stop()
            self._work = []

    # --- feeds -----------------------------------------------------------------------------------------------------

    async def follow(self, named: Named, follower: Follower) -> BoardFeed:
        """Add a follower to the board's feed and write it the snapshot. Raises GameError, DATABASE_AWAY."""
        feed = self._feeds.get(named)
        if feed is None:
            opening = self._opening.get(named)
            if opening is None:
                opening = asyncio.create_task(BoardFeed.open(named))
                self._opening[named] = opening
                opening.add_done_callback(lambda _: self._opening.pop(named, None))
            opened = await asyncio.shield(opening)
            feed = self._feeds.get(named)
            if feed is None:  # several may have waited for the one that opened it
                feed = self._feeds[named] = opened
                feed.start()
                feed.refresh()  # what has changed since the read, before the hints began to arrive
        feed.followers[follower] = None
        feed.send_snapshot(follower)
        return feed

    def unfollow(self, feed: BoardFeed, follower: Follower) -> None:
        """Take a follower out; a feed without followers ends."""
        follower.gone = True
        feed.followers.pop(follower, None)
        if not feed.followers and self._feeds.get(feed.named) is feed:
            del self._feeds[feed.named]
            feed.stop()

    # --- background ------------------------------------------------------------------------------------------------

    async def _write_to_all(self, messages: dict[StandingsSocket, Message]) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + SLICE_SECONDS
        for socket, message in messages.items():
            socket.writer.offer(message)
            socket.end_if_stuck(loop.time())
            if loop.time() > until:
                await asyncio.sleep(0)
                until = loop.time() + SLICE_SECONDS

    async def _heartbeats(self) -> None:
        while True:
            await asyncio.sleep(settings.SOCKET_HEARTBEAT_SECONDS)
            delayed, now = Relay.here().delayed, clock.iso(clock.now()) or ""
            encoded: dict[tuple[BoardFeed, ...], Message] = {}  # most sockets follow the same boards
            messages: dict[StandingsSocket, Message] = {}
            for socket in self.sockets:
                feeds = tuple(socket.feeds)
                message = encoded.get(feeds)
                if message is None:
                    versions = [
                        {
                            "board": feed.named[0],
                            "kind": feed.named[1],
                            "view": feed.named[2],
                            "version": feed.delivered,
                        }
                        for feed in feeds
                    ]
                    message = encoded[feeds] = text_message(encode(Heartbeat(versions, delayed, now)))  # type: ignore[arg-type]
                messages[socket] = message
            await self._write_to_all(messages)

    async def _checks(self) -> None:
        """Look at the versions of all boards in one query: at every heartbeat, oftener while hints do not arrive."""
        loop = asyncio.get_running_loop()
        checked_at = loop.time()
        while True:
            await asyncio.sleep(TICK)
            every = POLL_WHILE_DELAYED if Relay.here().delayed else settings.SOCKET_HEARTBEAT_SECONDS - TICK
            if loop.time() - checked_at < every - 0.1 or not self._feeds:
                continue
            checked_at = loop.time()
            feeds = list(self._feeds.values())
            try:
                versions = await read_in_thread(board_versions, [feed.board for feed in feeds])
            except DATABASE_AWAY as problem:
                self._warn("Cannot read standings", problem)
                continue
            for feed in feeds:
                if versions[feed.board] != feed.version or feed.may_change_by_the_clock:
                    feed.refresh()

    async def _rollovers(self) -> None:
        """Tell every socket within a second or two of the new date (case C11). No query while the date stays."""
        closes_at: dt.datetime | None = None
        announced: str | None = None
        while True:
            now = clock.now()
            if closes_at is None or now >= closes_at:
                try:
                    daily, closes_at = await read_in_thread(current_daily, now)
                except (*DATABASE_AWAY, GameError) as problem:
                    self._warn("Cannot read the daily", problem)
                else:
                    if announced is not None and daily["date"] != announced:
                        message = text_message(encode(Rollover(daily)))
                        await self._write_to_all(dict.fromkeys(self.sockets, message))
                    announced = daily["date"]
            await asyncio.sleep(TICK)

    def _warn(self, what: str, problem: Exception) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._warned_at > WARN_EVERY:
            self._warned_at = now
            log.warning("%s: %s", what, type(problem).__name__)
