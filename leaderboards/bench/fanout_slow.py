"""Spectators that stop reading, for the fan-out benchmark. Standard library only.

    python -m leaderboards.bench.fanout_slow PATH COUNT HELLO RESYNC PORT...

Connects COUNT sockets with small buffers to each port, sends HELLO on each, prints `ready`, and from then on only asks
for snapshots (RESYNC) without reading one, until the servers take no more. Then it prints `blocked` with how many it
asked for. A line `SECONDS` on standard input makes it read; it answers with a line of JSON: the newest `version` of
each socket that it had within that time, and the `snapshots` and `events` that all have received.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time
from typing import Any, Final

from leaderboards.bench.fanout_client import Spectator, handshake
from leaderboards.bench.frames import text_frame

ASKED: Final = 2_000  # snapshots a socket: some 10 MB, more than the buffers of any connection hold
FILL_SECONDS: Final = 15.0
RECEIVE_BUFFER: Final = 4096


class Slow(Spectator):
    """Keeps what it has received: the newest version, and how many frames of which type."""

    __slots__ = ("counted", "version")

    def __init__(self, link: socket.socket) -> None:
        super().__init__(link)
        self.version = -1
        self.counted = {"snapshot": 0, "event": 0}

    def took(self, payload: bytes) -> None:
        frame: dict[str, Any] = json.loads(payload)
        if frame["type"] in self.counted:
            self.counted[frame["type"]] += 1
            self.version = frame["version"]


def main(path: str, count: int, hello: bytes, resync: bytes, ports: list[int]) -> None:
    """See the module."""
    slow = []
    for port in ports:
        for _ in range(count):
            link = socket.socket()
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
            link.settimeout(60)
            link.connect(("127.0.0.1", port))
            rest = handshake(link, "127.0.0.1", port, path)
            link.sendall(text_frame(hello))
            link.setblocking(False)
            one = Slow(link)
            one.feed(rest)
            slow.append(one)
    print("ready", flush=True)  # noqa: T201
    print(_fill(slow, text_frame(resync)), flush=True)  # noqa: T201
    for line in sys.stdin:
        _read(slow, float(line))
        kinds = {kind: sum(one.counted[kind] for one in slow) for kind in ("snapshot", "event")}
        versions = [one.version for one in slow]
        answer = {"versions": versions, "snapshots": kinds["snapshot"], "events": kinds["event"]}
        print(json.dumps(answer), flush=True)  # noqa: T201


def _fill(slow: list[Slow], frame: bytes) -> int:
    asked = 0
    until = time.monotonic() + FILL_SECONDS
    for _ in range(ASKED):
        for one in slow:
            try:
                asked += one.socket.send(frame) == len(frame)
            except BlockingIOError:  # the server reads no more from who does not read
                continue
        time.sleep(0.001)
        if time.monotonic() > until:
            break
    time.sleep(1.0)  # until the servers have acted on what they take
    return asked


def _read(slow: list[Slow], seconds: float) -> None:
    with selectors.DefaultSelector() as selector:
        for one in slow:
            selector.register(one.socket, selectors.EVENT_READ, one)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for key, _ in selector.select(0.1):
                try:
                    data = key.data.socket.recv(65536)
                except BlockingIOError:
                    continue
                if data:
                    key.data.feed(data)
                else:
                    selector.unregister(key.data.socket)


if __name__ == "__main__":
    main(
        sys.argv[1], int(sys.argv[2]), sys.argv[3].encode(), sys.argv[4].encode(), [int(port) for port in sys.argv[5:]]
    )
