"""Spectators that do not read: what they are sent fills the buffers between the server and them."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from typing import Final, Self
from urllib.parse import urlsplit

from .frames import TEXT, split_frames, text_frame, upgrade_request
from .load_spectators import read_frame

BUFFER: Final = 16384
READING: Final = 1 << 20
FILLS: Final = 180_000
"""Bytes: more than the buffers of a connection with small ones hold whose client does not read."""
RESYNCS_A_SECOND: Final = 40


class Deaf:
    """So many sockets on a board that ask again and again and read nothing; a context manager.

    With small buffers, so that the server soon cannot write to them any more. They go to a web process directly:
    a proxy in between has buffers of its own.
    """

    def __init__(self, url: str, board: str, count: int) -> None:
        parts = urlsplit(url)
        self._where = (parts.hostname or "", parts.port or 80)
        topic = {"board": board, "kind": "people", "view": "best"}
        self._subscribe = text_frame(json.dumps({"type": "subscribe", **topic}).encode())
        self._resync = text_frame(json.dumps({"type": "resync", **topic}).encode())
        self._sockets: list[socket.socket] = []
        self._count = count

    def __enter__(self) -> Self:
        for _ in range(self._count):
            link = socket.socket()
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
            link.settimeout(10)
            link.connect(self._where)
            link.sendall(upgrade_request(*self._where, "/ws/v1/standings"))
            self._sockets.append(link)
            if b" 101 " not in link.recv(4096, socket.MSG_PEEK):  # a frame before this answer would be dropped
                raise ConnectionError("the server refused a socket")
            link.sendall(self._subscribe)
        return self

    def __exit__(self, *problem: object) -> None:
        for link in self._sockets:
            link.close()

    def ask(self, snapshot: int) -> None:
        """Ask each of them for more snapshots, of so many bytes each, than its buffers hold."""
        for _ in range(min(800, FILLS // snapshot + 1)):
            for link in self._sockets:
                link.setblocking(False)
                with contextlib.suppress(BlockingIOError):  # the server does not read from it either
                    link.send(self._resync)
            time.sleep(1 / RESYNCS_A_SECOND)

    def read_until(self, version: int, seconds: float) -> tuple[int, int]:
        """Read everything until each has this version or a newer one.

        How many had not within `seconds`, and how many of the others got there by a snapshot instead of the events.
        """
        deadline = time.monotonic() + seconds
        for link in self._sockets:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, READING)
        found = [_reads(link, version, deadline) for link in self._sockets]
        return sum(one is None for one in found), sum(one == "jumped" for one in found)


def _reads(link: socket.socket, version: int, deadline: float) -> str | None:
    """How this version was reached, or None where it was not in time: event by event, or it `jumped`."""
    data, opened, last, how = b"", False, -1, "events"
    while time.monotonic() < deadline:
        link.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            more = link.recv(65536)
        except OSError:
            return None
        if not more:
            return None
        data += more
        if not opened:
            _, ended, rest = data.partition(b"\r\n\r\n")
            if not ended:
                continue
            data, opened = rest, True
        found, data = split_frames(data)
        for opcode, payload in found:
            if opcode != TEXT:
                continue
            frame = read_frame(payload)
            if frame.type == "snapshot" and last >= 0 and frame.version > last:
                how = "jumped"
            if frame.type in {"snapshot", "event"}:
                last = frame.version
            if last >= version:
                return how
    return None
