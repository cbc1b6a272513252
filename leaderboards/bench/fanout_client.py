"""Thousands of light WebSocket clients in one process, for the fan-out benchmark. Standard library only.

    python -m leaderboards.bench.fanout_client HOST PORT PATH COUNT HELLO

Connects COUNT sockets, sends HELLO (may be empty) on each, prints `ready`. Then each line `SECONDS` on standard input is
answered, when every socket has received one more text frame or the time is over, by a line of JSON: `last_ns` (monotonic clock, when
the last had it whole), `got` and `bytes` (of one payload). Frames of the type `heartbeat` do not count.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time

from leaderboards.bench.frames import TEXT, split_frames, text_frame, upgrade_request

HEARTBEAT = b'{"type":"heartbeat"'
BATCH = 100


class Spectator:
    """One raw socket that counts the text frames it has received."""

    __slots__ = ("buffer", "frames", "size", "socket")

    def __init__(self, link: socket.socket) -> None:
        self.socket = link
        self.buffer = b""
        self.frames = 0
        self.size = 0

    def feed(self, data: bytes) -> bool:
        """Take bytes in; True when a frame that counts has been completed."""
        found, self.buffer = split_frames(self.buffer + data if self.buffer else data)
        counted = False
        for opcode, payload in found:
            if opcode == TEXT and not payload.startswith(HEARTBEAT):
                self.frames += 1
                self.size = len(payload)
                self.took(payload)
                counted = True
        return counted

    def took(self, payload: bytes) -> None:
        """A text frame that counts; for whoever wants to know what is in it."""


def handshake(link: socket.socket, host: str, port: int, path: str) -> bytes:
    """Make a WebSocket of a connection; what has come after the server's answer."""
    link.sendall(upgrade_request(host, port, path))
    return _accepted(link)


def _accepted(link: socket.socket) -> bytes:
    answer = b""
    while b"\r\n\r\n" not in answer:
        part = link.recv(4096)
        if not part:
            raise ConnectionError("the server refused a socket")
        answer += part
    head, _, rest = answer.partition(b"\r\n\r\n")
    if b" 101 " not in head.split(b"\r\n")[0]:
        raise ConnectionError(head.split(b"\r\n")[0].decode("latin-1"))
    return rest


def connect(host: str, port: int, path: str, count: int, hello: bytes) -> list[Spectator]:
    """That many open sockets; handshakes in batches, so that the backlog suffices."""
    spectators: list[Spectator] = []
    while len(spectators) < count:
        links = [socket.create_connection((host, port), timeout=60) for _ in range(min(BATCH, count - len(spectators)))]
        for link in links:
            link.sendall(upgrade_request(host, port, path))
        for link in links:
            rest = _accepted(link)
            if hello:
                link.sendall(text_frame(hello))
            link.setblocking(False)
            spectator = Spectator(link)
            spectator.feed(rest)
            spectators.append(spectator)
    return spectators


def wait_for(spectators: list[Spectator], selector: selectors.BaseSelector, frames: int, seconds: float) -> int:
    """Read until every socket has `frames` frames or the time is over; when the last one had them (ns)."""
    missing = sum(spectator.frames < frames for spectator in spectators)
    last = time.monotonic_ns()
    deadline = last + int(seconds * 1e9)
    while missing and time.monotonic_ns() < deadline:
        for key, _ in selector.select(0.2):
            spectator: Spectator = key.data
            try:
                data = spectator.socket.recv(65536)
            except BlockingIOError:
                continue
            if not data:
                selector.unregister(spectator.socket)
            elif spectator.feed(data) and spectator.frames == frames:
                missing -= 1
                last = time.monotonic_ns()
    return last


def main(host: str, port: int, path: str, count: int, hello: bytes) -> None:
    """See the module."""
    spectators = connect(host, port, path, count, hello)
    selector = selectors.DefaultSelector()
    for spectator in spectators:
        selector.register(spectator.socket, selectors.EVENT_READ, spectator)
    frames = 1 if hello else 0
    wait_for(spectators, selector, frames, 60)  # the snapshot that answers hello
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        frames += 1
        last = wait_for(spectators, selector, frames, float(line))
        got = sum(spectator.frames >= frames for spectator in spectators)
        twice = sum(spectator.frames > frames for spectator in spectators)
        print(json.dumps({"last_ns": last, "got": got, "twice": twice, "bytes": spectators[0].size}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5].encode())
