"""/ws/v1/play: the way of one move over a socket. Rights are checked again by the service on every move."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.http import parse_cookie
from django.http.request import split_domain_port, validate_host

from games import clock
from games.api.auth import Presented, bearer_credential, cookie_credential, origin_allowed
from games.engine.errors import EngineError
from games.errors import Forbidden, GameError, NotSignedIn, TooMany, Unavailable
from games.ids import hash_secret
from games.metrics import MOVES
from games.selectors import attempt_resume
from games.services import attempt_move, attempt_resign
from games.services.clients import source_of
from games.services.credentials import Actor, credential_find
from games.throttles import throttle_here

from .base import Socket
from .hub import SOCKETS_PER_PLAYER, PlayHub
from .protocol import (
    CREDENTIAL_ENDED,
    HELLO_MISSING,
    HELLO_SECONDS,
    ORIGIN_REFUSED,
    TOO_MANY,
    TRY_AGAIN,
    Ack,
    Changed,
    ClientMessage,
    Hello,
    Ping,
    PlayMove,
    Pong,
    Resign,
    Resume,
    State,
    Welcome,
    encode,
    parser,
    refused,
)
from .schema import FrameRefused, Message
from .work import DATABASE_AWAY, in_thread, read_in_thread
from .writer import Receive, Scope, Send, text_message

Place = tuple[int, bool]
"""How far an attempt has come: its ply, and whether it has been ended beyond that."""

_KEPT = 64  # attempts a socket remembers something of


async def play(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application of /ws/v1/play."""
    await PlaySocket(scope, receive, send).run()


