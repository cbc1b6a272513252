"""A real Chromium against a real server. Whatever the console complains about fails the test.

Without Chromium these tests are skipped; with CI=true that is a failure (issue A, 13).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from leaderboards.bench.page_browser import FLAGS, find_chromium
from tests.client.cast import UNHURRIED
from tests.processes import ServerProcess, live_server

from .bare_table import laid
from .players import Visitor

CARD = re.compile(r"""["' >][A2-9TJQK][CDHS]["' <]|[♣♦♥♠]""")
"""A card's text, or a suit."""
OpenPage = Callable[..., Page]
PATIENCE = 40_000  # milliseconds: what is there at once costs nothing, and the tests share two cores with much else
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of this folder, wherever the marker is asked for."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser for all; every page has a context (cookies, storage) of its own."""
    path = find_chromium()
    if path is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(
                "There is no Chromium, and with CI=true the browser tests must run (Debian: chromium-headless-shell)."
            )
        pytest.skip("NO CHROMIUM HERE: the pages are not tested in a browser (Debian: chromium-headless-shell).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def clock_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seconds to step the server's clock by."""
    file = tmp_path_factory.mktemp("clock") / "offset"
    file.write_text("0")
    return file


@pytest.fixture(scope="module")
def site(clock_file: Path) -> Iterator[ServerProcess]:
    """A server of the module's own, without throttles in the way, whose clock can be stepped."""
    with live_server(env={**UNHURRIED, "TRIPEAKS_CLOCK_OFFSET_FILE": str(clock_file)}) as server:
        yield server


class Complaints(list[str]):
    """What the console said; a test that breaks the link or asks for what is missing allows for that with `forgive`."""

    def __init__(self) -> None:
        super().__init__()
        self.forgiven: tuple[str, ...] = ()

    def forgive(self, *parts: str) -> None:
        """Complaints with one of these parts are expected in this test."""
        self.forgiven += parts

    def hear(self, page: Page) -> None:
        """Listen to a page."""

        def on_console(message: ConsoleMessage) -> None:
            if message.type in {"error", "warning"}:
                self.append(message.text)

        page.on("console", on_console)
        page.on("pageerror", lambda error: self.append(str(error)))

    @property
    def left(self) -> list[str]:
        return [each for each in self if not any(part in each for part in self.forgiven)]


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """Fails the test when a page broke the content security policy, lacked a file or threw an error."""
    heard = Complaints()
    yield heard
    assert heard.left == []


@pytest.fixture
def open_page(chromium: Browser, site: ServerProcess, complaints: Complaints) -> Iterator[OpenPage]:
    """`open_page("/", width=320, ...)`: a page in a fresh context; other options go to the context.

    `**PHONE, **DARK` of profiles.py; `player`: whose browser it is (players.py); `url`: the site by another address,
    such as a proxy's.
    """
    contexts = []

    def open_one(
        address: str,
        *,
        width: int = 1280,
        height: int = 800,
        script: str = "",
        player: Visitor | None = None,
        url: str = "",
        **options: Any,
    ) -> Page:
        options.setdefault("viewport", {"width": width, "height": height})
        context = chromium.new_context(base_url=url or site.url, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        if script:
            context.add_init_script(script)
        if player is not None:
            player.enter(context, url)
        page = context.new_page()
        complaints.hear(page)
        page.goto(address)
        return page

    yield open_one
    for context in contexts:
        context.close()


@pytest.fixture
def table(open_page: OpenPage) -> Page:
    """The table by itself in a bare page, with deck Z on it (bare_table.py)."""
    return laid(open_page("/rules"))
