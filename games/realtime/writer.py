"""Writing to one socket so that a slow reader holds up nobody and costs a bounded amount of memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

Message = dict[str, Any]
"""An ASGI message; may be shared by all the sockets it is written to."""

Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
Scope = dict[str, Any]

GIVE_UP_SECONDS = 60.0


def text_message(frame: str) -> Message:
    """The ASGI message of a text frame; make one and offer it to every socket."""
    return {"type": "websocket.send", "text": frame}


class _Rest:
    """What is left of a coroutine that was stepped once and yielded `waiting`; await it to finish the coroutine."""

    def __init__(self, coroutine: Coroutine[Any, Any, None], waiting: Any) -> None:
        self._coroutine = coroutine
        self._waiting = waiting

    def __await__(self) -> Generator[Any, Any, None]:
        waiting = self._waiting
        while True:
            try:
                answer = yield waiting
            except BaseException as problem:  # cancellation, or a failed future: the coroutine decides
                failure: BaseException | None = problem
            else:
                failure = None
            try:
                waiting = self._coroutine.send(answer) if failure is None else self._coroutine.throw(failure)
            except StopIteration:
                return


class Writer:
    """The only way to a socket's ASGI `send`. One message at most is on its way; what does not fit is refused.

    The server's `send` finishes at once as long as the client reads. `offer` therefore runs it as a plain call, without
    a task or a turn of the event loop (that is what makes a fan-out to thousands of sockets cheap). When it does not
    finish, the client is slow: the rest runs in a task, and until that ends every further offer is refused. Whoever
    offered then sends newer things when `on_clear` is called; nothing piles up.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._pending: asyncio.Task[None] | None = None
        self._blocked_at = 0.0
        self.closed = False
        self.on_clear: Callable[[], None] | None = None

    @property
    def blocked(self) -> bool:
        """Whether a message is waiting for the client to read."""
        return self._pending is not None

    def blocked_for(self, now: float) -> float:
        """Seconds since the client stopped reading; 0 when it reads. `now` is the event loop's time."""
        return now - self._blocked_at if self._pending is not None else 0.0

    def offer(self, message: Message) -> bool:
        """Write without waiting. False: refused, because the client is slow or gone; nothing was written."""
        if self._pending is not None or self.closed:
            return False
        coroutine = self._send(message)
        try:
            waiting = coroutine.send(None)  # type: ignore[attr-defined]
        except StopIteration:
            return True
        except (OSError, RuntimeError):  # the connection is gone, or the server has already said goodbye
            self.closed = True
            return False
        loop = asyncio.get_running_loop()
        self._blocked_at = loop.time()
        self._pending = loop.create_task(self._finish(coroutine, waiting))  # type: ignore[arg-type]
        self._pending.add_done_callback(lambda _: self._finished(coroutine))  # type: ignore[arg-type]
        return True

    async def _finish(self, coroutine: Coroutine[Any, Any, None], waiting: Any) -> None:
        try:
            await _Rest(coroutine, waiting)
        except (OSError, RuntimeError):
            self.closed = True

    def _finished(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Also after a task that was cancelled before its first step."""
        coroutine.close()
        self._pending = None
        if self.on_clear is not None and not self.closed:
            self.on_clear()

    async def write(self, message: Message) -> bool:
        """Write, waiting for a slow client. False: the socket is closed."""
        while self._pending is not None and not self.closed:
            await asyncio.wait([self._pending])
        return self.offer(message)

    def close(self, code: int, reason: str = "") -> None:
        """Close the socket at once, or as soon as the message on its way is through."""
        if self.closed:
            return
        message = {"type": "websocket.close", "code": code, "reason": reason}
        if self._pending is None:
            self.offer(message)
            self.closed = True
        else:
            self.closed = True  # nothing but the close frame follows
            self._pending.add_done_callback(lambda _: self._close_now(message))

    def _close_now(self, message: Message) -> None:
        self.closed = False
        self.offer(message)
        self.closed = True

    def abandon(self) -> None:
        """Stop waiting for a client that does not read; the caller then ends the socket."""
        self.closed = True
        if self._pending is not None:
            self._pending.cancel()
