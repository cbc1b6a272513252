"""The sockets of the client: play over one socket, or follow a board live. Beside client.py; needs `websockets`."""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self, cast

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from .client import ApiError, Attempt, BoardView, Json, Kind, MoveReply, new_key, unreachable

_LINK_PROBLEMS = (OSError, EOFError, WebSocketException)  # TimeoutError is an OSError
_PASSING_ERRORS = {"throttled", "unavailable"}


class _Socket:
    """A socket that reconnects: one JSON object a frame, `type` first. Closed codes that no patience heals raise."""

    path = ""
    _FINAL = {
        4001: ("not_signed_in", "The token is not accepted (any more)."),
        4002: ("not_signed_in", "The server wanted a token first."),
        4003: ("origin_refused", "The server refuses sockets from this origin."),
        4009: ("too_large", "A frame was too large."),
        1009: ("too_large", "A frame was too large."),
    }

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 15, patience: float = 30) -> None:
        self.url = "ws" + url.removeprefix("http") + self.path
        self.patience = patience
        self.repeated: Counter[str] = Counter()
        """How often something was sent again or the link was made anew, by the code of what was refused, or `unreachable`."""
        self._token = token
        self._timeout = timeout
        self._link: ClientConnection | None = None
        self._closing = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the socket; the next use opens it again."""
        self._link = None
        self._closing.close()

    def _connected(self) -> ClientConnection:
        if self._link is None:
            headers = {"Authorization": f"Bearer {self._token}"} if self._token else None
            opening = connect(
                self.url, additional_headers=headers, open_timeout=self._timeout, close_timeout=1, proxy=None
            )
            self._link = self._closing.enter_context(opening)
            self._opened()
        return self._link

    def _opened(self) -> None:
        """What to say first on a new connection."""

    def _send(self, frame: Json) -> None:
        self._connected().send(json.dumps(frame))

    def _receive(self) -> Json:
        """The next frame. A server silent for `timeout` seconds (three heartbeats) counts as gone."""
        raw = self._connected().recv(timeout=self._timeout)
        frame = json.loads(raw)
        if not isinstance(frame, dict):
            raise ApiError("unreadable", 0, "The server sent a frame this client does not know.")
        return frame

    def _lost(self, problem: Exception, deadline: float, pause: float) -> float:
        """After a broken link: wait and return the next pause, or raise when it is final or patience has run out."""
        with contextlib.suppress(OSError, EOFError):
            self.close()
        if isinstance(problem, ConnectionClosed) and problem.rcvd and problem.rcvd.code in self._FINAL:
            code, message = self._FINAL[problem.rcvd.code]
            raise ApiError(code, 0, message) from problem
        if isinstance(problem, InvalidStatus) and problem.response.status_code in {401, 403, 404}:
            status = problem.response.status_code
            raise ApiError("not_signed_in", status, f"The server refused the socket ({status}).") from problem
        if time.monotonic() + pause > deadline:
            raise unreachable(self.url, problem) from problem
        self.repeated["unreachable"] += 1
        time.sleep(pause * random.uniform(0.5, 1.0))  # not everybody at once, after a server has ended
        return min(pause * 2, 3.0)


class PlaySocket(_Socket):
    """Play over one socket, several attempts if need be. The same calls and answers as `Client`."""

    path = "/ws/v1/play"

    def resume(self, attempt_id: str, ply: int = 0) -> Attempt:
        """The attempt as it stands; `ply`: the last one seen."""
        frame = self._ask({"type": "resume", "attempt": attempt_id, "ply": ply}, "state", attempt_id=attempt_id)
        return cast(Attempt, frame["attempt"])

    def move(self, attempt_id: str, move: str, expected_ply: int, move_id: str | None = None) -> MoveReply:
        """Play `t0`..`t27`, `d` or `u`; sent again with the same `move_id` after a lost link."""
        key = move_id or new_key()
        frame = {"type": "move", "attempt": attempt_id, "move": move, "expected_ply": expected_ply, "move_id": key}
        return cast(MoveReply, self._ask(frame, "ack", move_id=key))

    def resign(self, attempt_id: str, move_id: str | None = None) -> MoveReply:
        """End the attempt; a result it has already recorded stands (R3.3)."""
        key = move_id or new_key()
        return cast(MoveReply, self._ask({"type": "resign", "attempt": attempt_id, "move_id": key}, "ack", move_id=key))

    def _ask(self, frame: Json, wanted: str, *, move_id: str = "", attempt_id: str = "") -> Json:
        deadline = time.monotonic() + self.patience
        pause = 0.1
        while True:
            try:
                self._send(frame)
                while True:
                    answer = self._receive()
                    kind = answer.get("type")
                    if kind == wanted and (answer.get("move_id") == move_id if move_id else True):
                        if not attempt_id or answer["attempt"]["id"] == attempt_id:
                            return answer
                    elif kind == "error":
                        error = ApiError.read(0, answer)
                        if answer.get("move_id") in {None, move_id}:
                            if error.code not in _PASSING_ERRORS:
                                raise error
                            wait = max(pause, float(error.data.get("retry_after", 0)))
                            if time.monotonic() + wait > deadline:
                                raise error
                            self.repeated[error.code] += 1
                            time.sleep(wait)
                            pause = min(pause * 2, 3.0)
                            break  # say it again: nothing was changed, or it counts once
            except _LINK_PROBLEMS as problem:
                pause = self._lost(problem, deadline, pause)


@dataclass
class Standings:
    """A board's first rows, kept current from snapshots and events; `rows` in the order of the board."""

    version: int = -1
    entries: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    rows: list[Json] = field(default_factory=list)

    def apply(self, frame: Json) -> bool:
        """Take a snapshot or event in. False: something was missed and a resync is due; nothing changed."""
        if frame["type"] == "snapshot":
            self.rows = list(frame["rows"])
        elif frame["version"] <= self.version:
            return True  # already in the snapshot
        else:
            known = {row["id"]: row for row in self.rows} | {row["id"]: row for row in frame["rows"]}
            if frame["previous"] != self.version or any(id not in known for id in frame["order"]):
                return False
            self.rows = [known[id] for id in frame["order"]]
        self.version, self.entries, self.counts = frame["version"], frame["entries"], frame["counts"]
        return True


