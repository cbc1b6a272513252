"""The one member of the channel layer in a process: it takes hints from Redis and hands them to local handlers.

Not one group member per socket (STACK.md says what that costs): the relay owns one channel, joins the groups that local
sockets need, and calls plain functions. It holds nothing that Redis could lose: while Redis is away `delayed` is True,
handlers of this process's own events are still called, and everybody else reads the database at the next heartbeat.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, ClassVar

from channels.layers import get_channel_layer
from django.conf import settings

from games.events import LAYER_ERRORS, WARN_EVERY, Hint, announcer
from games.metrics import HINTS_DELAYED

from .background import Background

log = logging.getLogger(__name__)

Handler = Callable[[list[Hint]], None]

PROBE_SECONDS = 1.0  # a message to ourselves through Redis tells whether hints arrive at all
DELAYED_AFTER = 3.0  # seconds without one
STEP_TIMEOUT = 2.0  # seconds for one call of the channel layer; a Redis that hangs is treated like one that is down
RETRY_SECONDS = 1.0
PROBE_TYPE = "probe"


class _OncePerMinute(logging.Filter):
    """Of a library that logs the same trouble every second while Redis is down, one line a minute (case C18)."""

    def __init__(self) -> None:
        super().__init__()
        self._last = float("-inf")

    def filter(self, record: logging.LogRecord) -> bool:
        if record.created - self._last < WARN_EVERY:
            return False
        self._last = record.created
        record.exc_info = record.exc_text = None  # fifty lines of the library's inside help nobody
        return True


logging.getLogger("channels_redis.pubsub").addFilter(_OncePerMinute())


class Relay:
    """See the module. One per event loop: `Relay.here()`. All methods belong to that loop."""

    _relays: ClassVar[dict[asyncio.AbstractEventLoop, Relay]] = {}

    @classmethod
    def here(cls) -> Relay:
        """The relay of the running event loop, started when first asked for."""
        loop = asyncio.get_running_loop()
        relay = cls._relays.get(loop)
        if relay is None:
            relay = cls._relays[loop] = cls(loop)
        return relay

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handlers: dict[str, list[Handler]] = {}
        self._joined: set[str] = set()
        self._changed = asyncio.Event()
        self._heard_at = loop.time()
        self.committed_at: float | None = None
        """While handlers are called: when the oldest of the changes hinted at was committed, by the announcing host's
        clock in seconds since 1970. For measuring only."""
        self._warned_at = float("-inf")
        announcer.listeners.append(self._from_this_process)
        self._work = Background(self._run) if settings.REDIS_URL else None
        HINTS_DELAYED.set_function(lambda: float(self.delayed))

    @property
    def delayed(self) -> bool:
        """Whether hints do not pass through Redis at present: our probe has not come back for a while."""
        if self._work is None:
            return False
        return self._loop.time() - self._heard_at > DELAYED_AFTER

    def subscribe(self, topic: str, handler: Handler) -> None:
        """Call `handler` with the hints of `topic` from now on; joins the group in the background.

        The handler is called with no hints at all when the group has been joined, at first and after every loss of
        Redis: what changed before that may have been missed.
        """
        self._handlers.setdefault(topic, []).append(handler)
        self._changed.set()

    def unsubscribe(self, topic: str, handler: Handler) -> None:
        """Take back one `subscribe`; the last one leaves the group."""
        handlers = self._handlers[topic]
        handlers.remove(handler)
        if not handlers:
            del self._handlers[topic]
            self._changed.set()

    def _dispatch(self, topic: str, hints: list[Hint], committed_at: float | None = None) -> None:
        self.committed_at = committed_at
        for handler in list(self._handlers.get(topic, ())):
            handler(hints)

    def _from_this_process(self, topic: str, hints: list[Hint]) -> None:
        """Called in the announcer's thread."""
        try:
            self._loop.call_soon_threadsafe(self._dispatch, topic, hints, announcer.committed_at)
        except RuntimeError:  # the loop has been closed
            announcer.listeners.remove(self._from_this_process)
            self._relays.pop(self._loop, None)

    async def _run(self) -> None:
        while True:
            try:
                await self._session()
            except LAYER_ERRORS as problem:
                now = asyncio.get_running_loop().time()
                if now - self._warned_at > WARN_EVERY:
                    self._warned_at = now
                    log.warning("No messages through Redis; standings are delayed: %s", type(problem).__name__)
            self._joined.clear()
            await asyncio.sleep(RETRY_SECONDS)

    async def _session(self) -> None:
        """From one connection to Redis to its loss, which raises one of LAYER_ERRORS.

        Starts the layer afresh each time instead of trusting that every subscription comes back by itself.
        """
        layer = get_channel_layer()  # type: ignore[no-untyped-call]
        await asyncio.wait_for(layer.flush(), STEP_TIMEOUT)
        channel = await asyncio.wait_for(layer.new_channel(), STEP_TIMEOUT)
        loop = asyncio.get_running_loop()
        started = loop.time()
        receiver = asyncio.create_task(self._receive(layer, channel))
        try:
            while True:
                self._changed.clear()
                await self._follow_handlers(layer, channel)
                await asyncio.wait_for(layer.send(channel, {"type": PROBE_TYPE}), STEP_TIMEOUT)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), PROBE_SECONDS)
                if receiver.done():
                    receiver.result()
                    raise TimeoutError
                if loop.time() - max(started, self._heard_at) > DELAYED_AFTER:
                    raise TimeoutError
        finally:
            receiver.cancel()
            await asyncio.wait([receiver], timeout=STEP_TIMEOUT)

    async def _follow_handlers(self, layer: Any, channel: str) -> None:
        wanted = set(self._handlers)
        for topic in wanted - self._joined:
            await asyncio.wait_for(layer.group_add(topic, channel), STEP_TIMEOUT)
            self._joined.add(topic)
            self._dispatch(topic, [])
        for topic in self._joined - wanted:
            await asyncio.wait_for(layer.group_discard(topic, channel), STEP_TIMEOUT)
            self._joined.discard(topic)

    async def _receive(self, layer: Any, channel: str) -> None:
        loop = asyncio.get_running_loop()
        while True:
            message = await layer.receive(channel)
            self._heard_at = loop.time()
            if message["type"] != PROBE_TYPE and message["from"] != announcer.process:
                self._dispatch(message["topic"], message["hints"], message.get("at"))
