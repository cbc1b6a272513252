"""Real sockets against a real server process: one that reads frames, one that does not."""

from __future__ import annotations

import base64
import contextlib
import http.cookies
import json
import os
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from games.client_sockets import Standings
from tests.processes import ServerProcess

Frame = dict[str, Any]


class Link:
    """An open socket that speaks JSON. `got` keeps every frame it has received."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.got: list[Frame] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.connection.close()

    def say(self, **frame: Any) -> None:
        self.connection.send(json.dumps(frame))

    def hear(self, *types: str, timeout: float = 10) -> Frame:
        """The next frame of one of these types (heartbeats are skipped unless asked for)."""
        deadline = time.monotonic() + timeout
        while True:
            frame: Frame = json.loads(self.connection.recv(timeout=max(0.001, deadline - time.monotonic())))
            self.got.append(frame)
            if frame["type"] in types or (not types and frame["type"] != "heartbeat"):
                return frame

    def ask(self, **frame: Any) -> Frame:
        """Say it and hear the answer; what else comes meanwhile is kept in `got`."""
        self.say(**frame)
        return self.hear("ack", "state", "error", "pong", "snapshot", "welcome")

    def silent(self, seconds: float = 0.4) -> bool:
        """Whether nothing but heartbeats comes for so long."""
        with contextlib.suppress(TimeoutError):
            self.hear(timeout=seconds)
            return False
        return True

    def closed(self, timeout: float = 6) -> int:
        """The close code; frames before it are read. Fails the test with TimeoutError when it stays open."""
        deadline = time.monotonic() + timeout
        try:
            while True:
                self.got.append(json.loads(self.connection.recv(timeout=max(0.001, deadline - time.monotonic()))))
        except ConnectionClosed as end:
            return end.rcvd.code if end.rcvd else 1006

    def move(self, attempt: str, move: str, ply: int, move_id: str | None = None) -> None:
        """Send a move without waiting for its answer."""
        self.say(type="move", attempt=attempt, move=move, expected_ply=ply, move_id=move_id or f"m{ply}")


def open_link(
    server: ServerProcess,
    path: str,
    *,
    token: str = "",
    cookie: str = "",
    origin: str | None = None,
    max_queue: int | None = None,
    forwarded: str = "",
) -> Link:
    headers = {}
    if forwarded:
        headers["X-Forwarded-For"] = forwarded
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if cookie:
        headers["Cookie"] = cookie
    opening = connect(
        server.ws_url + path,
        additional_headers=headers,
        origin=origin,  # type: ignore[arg-type]
        compression=None,
        max_size=2**22,
        max_queue=max_queue,
        close_timeout=2,
        proxy=None,
    )
    return Link(opening.__enter__())  # closed by the link


def play_link(server: ServerProcess, token: str) -> Link:
    """A play socket that has been welcomed."""
    link = open_link(server, "/ws/v1/play", token=token)
    assert link.hear()["type"] == "welcome"
    return link


class Spectator:
    """A standings socket that keeps its copy of one board by the client's own rule."""

    def __init__(self, server: ServerProcess, board: str, kind: str = "people", view: str = "best") -> None:
        self.topic = {"board": board, "kind": kind, "view": view}
        self.link = open_link(server, "/ws/v1/standings")
        self.standings = Standings()
        self.resyncs = 0
        self.link.say(type="subscribe", **self.topic)
        self.take(self.link.hear("snapshot"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.link.connection.close()

    def take(self, frame: Frame) -> None:
        if frame["type"] in {"snapshot", "event"} and not self.standings.apply(frame):
            self.resyncs += 1
            self.link.say(type="resync", **self.topic)
        if frame["type"] == "heartbeat":
            (mine,) = [each for each in frame["versions"] if self.topic.items() <= each.items()]
            if mine["version"] > self.standings.version:
                self.resyncs += 1
                self.link.say(type="resync", **self.topic)

    def until(self, version: int, timeout: float = 10) -> None:
        """Follow the board until this version is reached."""
        deadline = time.monotonic() + timeout
        while self.standings.version < version:
            self.take(self.link.hear("snapshot", "event", "heartbeat", timeout=deadline - time.monotonic()))


class Mute:
    """A raw standings socket whose owner decides when bytes are read: the slow reader."""

    def __init__(self, server: ServerProcess, hello: Frame) -> None:
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # fills quickly
        self.socket.settimeout(10)
        self.socket.connect(("127.0.0.1", server.port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /ws/v1/standings HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(1)
        self.buffer = b""
        self.say(hello)

    def say(self, frame: Frame) -> None:
        payload = json.dumps(frame).encode()
        head = (
            bytes([0x81, 0x80 | len(payload)])
            if len(payload) < 126
            else bytes([0x81, 0xFE]) + len(payload).to_bytes(2, "big")
        )
        self.socket.sendall(head + bytes(4) + payload)

    def frames(self, timeout: float) -> Iterator[Frame]:
        """The text frames that come, until nothing has come for `timeout` seconds or the server closes."""
        while True:
            while len(self.buffer) >= 2:
                length, start = self.buffer[1], 2
                if length == 126:
                    length, start = int.from_bytes(self.buffer[2:4], "big"), 4
                elif length == 127:
                    length, start = int.from_bytes(self.buffer[2:10], "big"), 10
                if len(self.buffer) < start + length:
                    break
                opcode, payload = self.buffer[0] & 15, self.buffer[start : start + length]
                self.buffer = self.buffer[start + length :]
                if opcode == 9:
                    self.socket.sendall(bytes([0x8A, 0x80 | length]) + bytes(4) + payload)
                if opcode == 1:
                    yield json.loads(payload)
            self.socket.settimeout(timeout)
            try:
                data = self.socket.recv(65536)
            except (TimeoutError, ConnectionError):
                return
            if not data:
                return
            self.buffer += data

    def close(self) -> None:
        self.socket.close()


def rest(
    server: ServerProcess,
    method: str,
    path: str,
    body: Any = None,
    *,
    token: str = "",
    cookie: str = "",
) -> tuple[int, Any, str]:
    """Status, parsed body, and the credential cookie that was set ("name=value" or empty)."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if cookie:
        headers |= {"Cookie": cookie, "Origin": server.url}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}/api/v1{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            status, text, cookies = answer.status, answer.read(), answer.headers.get_all("Set-Cookie") or []
    except urllib.error.HTTPError as refused:
        status, text, cookies = refused.code, refused.read(), []
    jar: http.cookies.SimpleCookie = http.cookies.SimpleCookie("; ".join(c.partition(";")[0] for c in cookies))
    made = "; ".join(f"{name}={morsel.value}" for name, morsel in jar.items())
    return status, json.loads(text) if text else None, made


def hinted(server: ServerProcess) -> float:
    """How many events of standings this server has sent because of a hint (it has TRIPEAKS_METRICS), not of its own
    look at the versions, which would bring them too, only later: no time tells the two apart on a busy machine.
    """
    with urllib.request.urlopen(f"http://{server.env['TRIPEAKS_METRICS']}/metrics", timeout=20) as answer:
        found = re.search(r'^tripeaks_event_lag_seconds_count{kind="standings"} (\S+)$', answer.read().decode(), re.M)
    return float(found[1]) if found else 0.0


def resident_mb(pid: int) -> float:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024


def settled_mb(server: ServerProcess) -> float:
    """Its resident memory once it has loaded what it loads only once (the solver, for the dailies ahead)."""
    with urllib.request.urlopen(f"{server.url}/api/v1/daily"):
        pass
    before = -1.0
    deadline = time.monotonic() + 20
    while (now := resident_mb(server.pid)) != before and time.monotonic() < deadline:
        before = now
        time.sleep(0.7)
    return now