class StandingsSocket(_Socket):
    """A board followed live: iterate to get its `Standings` after every change, for as long as you like."""

    path = "/ws/v1/standings"

    def __init__(self, url: str, board: str, kind: Kind, view: BoardView, *, patience: float = 30) -> None:
        super().__init__(url, patience=patience)
        self.standings = Standings()
        self._topic = {"board": board, "kind": kind, "view": view}

    def _opened(self) -> None:
        assert self._link is not None
        self._link.send(json.dumps({"type": "subscribe", **self._topic}))

    def __iter__(self) -> Iterator[Standings]:
        deadline, pause = time.monotonic() + self.patience, 0.1
        while True:
            try:
                frame = self._receive()
            except _LINK_PROBLEMS as problem:
                pause = self._lost(problem, deadline, pause)
                continue
            if frame["type"] == "error":
                error = ApiError.read(0, frame)
                if error.code not in _PASSING_ERRORS:  # the next heartbeat subscribes again
                    raise error
                continue  # without new patience: a refused handshake says it each time
            deadline, pause = time.monotonic() + self.patience, 0.1
            if frame["type"] == "heartbeat":
                newest = [each["version"] for each in frame["versions"] if self._topic.items() <= each.items()]
                if not newest:
                    self._send({"type": "subscribe", **self._topic})
                elif newest[0] > self.standings.version:
                    self._send({"type": "resync", **self._topic})
            elif frame["type"] in {"snapshot", "event"} and self._topic.items() <= frame.items():
                if self.standings.apply(frame):
                    yield self.standings
                else:
                    self._send({"type": "resync", **self._topic})
