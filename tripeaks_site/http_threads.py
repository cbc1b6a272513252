"""HTTP as WSGI on threads inside the ASGI server: the whole body in, the whole answer out.

a2wsgi's own middleware streams both ways and crosses between thread and loop five times a request, a third of the CPU
of a move over REST. Nothing here streams (bodies end at DATA_UPLOAD_MAX_MEMORY_SIZE, answers are pages, JSON and small
static files), so one crossing each way is enough. How a request is told to WSGI is still a2wsgi's.
"""

from __future__ import annotations

import asyncio
import functools
import io
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from a2wsgi.wsgi import build_environ

from games.metrics import waited

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = tuple[int, list[tuple[bytes, bytes]], bytes]


class HttpThreads:
    """An ASGI application for `http` scopes over a WSGI application; `threads` requests run at once, the rest wait.

    `instant`: JSON answers by path that wait for no thread, so that they come also while all of them are busy.
    """

    def __init__(
        self, app: Callable[..., Iterable[bytes]], *, threads: int, longest_body: int, instant: dict[str, bytes]
    ) -> None:
        self._app = app
        self._instant = instant
        self._longest = longest_body
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="http")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        body = await self._body(receive)
        if body is None:
            return  # the client left in the middle of its request
        instant = self._instant.get(scope["path"])
        if instant is not None:
            headers = [(b"content-type", b"application/json"), (b"content-length", str(len(instant)).encode())]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": instant})
            return
        # X_Forwarded_For would become the same variable as X-Forwarded-For, which our proxies vouch for.
        plain = [header for header in scope["headers"] if b"_" not in header[0]]
        scope = {**scope, "headers": plain}
        environ: dict[str, Any] = dict(build_environ(scope, io.BytesIO(body)))  # type: ignore[arg-type, unused-ignore]
        # A chunked body has no length of its own, and Django reads nothing without one. A body that is too long was not
        # kept: its length alone makes Django refuse it.
        environ.setdefault("CONTENT_LENGTH", str(len(body)))
        status, headers, content = await asyncio.get_running_loop().run_in_executor(
            self._pool, waited("http", functools.partial(self._answer, environ))
        )
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def _body(self, receive: Receive) -> bytes | None:
        parts: list[bytes] = []
        length = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part = message.get("body", b"")
            if length <= self._longest:
                parts.append(part)
            length += len(part)
            if not message.get("more_body"):
                return b"".join(parts)

    def _answer(self, environ: dict[str, Any]) -> Answer:
        """Run the application on this thread."""
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def start_response(
            status: str, headers: list[tuple[str, str]], exc_info: Any = None
        ) -> Callable[[bytes], None]:
            started.append((status, headers))
            return parts.append

        parts: list[bytes] = []
        chunks = self._app(environ, start_response)
        try:
            parts.extend(chunks)
        finally:
            close = getattr(chunks, "close", None)
            if close is not None:
                close()
        status, headers = started[-1]
        encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        return int(status[:3]), encoded, b"".join(parts)
