"""One board followed by any number of local sockets: read once, encoded once, written to all."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from games import clock
from games.events import Hint
from games.metrics import event_written
from games.realtime.fanout import fan_out
from games.realtime.relay import Relay
from games.realtime.work import DATABASE_AWAY, read_in_thread
from games.realtime.writer import Message, Writer, text_message
from leaderboards.events import board_topic
from leaderboards.scopes import parse_board
from leaderboards.selectors import standings_snapshot
from leaderboards.services.dailies import daily_ensure

from .protocol import ROWS, difference, encode, snapshot_of

READ_EVERY = 0.25  # seconds between two reads of one board: a burst of results costs a spectator four messages a second
CALM = 3.0  # … and at least so many times as long as writing to all its sockets took

Named = tuple[str, str, str]
"""Board, kind and view."""


@dataclass(eq=False)
class Follower:
    """A socket's place in a feed; `version` is the newest it has been sent."""

    writer: Writer
    version: int = -1
    behind: bool = False
    gone: bool = False

    def wants(self, number: int) -> bool:
        return not self.gone and not self.behind and self.version < number

    def wrote(self, number: int, done: bool) -> None:
        if done:
            self.version = number
        else:
            self.behind = True


@dataclass(eq=False)
class BoardFeed:
    """The last state broadcast of one board, and who follows it.

    `state` changes and its event's fan-out begin in one step, so whoever joins in the middle gets a snapshot that
    already holds the event, and nobody has a gap or gets anything twice. Events are fan-outs one after the other.
    """

    named: Named
    """As the sockets follow it and frames call it."""
    board: Named
    """The list behind it: both views of a daily are one."""
    state: dict[str, Any]
    delivered: int = 0
    followers: dict[Follower, None] = field(default_factory=dict)
    _dirty: bool = False
    _work: asyncio.Task[None] | None = None
    _snapshot: Message | None = None
    _read_at: float = float("-inf")
    _pause: float = READ_EVERY
    _committed_at: float | None = None
    _written_at: float | None = None
    """When an event was written whose hint had not come yet: the board was read for another reason just then."""

    @classmethod
    async def open(cls, named: Named) -> BoardFeed:
        """Read the board. Raises GameError for one that is none, DATABASE_AWAY."""
        name = parse_board(*named)
        board = (name.scope.text, name.kind, name.view)
        if name.scope.date is not None:
            await read_in_thread(daily_ensure, now=clock.now())  # whoever asks first after midnight prepares it
        state = await read_in_thread(standings_snapshot, *board, limit=ROWS)
        return cls(named, board, state, state["version"])

    def start(self) -> None:
        """Listen for hints from now on."""
        Relay.here().subscribe(board_topic(self.board[0]), self._hints)

    def stop(self) -> None:
        """Listen no more."""
        Relay.here().unsubscribe(board_topic(self.board[0]), self._hints)
        if self._work is not None:
            self._work.cancel()

    @property
    def version(self) -> int:
        """The version of the state last broadcast (or being broadcast)."""
        version: int = self.state["version"]
        return version

    @property
    def may_change_by_the_clock(self) -> bool:
        """Whether its counters may change without a new version: nobody plays a daily any more once it is final."""
        return self.board[0].startswith("daily-") and self.state["counts"]["playing"] > 0

    def send_snapshot(self, follower: Follower) -> None:
        """Write the current state to one follower, or mark it to get the then current one when it reads again."""
        if self._snapshot is None:
            self._snapshot = text_message(encode(snapshot_of(self.state, self.named)))
        if follower.writer.offer(self._snapshot):
            follower.version, follower.behind = self.version, False
        else:
            follower.behind = True

    def _hints(self, hints: list[Hint]) -> None:
        versions = [hint[3] for hint in hints if tuple(hint[:3]) == self.board]
        if not hints or any(version > self.version for version in versions):
            if self._committed_at is None and hints:
                self._committed_at = Relay.here().committed_at
            self.refresh()
        elif versions and self._written_at is not None:
            event_written("standings", Relay.here().committed_at, self._written_at)
            self._written_at = None

    def refresh(self) -> None:
        """Read the board soon and broadcast what has changed; many calls make one read."""
        self._dirty = True
        if self._work is None:
            self._work = asyncio.get_running_loop().create_task(self._refresh())

    async def _refresh(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._dirty:
                await asyncio.sleep(max(0.0, self._read_at + self._pause - loop.time()))
                self._dirty = False
                self._read_at = loop.time()
                committed_at, self._committed_at = self._committed_at, None
                try:
                    after = await read_in_thread(standings_snapshot, *self.board, limit=ROWS)
                except DATABASE_AWAY:
                    self._committed_at = committed_at
                    return  # the next hint or heartbeat reads again
                before = self.version
                await self._advance(after)
                event_written("standings", committed_at)
                self._written_at = time.time() if committed_at is None and self.version > before else None
        finally:
            self._work = None

    async def _advance(self, after: dict[str, Any]) -> None:
        before = self.state
        if (after["version"], after["counts"]) == (before["version"], before["counts"]):
            return
        self.state, self._snapshot = after, None
        if after["version"] <= before["version"]:  # by the clock alone; or another database: nothing sent so far holds
            self.delivered = self.version
            for follower in list(self.followers):
                self.send_snapshot(follower)
            return
        message = text_message(encode(difference(before, after, self.named)))
        loop = asyncio.get_running_loop()
        started = loop.time()
        await fan_out(self.followers, self.version, message)
        self.delivered = self.version
        self._pause = max(READ_EVERY, CALM * (loop.time() - started))
