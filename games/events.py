"""Typed events and `announce`: hints that something changed, sent after commit. The database is the truth.

A hint may be dropped (Redis away, a full pipe): whoever listens reads the database again at every heartbeat and loses
nothing but time. Announcing therefore never blocks, never raises and costs the caller a few microseconds: the event is
put into a queue, and one background thread per process merges what came within 20 ms (100 ms under load) and publishes
one message per topic over the channel layer. Listeners of the same process get it directly, with Redis or without.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

MERGE_SECONDS = 0.02  # what is announced within this time becomes one message per topic
BATCH_EVERY = 0.1  # seconds between two batches under load: one costs 1 ms of CPU, which 50 a second would add to moves
PUBLISH_TIMEOUT = 0.5  # seconds for one batch; a Redis that hangs is treated like one that is down
PAUSE_AFTER_FAILURE = 1.0  # seconds without a publish after a failed one: local listeners must not wait for it
WARN_EVERY = 60.0  # seconds between two log lines about the same trouble (case C18)
MESSAGE_TYPE = "hint"
LAYER_ERRORS = (RedisError, OSError, TimeoutError)
"""What the channel layer raises while Redis is away, restarting, loading or hanging."""

ATTEMPTS = "attempts"
CREDENTIALS = "credentials"

Hint = list[Any]
"""A hint as it crosses processes: a flat list of numbers and strings; its meaning depends on the topic."""


class Event(Protocol):
    """What can be announced."""

    @property
    def topic(self) -> str:
        """The channel-layer group: at most 99 characters of ASCII letters, digits, hyphen and full stop."""

    @property
    def merge_key(self) -> object:
        """Of several events with one topic and merge key in a batch only the last is sent."""

    def hint(self) -> Hint:
        """The event as numbers and strings."""


@dataclass(frozen=True, slots=True)
class AttemptMoved:
    """An accepted move: `attempt` is the public id, `ply` the log's new length. `ended`: closed without a move."""

    player_id: int
    attempt: str
    ply: int
    ended: bool = False

    @property
    def topic(self) -> str:
        return ATTEMPTS

    @property
    def merge_key(self) -> object:
        return self.attempt

    def hint(self) -> Hint:
        return [self.player_id, self.attempt, self.ply, self.ended]


@dataclass(frozen=True, slots=True)
class CredentialsEnded:
    """These credentials (primary keys) give no more rights: revoked, expired, their player banned or deleted."""

    credential_ids: tuple[int, ...]

    @property
    def topic(self) -> str:
        return CREDENTIALS

    @property
    def merge_key(self) -> object:
        return self.credential_ids

    def hint(self) -> Hint:
        return list(self.credential_ids)


def announce(event: Event) -> None:
    """Tell every process about `event` once the current transaction commits (at once where there is none).

    Nothing is sent when the transaction rolls back. A few microseconds; never blocks, never raises.
    """
    transaction.on_commit(partial(announcer.put, event))


Listener = Callable[[str, list[Hint]], None]


class Announcer:
    """The one background publisher of a process. Its thread starts with the first event, also after a fork."""

    def __init__(self) -> None:
        self.process = uuid.uuid4().hex  # marks our own messages, which local listeners have had directly
        self.listeners: list[Listener] = []
        self.committed_at: float | None = None
        """While listeners are called: when the oldest event of the batch was announced (`time.time`)."""
        self._queue: queue.SimpleQueue[tuple[Event, float]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._failed_at: float | None = None
        self._warned_at = float("-inf")

    @property
    def delayed(self) -> bool:
        """Whether the last publish failed: other processes learn of changes only by their own reading."""
        return self._failed_at is not None

    def put(self, event: Event) -> None:
        """Queue an event; callable from any thread."""
        self._queue.put((event, time.time()))
        if self._thread is None or not self._thread.is_alive():
            self._start()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="announcer", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        loop = asyncio.new_event_loop()  # runs only while publishing; the channel layer keeps its connection on it
        batch_at = float("-inf")
        while True:
            first, self.committed_at = self._queue.get()
            time.sleep(max(MERGE_SECONDS, batch_at + BATCH_EVERY - time.monotonic()))
            batch_at = time.monotonic()
            topics = self._merged(first)
            for topic, hints in topics.items():
                for listener in list(self.listeners):
                    listener(topic, hints)
            if settings.REDIS_URL and self._may_publish():
                self._publish(loop, topics)

    def _merged(self, first: Event) -> dict[str, list[Hint]]:
        newest: dict[tuple[str, object], Event] = {(first.topic, first.merge_key): first}
        for _ in range(self._queue.qsize()):
            event, _at = self._queue.get()
            newest[event.topic, event.merge_key] = event
        topics: dict[str, list[Hint]] = {}
        for (topic, _key), event in newest.items():
            topics.setdefault(topic, []).append(event.hint())
        return topics

    def _may_publish(self) -> bool:
        return self._failed_at is None or time.monotonic() - self._failed_at > PAUSE_AFTER_FAILURE

    def _publish(self, loop: asyncio.AbstractEventLoop, topics: dict[str, list[Hint]]) -> None:
        try:
            loop.run_until_complete(asyncio.wait_for(self._send(topics.items()), PUBLISH_TIMEOUT))
        except LAYER_ERRORS as problem:
            self._failed_at = time.monotonic()
            if self._failed_at - self._warned_at > WARN_EVERY:
                self._warned_at = self._failed_at
                log.warning("Cannot publish to Redis; standings elsewhere are delayed: %s", type(problem).__name__)
        else:
            self._failed_at = None

    async def _send(self, topics: Iterable[tuple[str, list[Hint]]]) -> None:
        layer = get_channel_layer()  # type: ignore[no-untyped-call]
        for topic, hints in topics:
            message = {
                "type": MESSAGE_TYPE,
                "from": self.process,
                "topic": topic,
                "hints": hints,
                "at": self.committed_at,
            }
            await layer.group_send(topic, message)

    def after_fork(self) -> None:
        """In the child: a new identity and no thread yet; what the parent had queued is the parent's to send."""
        self.__init__()  # type: ignore[misc]


announcer = Announcer()
os.register_at_fork(after_in_child=announcer.after_fork)