class PlaySocket(Socket):
    """One signed-in player on one socket; `actor` is there after `opened`."""

    kind = "play"
    actor: Actor

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__(scope, receive, send)
        self._hub: PlayHub | None = None
        self._own: dict[str, Place] = {}  # the newest of this socket's own moves, not to be told to it again
        self._busy: str | None = None  # the attempt this socket is moving in right now
        self._waiting: Place | None = None  # what came about it meanwhile
        self._untold: dict[str, Place] = {}  # what a slow client could not be told yet
        self.writer.on_clear = self._tell_untold

    # --- signing in ------------------------------------------------------------------------------------------------

    async def opened(self) -> bool:
        try:
            presented = self._presented()
            if presented is None:
                presented = await self._hello()
            actor = await read_in_thread(
                credential_find, token_hash=presented.token_hash, via=presented.via, now=clock.now()
            )
            if actor is None:
                raise NotSignedIn
        except Forbidden as error:
            return await self.refuse(error, ORIGIN_REFUSED)
        except TimeoutError:
            return await self.refuse(NotSignedIn("The first frame must be a hello with a token."), HELLO_MISSING)
        except GameError as error:
            return await self.refuse(error, CREDENTIAL_ENDED)
        except DATABASE_AWAY:
            return await self.refuse(Unavailable(), TRY_AGAIN)
        if self.writer.closed:
            return False
        self.actor = actor
        hub = PlayHub.here()
        if not hub.join(self):
            return await self.refuse(
                TooMany("sockets", 60, f"At most {SOCKETS_PER_PLAYER} sockets a player."), TOO_MANY
            )
        self._hub = hub
        await self.say(
            Welcome(
                {"id": actor.player_public_id, "name": actor.name, "kind": actor.kind},  # type: ignore[typeddict-item]
                settings.SOCKET_HEARTBEAT_SECONDS,
                {"frame_bytes": settings.SOCKET_FRAME_BYTES, "frames_per_second": settings.SOCKET_FRAMES_PER_SECOND},
            )
        )
        return True

    def _presented(self) -> Presented | None:
        """The handshake's credential, None to wait for hello. Raises Forbidden (origin), NotSignedIn (header)."""
        headers = self.headers
        origin, host = headers.get("origin"), headers.get("host", "")
        host_ours = validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)
        ours = host_ours and origin_allowed(origin, host, self.scope.get("scheme") == "wss")
        if origin is not None and not ours and origin not in settings.CORS_WRITE_ORIGINS:
            raise Forbidden("origin_refused", "Pages of that origin may not play here.")
        bearer = bearer_credential(headers.get("authorization"))
        if bearer is not None:
            return bearer
        cookie = cookie_credential(parse_cookie(headers.get("cookie", "")))
        if cookie is not None and not ours:  # another origin would be playing with the visitor's cookie
            raise Forbidden("origin_refused", "A socket with the cookie must come from our own pages.")
        return cookie

    async def _hello(self) -> Presented:
        """The credential of the first frame. Raises TimeoutError when that is late or no hello."""
        message = await asyncio.wait_for(self.receive(), HELLO_SECONDS)
        frame = message.get("text")
        if message["type"] != "websocket.receive" or frame is None:
            raise TimeoutError
        try:
            hello = parser.parse(frame)
        except FrameRefused:
            raise TimeoutError from None
        if not isinstance(hello, Hello):
            raise TimeoutError
        return Presented(hash_secret(hello.token), "bearer")

    # --- frames ----------------------------------------------------------------------------------------------------

    async def handle(self, frame: str) -> None:
        message: ClientMessage = parser.parse(frame)
        try:
            answer = await self._answer(message)
        except (GameError, EngineError) as error:
            await self._refused(message, error)
        except DATABASE_AWAY:
            await self._refused(message, Unavailable())
        else:
            await self.say(answer)

    async def _answer(self, message: ClientMessage) -> Message:
        match message:
            case PlayMove():
                self._may("play", counts_as="move")
                return await self._move(message)
            case Resume():
                self._may("read", counts_as="read")
                return State(**await read_in_thread(self._resume, message))
            case Resign():
                self._may("play", counts_as="move")
                return await self._resign(message)
            case Ping():
                return Pong(message.id)
            case Hello():
                raise GameError("unexpected_hello", 409, "This socket is signed in already.")

    def _may(self, scope: str, *, counts_as: str) -> None:
        """The token's scope, then the throttle that REST has for the same; it counts all sockets of the player here."""
        if scope not in self.actor.scopes:
            raise Forbidden("scope_missing", f"This token may not do that: it lacks the scope {scope}.", scope=scope)
        throttle_here(counts_as, f"player:{self.actor.player_id}")

    async def _move(self, message: PlayMove) -> Ack:
        with self._moving(message.attempt):
            reply = await in_thread(
                attempt_move,
                attempt_id=message.attempt,
                token_hash=self.actor.credential_hash,
                via=self.actor.via,
                move=message.move,
                expected_ply=message.expected_ply,
                move_id=message.move_id,
                now=clock.now(),
                source=source_of(self.actor.via, "socket", self.address),
            )
            self._remember(message.attempt, (reply.ply, False))
        return Ack(reply.attempt, reply.move, reply.ply, reply.move_id)  # type: ignore[arg-type]

    async def _resign(self, message: Resign) -> Ack:
        with self._moving(message.attempt):
            reply = await in_thread(
                attempt_resign,
                attempt_id=message.attempt,
                token_hash=self.actor.credential_hash,
                via=self.actor.via,
                move_id=message.move_id,
                now=clock.now(),
            )
            self._remember(message.attempt, (reply.ply, True))
        return Ack(reply.attempt, reply.move, reply.ply, reply.move_id)  # type: ignore[arg-type]

    def _resume(self, message: Resume) -> dict[str, Any]:
        now = clock.now()
        actor = self.actor
        if credential_find(token_hash=actor.credential_hash, via=actor.via, now=now) is None:
            raise NotSignedIn
        return attempt_resume(public_id=message.attempt, player_id=actor.player_id, ply=message.ply, now=now)

    async def _refused(self, message: ClientMessage, error: GameError | EngineError) -> None:
        move_id = message.move_id if isinstance(message, PlayMove | Resign) else None
        attempt = message.attempt if isinstance(message, PlayMove | Resign | Resume) else None
        if isinstance(message, PlayMove) and isinstance(error, TooMany):
            MOVES.labels("socket", error.code).inc()  # the service, which counts the others, was not asked
        await self.say(refused(error, move_id, attempt))
        if isinstance(error, NotSignedIn):
            self.credential_ended()

    # --- what others do --------------------------------------------------------------------------------------------

    def credential_ended(self) -> None:
        """The credential gives no rights any more: say so and end."""
        self.writer.close(CREDENTIAL_ENDED, "credential ended")

    def moved_elsewhere(self, attempt: str, place: Place) -> bool:
        """Somebody moved in an attempt of this player: tell the client, unless it was this socket itself.

        Returns whether it was told.
        """
        if attempt == self._busy:  # our own move's answer is not in yet; it decides whether this is news
            self._waiting = max(place, self._waiting or place)
        elif place > self._own.get(attempt, (-1, False)):
            return self._tell(attempt, place)
        return False

    def _tell(self, attempt: str, place: Place) -> bool:
        if self.writer.offer(text_message(encode(Changed(attempt, place[0])))):
            return True
        self._untold[attempt] = place
        if len(self._untold) > _KEPT:
            del self._untold[next(iter(self._untold))]
        return False

    def _tell_untold(self) -> None:
        untold, self._untold = self._untold, {}
        for attempt, place in untold.items():
            self._tell(attempt, place)

    @contextlib.contextmanager
    def _moving(self, attempt: str) -> Iterator[None]:
        """While a move of this socket is under way, hints about its attempt wait for the answer."""
        self._busy = attempt
        try:
            yield
        finally:
            waiting, self._waiting, self._busy = self._waiting, None, None
            if waiting is not None:
                self.moved_elsewhere(attempt, waiting)

    def _remember(self, attempt: str, place: Place) -> None:
        self._own.pop(attempt, None)
        self._own[attempt] = place
        if len(self._own) > _KEPT:
            del self._own[next(iter(self._own))]

    def left(self) -> None:
        if self._hub is not None:
            self._hub.leave(self)
