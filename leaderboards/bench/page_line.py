"""What stands between the browser and the server in `manage.py bench page`: a long line, and more news than any day has."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import secrets
import threading
from types import TracebackType
from typing import Any, Final, Self

from websockets.asyncio.server import ServerConnection, serve

from games.bench.processes import free_port

STANDINGS: Final = b"GET /ws/v1/standings "
ROWS: Final = 50


class Line:
    """127.0.0.1:port, forwarded to the server, everything `delay` seconds later each way.

    With `news`, the standings socket is answered by `News` instead of the server.
    """

    def __init__(self, server: str, *, delay: float = 0.0, news: bool = False) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.delay = delay
        self.news = News() if news else None
        self._server = server
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._started.wait(10):
            raise RuntimeError("the benchmark's line to the server did not open")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def tell(self, updates: int, seconds: float) -> int:
        """So many updates of the people's list, evenly over so many seconds; how many were sent."""
        if self.news is None or self._loop is None:
            raise RuntimeError("this line has no news of its own")
        return asyncio.run_coroutine_threadsafe(self.news.tell(updates, seconds), self._loop).result(seconds + 30)

    def _run(self) -> None:
        asyncio.run(self._listen())

    async def _listen(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with contextlib.AsyncExitStack() as stack:
            if self.news is not None:
                await stack.enter_async_context(
                    serve(self.news.answer, "127.0.0.1", self.news.port, compression=None, ping_interval=None)
                )
            listener = await asyncio.start_server(self._take, "127.0.0.1", self.port)
            self._started.set()
            await self._stop.wait()
            listener.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Cancelled at the end of the line: asyncio's streams would print that.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            first = await reader.readuntil(b"\r\n")
            host, port = self._server.rsplit(":", 1)
            if self.news is not None and first.startswith(STANDINGS):
                port = str(self.news.port)
            onward_reader, onward = await asyncio.open_connection(host, int(port))
            await asyncio.gather(self._carry(reader, onward, first), self._carry(onward_reader, writer, b""))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, first: bytes) -> None:
        loop = asyncio.get_running_loop()
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def deliver() -> None:
            while True:
                due, data = await under_way.get()
                await asyncio.sleep(max(0.0, due - loop.time()))
                if not data:
                    break
                writer.write(data)
                await writer.drain()
            writer.close()

        delivering = loop.create_task(deliver())
        data = first or b"-"
        with contextlib.suppress(OSError):
            while data:
                if data != b"-":
                    under_way.put_nowait((loop.time() + self.delay, data))
                data = await reader.read(65536)
        under_way.put_nowait((loop.time() + self.delay, b""))
        with contextlib.suppress(OSError):
            await delivering


class News:
    """A standings socket whose list of people changes as often as it is told to."""

    def __init__(self) -> None:
        self.port = free_port()
        self._choose = random.Random(20_261_129)
        self._rows = [self._row(800 - 5 * place) for place in range(ROWS)]
        self._version = 1_000_000
        self._followers: list[tuple[ServerConnection, dict[str, str]]] = []

    def _row(self, score: int) -> dict[str, Any]:
        key = secrets.token_hex(8)
        return {
            "rank": 1,
            "id": key,
            "player": {"id": key, "name": f"player {key[:6]}"},
            "outcome": "won",
            "score": score,
            "moves": 40,
            "peaks": 3,
            "cards_left": 0,
            "elapsed_ms": 90_000,
            "finished_at": "2026-11-29T12:00:00.000Z",
            "number": 1,
        }

    def _state(self) -> dict[str, Any]:
        counts = {"players": self._version, "playing": 12, "finished": self._version}
        return {"version": self._version, "entries": self._version, "counts": counts}

    async def answer(self, connection: ServerConnection) -> None:
        """Snapshots for who asks."""
        async for text in connection:
            asked = json.loads(text)
            if asked["type"] not in {"subscribe", "resync"}:
                continue
            topic = {name: asked[name] for name in ("board", "kind", "view")}
            rows = self._rows if asked["kind"] == "people" else []
            await connection.send(json.dumps({"type": "snapshot", **topic, **self._state(), "rows": rows}))
            if asked["type"] == "subscribe" and asked["kind"] == "people":
                self._followers.append((connection, topic))

    async def tell(self, updates: int, seconds: float) -> int:
        """A new result somewhere on the list with each, so that the rows below it move down one place."""
        loop, sent = asyncio.get_running_loop(), 0
        began = loop.time()
        for number in range(updates):
            await asyncio.sleep(max(0.0, began + seconds * number / updates - loop.time()))
            previous = {row["id"]: row["rank"] for row in self._rows}
            at = self._choose.randrange(ROWS)
            self._rows = [*self._rows[:at], self._row(self._rows[at]["score"]), *self._rows[at:]][:ROWS]
            for rank, row in enumerate(self._rows, 1):
                row["rank"] = rank
            before, self._version = self._version, self._version + 1
            event = {
                "type": "event",
                **self._state(),
                "previous": before,
                "order": [row["id"] for row in self._rows],
                "rows": [row for row in self._rows if previous.get(row["id"]) != row["rank"]],
            }
            for connection, topic in self._followers:
                await connection.send(json.dumps({**event, **topic}))
                sent += 1
        return sent
