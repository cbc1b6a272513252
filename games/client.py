"""A typed client of the TriPeaks server over REST. Copy this file, client_shapes.py (and client_sockets.py) into a program of your own.

    with Client("http://127.0.0.1:8000", token="tpk_...") as client:
        with client.play_socket() as link:                 # or link = client: the same moves over REST
            game = Game(link, client.start(code="TP1-E-AAAAAAB"))
            while not game.attempt["outcome"]:
                game.play(game.attempt["legal"][0])

Needs the standard library only; the sockets (client_sockets.py) need the `websockets` package. Not for sharing between
threads.

A dropped link is not the end of a move: every write that changes an attempt carries a key (`move_id`, or the `key` of a
start) and is sent again unchanged until it is answered or `patience` seconds have passed; the server applies it once.
Every refusal is an `ApiError` with the server's stable `code`.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, cast
from urllib.parse import quote, urlencode, urlsplit

from .client_shapes import AnalysedPly as AnalysedPly
from .client_shapes import Analysis as Analysis
from .client_shapes import Attempt as Attempt
from .client_shapes import Hint as Hint
from .client_shapes import MoveReply as MoveReply
from .client_shapes import News as News
from .client_shapes import Player as Player
from .client_shapes import Result as Result
from .client_shapes import View as View

if TYPE_CHECKING:
    from .client_sockets import PlaySocket, StandingsSocket

Json = dict[str, Any]
Kind = Literal["people", "bots"]
BoardView = Literal["best", "first"]


class ApiError(Exception):
    """The server refused: `code` is stable, `message` a sentence for people, `data` depends on the code.

    `status` is the HTTP status, 0 over a socket or when nothing answered (code `unreachable`).
    """

    def __init__(self, code: str, status: int, message: str, data: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message
        self.data = data or {}

    def __repr__(self) -> str:
        return f"ApiError({self.code!r}, {self.status}, {self.message!r})"

    @classmethod
    def read(cls, status: int, payload: object) -> ApiError:
        """From a body or frame with the one error shape; anything else becomes code `unreadable`."""
        found = payload.get("error") if isinstance(payload, dict) else None
        if not isinstance(found, dict):
            return cls("unreadable", status, f"The server answered {status} in a way this client does not know.")
        return cls(str(found.get("code")), status, str(found.get("message")), found.get("data"))


def unreachable(url: str, problem: object) -> ApiError:
    """Nothing answered at `url`, or the link broke and did not come back in time."""
    return ApiError("unreachable", 0, f"No answer from {url} ({problem}).")


def part(found: Json, name: str) -> Any:
    """One member of an answer; ApiError `unreadable` where a server of another kind or age leaves it out."""
    if name not in found:
        raise ApiError(
            "unreadable", 0, f"The server's answer has no {name!r}: is it a TriPeaks server of this version?"
        )
    return found[name]


def new_key() -> str:
    """A fresh `key` or `move_id`."""
    return secrets.token_urlsafe(12)


class Link(Protocol):
    """What a `Game` is played over: a `Client` (REST) or a `PlaySocket`."""

    def resume(self, attempt_id: str, ply: int = 0) -> Attempt: ...
    def move(self, attempt_id: str, move: str, expected_ply: int, move_id: str | None = None) -> MoveReply: ...
    def resign(self, attempt_id: str, move_id: str | None = None) -> MoveReply: ...


class Client:
    """REST over one kept-alive connection. `patience`: seconds to go on trying a request that may be repeated."""

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 15, patience: float = 30) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"{url!r} is not an address such as http://127.0.0.1:8000")
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")
        self.token = token
        self.patience = patience
        self.repeated: Counter[str] = Counter()
        """How often something was sent again, by the code of what was refused, or `unreachable`."""
        self._base = parts.path.rstrip("/")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        self._connection.close()

    def request(self, method: str, path: str, body: Json | None = None, *, repeatable: bool | None = None) -> Json:
        """One request under /api/v1, repeated while that is safe. Raises ApiError; returns the JSON object.

        `repeatable`: whether sending it twice is the same as once (default: for GET only).
        """
        safe = method == "GET" if repeatable is None else repeatable
        deadline = time.monotonic() + self.patience
        pause = 0.1
        while True:
            sent = False
            try:
                if self._connection.sock is None or not safe:  # an idle kept connection may be dead without our knowing
                    self._connection.close()
                    self._connection.connect()
                sent = True
                status, retry_after, payload = self._exchange(method, path, body)
            except (OSError, http.client.HTTPException) as problem:
                self._connection.close()
                error, again, wait = unreachable(self.url, problem), safe or not sent, pause
            else:
                if status < 400:
                    return cast(Json, payload if isinstance(payload, dict) else {})
                error = ApiError.read(status, payload)
                again = status == 429 or (safe and status in {502, 503, 504})
                wait = max(pause, float(error.data.get("retry_after", retry_after)))
            if not again or time.monotonic() + wait > deadline:
                raise error
            self.repeated[error.code] += 1
            time.sleep(wait)
            pause = min(pause * 2, 3.0)

    def _exchange(self, method: str, path: str, body: Json | None) -> tuple[int, float, object]:
        headers = {"Accept": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        self._connection.request(method, f"{self._base}/api/v1{path}", content, headers)
        response = self._connection.getresponse()
        raw = response.read()
        payload: object = None
        with contextlib.suppress(ValueError):
            payload = json.loads(raw)
        retry_after = response.getheader("Retry-After", "0")
        return response.status, float(retry_after) if retry_after.isdigit() else 0.0, payload

    # ---- players ----

    def guest(self) -> Player:
        """Become a new guest; the client keeps its token."""
        found = self.request("POST", "/guests", {"credential": "token"})
        self.token = str(part(found, "token"))
        return cast(Player, part(found, "player"))

    def claim(self, name: str, password: str) -> list[str]:
        """Make this guest an account, results kept. Returns the one-time recovery codes, shown this once."""
        found = self.request("POST", "/account/claim", {"name": name, "password": password}, repeatable=True)
        return cast(list[str], part(found, "recovery_codes"))

    def login(self, name: str, password: str) -> Player:
        """Sign in to an account; the client keeps the new token."""
        found = self.request("POST", "/login", {"name": name, "password": password, "credential": "token"})
        self.token = str(part(found, "token"))
        return cast(Player, part(found, "player"))

    def logout(self) -> None:
        """End the credential in use; its sockets close."""
        self.request("POST", "/logout", {})
        self.token = None

    def account(self) -> Player:
        """Who this client is."""
        return cast(Player, part(self.request("GET", "/account"), "player"))

    def token_create(self, name: str, scopes: tuple[str, ...] = ("read", "play")) -> str:
        """A new token of this account for a program, shown this once."""
        body = {"name": name, "scopes": list(scopes)}
        return str(part(self.request("POST", "/account/tokens", body), "token"))

    def credentials(self) -> list[Json]:
        """The sessions and tokens of this account and its bots; never a secret."""
        return cast(list[Json], part(self.request("GET", "/account/tokens"), "credentials"))

    def credential_end(self, credential_id: str) -> None:
        """Revoke one of them; its sockets close."""
        self.request("DELETE", f"/account/tokens/{quote(credential_id)}", repeatable=True)

    def bot_create(self, name: str) -> Player:
        """Make a bot account that belongs to this person."""
        return cast(Player, part(self.request("POST", "/account/bots", {"name": name}), "player"))

    def bot_token(self, bot_id: str, name: str, scopes: tuple[str, ...] = ("read", "play")) -> str:
        """A new token of one's bot, shown this once."""
        body = {"name": name, "scopes": list(scopes)}
        return str(part(self.request("POST", f"/account/bots/{quote(bot_id)}/tokens", body), "token"))

    # ---- playing ----

    def start(
        self,
        *,
        code: str | None = None,
        number: int | str | None = None,
        random: str | None = None,
        practice: bool = False,
        key: str | None = None,
    ) -> Attempt:
        """Start an attempt on a code, a numbered game, or a random deal of a ruleset (`random="E"`).

        The same `key` again gives the same attempt.
        """
        chosen: Json = {"code": code, "number": number, "random": random}
        body = {name: value for name, value in chosen.items() if value is not None}
        body |= {"key": key or new_key(), "practice": practice}
        return cast(Attempt, part(self.request("POST", "/attempts", body, repeatable=True), "attempt"))

    def start_daily(self, day: str = "today", *, key: str | None = None) -> Attempt:
        """Start a daily, or get the one attempt already made on it (R9.2). `day`: today, a date or a number."""
        path = f"/daily/{quote(day)}/attempts"
        return cast(Attempt, part(self.request("POST", path, {"key": key or new_key()}, repeatable=True), "attempt"))

    def resume(self, attempt_id: str, ply: int = 0) -> Attempt:
        """One's own attempt as it stands (`ply`, the last one seen, matters to sockets only)."""
        return cast(Attempt, part(self.request("GET", f"/attempts/{quote(attempt_id)}"), "attempt"))

    def attempts(self) -> Iterator[Json]:
        """One's own attempts, newest first, all pages."""
        cursor: str | None = ""
        while cursor is not None:
            page = self.request("GET", "/attempts" + (f"?{urlencode({'cursor': cursor})}" if cursor else ""))
            yield from part(page, "attempts")
            cursor = part(page, "next")

    def move(self, attempt_id: str, move: str, expected_ply: int, move_id: str | None = None) -> MoveReply:
        """Play `t0`..`t27`, `d` or `u`; `expected_ply` is the ply the attempt stands at now."""
        body = {"move": move, "expected_ply": expected_ply, "move_id": move_id or new_key()}
        return cast(MoveReply, self.request("POST", f"/attempts/{quote(attempt_id)}/moves", body, repeatable=True))

    def resign(self, attempt_id: str, move_id: str | None = None) -> MoveReply:
        """End the attempt; a result it has already recorded stands (R3.3)."""
        body = {"move_id": move_id or new_key()}
        return cast(MoveReply, self.request("POST", f"/attempts/{quote(attempt_id)}/resign", body, repeatable=True))

    def replay(self, attempt_id: str) -> Json:
        """A public finished attempt, ply by ply."""
        return self.request("GET", f"/attempts/{quote(attempt_id)}/replay")

    def news(self, attempt_id: str) -> News | None:
        """What one's own result at a numbered game meant for its record (R8.5); None where it is none."""
        return cast("News | None", part(self.request("GET", f"/attempts/{quote(attempt_id)}/news"), "news"))

    # ---- the solver: who asks plays these cards as practice from then on (R8.1) ----

    def analysis(self, attempt_id: str) -> Analysis:
        """What the exact solver says of a public finished attempt, ply by ply."""
        return cast(Analysis, self.request("GET", f"/attempts/{quote(attempt_id)}/analysis"))

    def open_analysis(self, attempt_id: str) -> Analysis:
        """The same; one's own stuck attempt that could still be undone ends by it."""
        return cast(Analysis, self.request("POST", f"/attempts/{quote(attempt_id)}/analysis", repeatable=True))

    def hint(self, attempt_id: str) -> Hint:
        """A best move from where one's own practice attempt stands (`move` None: only an undo is left)."""
        return cast(Hint, self.request("POST", f"/attempts/{quote(attempt_id)}/hint", repeatable=True))

    def winnable(self, attempt_id: str) -> bool:
        """Whether one's own practice attempt can still be won, undo not counted on."""
        found = self.request("POST", f"/attempts/{quote(attempt_id)}/winnable", repeatable=True)
        return bool(part(found, "winnable"))

    # ---- dailies and boards ----

    def daily(self, day: str = "") -> Json:
        """A daily's facts; today's without `day` (a date or a number)."""
        return cast(Json, part(self.request("GET", f"/daily/{quote(day)}" if day else "/daily"), "daily"))

    def board(
        self, board: str, kind: Kind = "people", view: BoardView = "best", *, cursor: str | None = None, limit: int = 50
    ) -> Json:
        """One page of a board (a game code, or `daily-2026-11-29`): `board`, `rows`, `next`, `delayed`."""
        query: Json = {"kind": kind, "view": view, "limit": limit} | ({"cursor": cursor} if cursor else {})
        return self.request("GET", f"/boards/{quote(board)}?{urlencode(query)}")

    def my_place(self, board: str, kind: Kind = "people", view: BoardView = "best") -> Json:
        """One's own `rank` and `row` (None when not on it) and the rows `around`."""
        return self.request("GET", f"/boards/{quote(board)}/me?{urlencode({'kind': kind, 'view': view})}")

    # ---- sockets ----

    def play_socket(self) -> PlaySocket:
        """The play socket with this client's token."""
        from .client_sockets import PlaySocket

        return PlaySocket(self.url, self.token, patience=self.patience)

    def standings(self, board: str, kind: Kind = "people", view: BoardView = "best") -> StandingsSocket:
        """Follow a board live."""
        from .client_sockets import StandingsSocket

        return StandingsSocket(self.url, board, kind, view, patience=self.patience)


class Game:
    """One attempt being played over a link; `attempt` is always the newest state the server has told."""

    def __init__(self, link: Link, attempt: Attempt) -> None:
        self.link = link
        self.attempt = attempt

    def play(self, move: str) -> Attempt:
        """Make a move from here. Raises ApiError; after `stale_ply` `attempt` is already the newest state."""
        try:
            reply = self.link.move(self.attempt["id"], move, self.attempt["ply"])
        except ApiError as error:
            if error.code == "stale_ply" and "attempt" in error.data:
                self.attempt = cast(Attempt, error.data["attempt"])
            raise
        self.attempt = reply["attempt"]
        return self.attempt

    def resign(self) -> Attempt:
        """End it."""
        self.attempt = self.link.resign(self.attempt["id"])["attempt"]
        return self.attempt

    def refresh(self) -> Attempt:
        """Ask where it stands."""
        self.attempt = self.link.resume(self.attempt["id"], self.attempt["ply"])
        return self.attempt
