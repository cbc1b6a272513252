"""Thousands of spectators in one process of the load generator: light sockets on /ws/v1/standings.

    python -m leaderboards.bench.load_spectators       (a line of JSON in, see `Orders`; `ready`; `stop` in; a line of JSON out)

The rules are those of games/client_sockets.py (`Standings.apply`: an event applies when its `previous` is the version one
has), kept for every socket by the versions alone: nearly all frames are the same bytes on all sockets, and are read once.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sys
import time
from array import array
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import urlsplit

from .frames import CLOSE, PING, TEXT, split_frames, text_frame, upgrade_request

SILENCE: Final = 15.0  # seconds: three heartbeats
BATCH: Final = 50  # handshakes at once
_KEPT: Final = 64  # frames read already


@dataclass(frozen=True)
class Orders:
    """What a process of spectators is told."""

    url: str
    board: str
    count: int


@dataclass(frozen=True, slots=True)
class Frame:
    """What matters of a frame; `started` and `finished` say which changes it brings."""

    type: str
    version: int = -1
    previous: int = -1
    started: int = 0
    finished: int = 0


class Crowd:
    """All spectators of this process, and what they have seen."""

    def __init__(self, orders: Orders) -> None:
        parts = urlsplit(orders.url)
        self.host, self.port = parts.hostname or "", parts.port or 80
        topic = {"board": orders.board, "kind": "people", "view": "best"}
        self.subscribe = text_frame(json.dumps({"type": "subscribe", **topic}).encode())
        self.resync = text_frame(json.dumps({"type": "resync", **topic}).encode())
        self.sockets: list[Spectator] = []
        self.closing = False
        self.lost = 0
        self.twice = 0
        self.resyncs = 0
        self.reconnects = 0
        self.bytes = 0
        self.frames = 0
        self.errors: dict[str, int] = {}
        self.seen: dict[tuple[int, int, int, int], array[float]] = {}
        """By (started, finished) before and after: when each socket saw it, seconds since 1970."""
        self._read: dict[bytes, Frame] = {}

    def frame(self, payload: bytes) -> Frame:
        """A frame's meaning; read once for all sockets."""
        found = self._read.get(payload)
        if found is None:
            found = read_frame(payload)
            if found.type == "error":
                code = json.loads(payload)["error"]["code"]
                self.errors[code] = self.errors.get(code, 0) + 1
            if len(self._read) >= _KEPT:
                self._read.clear()
            self._read[payload] = found
        return found

    def saw(self, before: tuple[int, int], frame: Frame) -> None:
        key = (*before, frame.started, frame.finished)
        times = self.seen.get(key)
        if times is None:
            times = self.seen[key] = array("d")
        times.append(time.time())


def read_frame(payload: bytes) -> Frame:
    """The frame that these bytes are."""
    said: dict[str, Any] = json.loads(payload)
    kind = said["type"]
    if kind == "heartbeat":
        return Frame(kind, max((one["version"] for one in said["versions"]), default=-1))
    if kind in {"snapshot", "event"}:
        counts = said["counts"]
        previous = said.get("previous", -1)
        return Frame(kind, said["version"], previous, counts["players"], counts["finished"])
    return Frame(kind)


