"""A thousand changes of the standings in a burst: the page draws a few of them and ends where the frames ended.

What it costs is measured by `manage.py bench page`.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from websockets.asyncio.server import ServerConnection, serve

from .conftest import OpenPage

UPDATES = 1000
SECONDS = 4.0
PACES = {"as the server sends them": 25, "one frame each": 1}
"""Updates in a frame: the server reads a board four times a second at most (realtime.feeds.READ_EVERY)."""


class Board:
    """A list that grows by one result a step, anywhere in it, as `realtime.protocol` would tell it."""

    def __init__(self, topic: dict[str, str], names: str) -> None:
        self.topic, self.names = topic, names
        self.rows: list[dict[str, Any]] = []
        self.version = self.entries = 0
        for _ in range(60):
            self._add()

    def _add(self) -> None:
        number = self.entries = self.entries + 1
        at = (number * 7919) % (min(len(self.rows), 50) + 1)  # every place in turn, in no order
        row = {
            "id": f"{self.names[0]}{number:015d}", "player": {"id": f"p{number}", "name": f"{self.names} {number}"},
            "outcome": "won", "score": 771 - at, "moves": 29 + at, "peaks": 3, "cards_left": 0, "number": 1,
            "elapsed_ms": 60_000 + number, "finished_at": "2026-11-29T12:00:00.000Z",
        }  # fmt: skip
        self.rows = [*self.rows[:at], row, *self.rows[at:49]]
        self.rows = [{**each, "rank": rank} for rank, each in enumerate(self.rows, start=1)]

    @property
    def _counts(self) -> dict[str, int]:
        return {"players": self.entries + 12, "playing": 12, "finished": self.entries}

    def snapshot(self) -> str:
        whole = {"version": self.version, "entries": self.entries, "counts": self._counts, "rows": self.rows}
        return json.dumps({"type": "snapshot", **self.topic, **whole})

    def step(self, results: int) -> str:
        known = {row["id"]: row for row in self.rows}
        for _ in range(results):
            self._add()
        self.version += 1
        changed = [row for row in self.rows if known.get(row["id"]) != row]
        news = {"version": self.version, "previous": self.version - 1, "entries": self.entries, "counts": self._counts}
        return json.dumps(
            {"type": "event", **self.topic, **news, "order": [row["id"] for row in self.rows], "rows": changed}
        )


class Burst:
    """A socket of standings that sends what it is told to, from a thread of its own."""

    def __init__(self) -> None:
        self.boards: dict[str, Board] = {}
        self.begin, self.done = threading.Event(), threading.Event()
        self.port, self.results = 0, 1
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        async with serve(self._talk, "127.0.0.1", 0) as server:
            self.port = next(iter(server.sockets)).getsockname()[1]
            self._ready.set()
            await self._stop.wait()

    async def _talk(self, socket: ServerConnection) -> None:
        while len(self.boards) < 2:
            frame = json.loads(await socket.recv())
            topic = {key: frame[key] for key in ("board", "kind", "view")}
            board = self.boards[frame["kind"]] = Board(topic, frame["kind"])
            await socket.send(board.snapshot())
        await asyncio.get_running_loop().run_in_executor(None, self.begin.wait)
        started = time.monotonic()
        for number in range(UPDATES // self.results):
            await asyncio.sleep(max(0.0, started + number * self.results * SECONDS / UPDATES - time.monotonic()))
            await socket.send(self.boards["people" if number % 2 else "bots"].step(self.results))
        self.done.set()
        await asyncio.sleep(60)

    def stop(self) -> None:
        self.begin.set()
        self._loop.call_soon_threadsafe(self._stop.set)


@pytest.fixture
def burst() -> Iterator[Burst]:
    server = Burst()
    yield server
    server.stop()


ELSEWHERE = """
  const Plain = WebSocket;
  window.WebSocket = class extends Plain { constructor() { super("ws://127.0.0.1:%d"); } };
"""


DRAWS = """
  window.draws = 0;
  addEventListener("DOMContentLoaded", () => {
    const list = document.querySelector('.live-board[data-kind="people"] tbody');
    new MutationObserver(() => { window.draws += 1; }).observe(list, { childList: true, characterData: true, subtree: true });
  });
"""


@pytest.mark.parametrize(("width", "pace"), [(390, "as the server sends them"), (1280, "one frame each")])
def test_a_thousand_updates_are_drawn_a_few_times_a_second_and_end_where_they_ended(
    open_page: OpenPage, burst: Burst, width: int, pace: str
) -> None:
    burst.results = PACES[pace]
    page = open_page("/", width=width, script=ELSEWHERE % burst.port + DRAWS, bypass_csp=True)
    expect(page.locator('.live-board[data-kind="people"] tbody tr')).to_have_count(10)
    page.locator(".standings").scroll_into_view_if_needed()
    page.wait_for_timeout(1000)
    page.evaluate("window.draws = 0")
    began = time.monotonic()
    burst.begin.set()
    assert burst.done.wait(SECONDS * 10)
    last = burst.boards["people"]
    expect(page.locator('.live-board[data-kind="people"] [data-counts]')).to_have_text(
        f"12 playing · {last.entries:,} finished"
    )
    shown = page.locator('.live-board[data-kind="people"] tbody tr').evaluate_all(
        "(rows) => rows.map((row) => [row.cells[0].textContent, row.querySelector('bdi').textContent])"
    )
    assert shown == [[str(row["rank"]), row["player"]["name"]] for row in last.rows[:10]]
    assert 1 <= page.evaluate("window.draws") <= 4 * (time.monotonic() - began) + 4, "not once for each of them"


def test_a_list_is_still_under_a_finger_and_scrolls_by_itself_never(open_page: OpenPage, burst: Burst) -> None:
    burst.results = 25
    page = open_page("/", width=390, height=500, script=ELSEWHERE % burst.port, bypass_csp=True)
    rows = page.locator('.live-board[data-kind="people"] tbody')
    expect(rows.locator("tr")).to_have_count(10)
    page.wait_for_timeout(800)
    rows.locator("tr").nth(5).hover()
    page.mouse.down()
    before, at = rows.inner_text(), page.evaluate("scrollY")
    burst.begin.set()
    page.wait_for_timeout(2000)
    assert rows.inner_text() == before
    page.mouse.up()
    expect(rows).not_to_have_text(before, use_inner_text=True)
    assert burst.done.wait(SECONDS * 10)
    assert page.evaluate("scrollY") == at > 0
