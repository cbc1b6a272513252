"""What both sockets share: accepting, limits before parsing, reading frames in order, ending."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Final

from django.conf import settings

from games.api.auth import client_address
from games.engine.errors import EngineError
from games.errors import BadInput, GameError, TooMany
from games.request_ids import request_id, request_id_of

from .limits import TokenBucket, admitted
from .open_sockets import OPEN
from .protocol import FRAME_TOO_LARGE, RESTART, TOO_MANY, refused
from .schema import FrameRefused, encode
from .schema import Message as TypedMessage
from .writer import GIVE_UP_SECONDS, Message, Receive, Scope, Send, Writer, text_message

LIMIT: Final = "socket_frames"


class Socket(ABC):
    """One WebSocket connection. Frames are handled strictly in order; a client may send many without waiting."""

    kind: ClassVar[str]

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self._receive = receive
        self._disconnected = False
        self.writer = Writer(send)
        self._task: asyncio.Task[None] | None = None
        self._abandoned = False
        self.busy = False
        self._restarting = False
        self._bucket = TokenBucket(settings.SOCKET_FRAMES_PER_SECOND, asyncio.get_running_loop().time())
        client = scope.get("client") or ("", 0)
        forwarded = self.headers.get("x-forwarded-for", "")
        self.address = client_address({"REMOTE_ADDR": client[0], "HTTP_X_FORWARDED_FOR": forwarded})

    @property
    def headers(self) -> Mapping[str, str]:
        """The handshake's headers by lower-case name; the last of several with one name."""
        return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in self.scope["headers"]}

    async def run(self) -> None:
        """From the handshake to the end of the connection."""
        message = await self.receive()
        if message["type"] != "websocket.connect":
            return
        self._task = asyncio.current_task()
        request_id.set(request_id_of(self.headers.get("x-request-id")))  # this task's own
        self.writer.offer({"type": "websocket.accept"})
        OPEN.add(self)
        try:
            with admitted(self.address):
                await self._serve(await self.opened())
        except TooMany as error:
            await self._serve(await self.refuse(error, TOO_MANY))
        except asyncio.CancelledError:
            if not self._abandoned:
                raise
        finally:
            OPEN.remove(self)
            self.writer.closed = True
            self.left()

    async def _serve(self, welcome: bool) -> None:
        """Act on frames until the client leaves; without a welcome only wait for that."""
        while not self._disconnected:
            message = await self.receive()
            if welcome and not self._disconnected and not self.writer.closed:  # nothing is acted on after our close
                self.busy = True
                await self._frame(message.get("text"))
                self.busy = False
                if self._restarting:
                    self.restart()

    def restart(self) -> None:
        """Tell the client to come back to another process, once the frame at hand is answered."""
        if self.busy:
            self._restarting = True
        else:
            self.writer.close(RESTART, "restarting")

    async def receive(self) -> Message:
        """The next ASGI message of this connection."""
        message = await self._receive()
        self._disconnected = message["type"] == "websocket.disconnect"
        return message

    @abstractmethod
    async def opened(self) -> bool:
        """The handshake is through. False: the socket has been closed."""

    @abstractmethod
    async def handle(self, frame: str) -> None:
        """Act on one text frame within the limits; raises FrameRefused for one that is no message."""

    @abstractmethod
    def left(self) -> None:
        """The connection has ended."""

    async def _frame(self, frame: str | None) -> None:
        if not self._bucket.take(asyncio.get_running_loop().time()):
            await self.say(refused(TooMany(LIMIT, 1)))
            if self._bucket.patience <= 0:
                self.writer.close(TOO_MANY, "too many frames")
        elif frame is None:
            await self.say(refused(BadInput("not_text", "Frames are text, not binary.")))
        elif too_large(frame):
            await self.say(refused(BadInput("too_large", "The frame is too large.", most=settings.SOCKET_FRAME_BYTES)))
            self.writer.close(FRAME_TOO_LARGE, "frame too large")
        else:
            try:
                await self.handle(frame)
            except FrameRefused as problem:
                await self.say(refused(problem.error, problem.move_id))

    async def say(self, message: TypedMessage) -> None:
        """Write an answer; waits while the client does not read, and so does not read more from it."""
        await self.writer.write(text_message(encode(message)))

    async def refuse(self, error: GameError | EngineError, close_code: int) -> bool:
        """An error frame, then the end. Returns False, for `opened`."""
        await self.say(refused(error))
        self.writer.close(close_code, error.code)
        return False

    def end_if_stuck(self, now: float) -> None:
        """End a connection whose client has not read for GIVE_UP_SECONDS."""
        if self.writer.blocked_for(now) > GIVE_UP_SECONDS and self._task is not None:
            self._abandoned = True
            self.writer.abandon()
            self._task.cancel()


def too_large(frame: str) -> bool:
    """Whether a frame has more bytes than settings.SOCKET_FRAME_BYTES."""
    most: int = settings.SOCKET_FRAME_BYTES
    return len(frame) > most or (len(frame) * 4 > most and len(frame.encode("utf-8", "surrogatepass")) > most)