class Spectator(asyncio.Protocol):
    """One socket; it comes back by itself."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._transport: asyncio.Transport | None = None
        self._buffer = b""
        self._open = False
        self._pause = 0.1
        self.version = -1
        self.counts: tuple[int, int] | None = None
        self.heard = 0.0
        self.welcomed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        crowd = self._crowd
        self._transport = cast(asyncio.Transport, transport)
        self._buffer, self._open = b"", False
        self.version, self.counts, self.heard = -1, None, time.monotonic()
        self._transport.write(upgrade_request(crowd.host, crowd.port, "/ws/v1/standings"))

    def data_received(self, data: bytes) -> None:
        self.heard = time.monotonic()
        self._crowd.bytes += len(data)
        if self._buffer:
            data = self._buffer + data
        if not self._open:
            head, ended, data = data.partition(b"\r\n\r\n")
            if not ended:
                self._buffer = head
                return
            if b" 101 " not in head.split(b"\r\n")[0]:
                self.drop()
                return
            self._open = True
            self._write(self._crowd.subscribe)
        found, self._buffer = split_frames(data)
        for opcode, payload in found:
            self._message(opcode, payload)

    def _message(self, opcode: int, payload: bytes) -> None:
        if opcode == TEXT:
            self._crowd.frames += 1
            self._take(self._crowd.frame(payload))
        elif opcode == PING:
            self._write(text_frame(payload, 0x8A))
        elif opcode == CLOSE:
            self.drop()

    def _take(self, frame: Frame) -> None:
        crowd = self._crowd
        if frame.type == "snapshot":
            self._changed(frame)
            if not self.welcomed.done():
                self.welcomed.set_result(None)
            self._pause = 0.1
        elif frame.type == "event":
            if frame.version <= self.version:
                crowd.twice += 1
            elif frame.previous == self.version:
                self._changed(frame)
            else:
                crowd.lost += 1
                self._resync()
        elif frame.type == "heartbeat" and frame.version > self.version:
            crowd.lost += self.version >= 0
            self._resync()
        elif frame.type == "error":
            self.drop()  # overloaded, or starting: as the client does, come again

    def _changed(self, frame: Frame) -> None:
        after = (frame.started, frame.finished)
        if self.counts is not None and after != self.counts:
            self._crowd.saw(self.counts, frame)
        self.version, self.counts = frame.version, after

    def _resync(self) -> None:
        self._crowd.resyncs += 1
        self._write(self._crowd.resync)

    def _write(self, frame: bytes) -> None:
        if self._transport is not None:
            self._transport.write(frame)

    def drop(self) -> None:
        """Break the connection; `connection_lost` comes back to it."""
        if self._transport is not None:
            self._transport.abort()

    def connection_lost(self, problem: Exception | None) -> None:
        self._transport = None
        self.version = -1
        if not self._crowd.closing:
            self._crowd.reconnects += 1
            asyncio.get_running_loop().create_task(self.connect())

    async def connect(self) -> None:
        """Connect, with growing pauses (and jitter, so that a crowd does not come at once) until it succeeds."""
        loop = asyncio.get_running_loop()
        while not self._crowd.closing:
            try:
                opening = loop.create_connection(lambda: self, self._crowd.host, self._crowd.port)
                await asyncio.wait_for(opening, SILENCE)
            except (OSError, TimeoutError):
                await asyncio.sleep(self._pause * random.uniform(0.5, 1.5))
                self._pause = min(self._pause * 2, 3.0)
            else:
                return


async def watch(crowd: Crowd) -> None:
    """Drop sockets that are silent for too long: their link may be cut without a word."""
    while True:
        await asyncio.sleep(1.0)
        old = time.monotonic() - SILENCE
        for spectator in crowd.sockets:
            if spectator.heard < old:
                spectator.heard = time.monotonic()
                spectator.drop()


async def spectate(orders: Orders) -> None:
    """All of it; see the module."""
    crowd = Crowd(orders)
    watching = asyncio.create_task(watch(crowd))
    for begin in range(0, orders.count, BATCH):
        batch = [Spectator(crowd) for _ in range(min(BATCH, orders.count - begin))]
        crowd.sockets += batch
        await asyncio.gather(*(spectator.connect() for spectator in batch))
        await _within(asyncio.gather(*(spectator.welcomed for spectator in batch)), 60)
    print("ready", flush=True)  # noqa: T201
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        answer = figures(crowd, final=line.startswith("stop"))
        print(json.dumps(answer), flush=True)  # noqa: T201
        if line.startswith("stop"):
            break
    crowd.closing = True
    watching.cancel()
    for spectator in crowd.sockets:
        spectator.drop()
    await asyncio.sleep(0.1)


async def _within(what: Awaitable[object], seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(what, seconds)


def figures(crowd: Crowd, *, final: bool) -> dict[str, Any]:
    """What is told of them; the times only at the end."""
    versions: dict[int, int] = {}
    for spectator in crowd.sockets:
        versions[spectator.version] = versions.get(spectator.version, 0) + 1
    seen = [[*key, list(times)] for key, times in crowd.seen.items()] if final else []
    return {
        "versions": versions,
        "lost": crowd.lost,
        "twice": crowd.twice,
        "resyncs": crowd.resyncs,
        "reconnects": crowd.reconnects,
        "bytes": crowd.bytes,
        "frames": crowd.frames,
        "errors": crowd.errors,
        "seen": seen,
    }


def main() -> None:
    """See the module."""
    orders = Orders(**json.loads(sys.stdin.readline()))
    try:
        import uvloop
    except ImportError:
        asyncio.run(spectate(orders))
    else:
        uvloop.run(spectate(orders))


if __name__ == "__main__":
    main()
