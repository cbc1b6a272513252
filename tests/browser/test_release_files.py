"""The pages with their files as a release serves them: compressed, named by their content."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests import servers
from tests.client.cast import UNHURRIED
from tests.processes import ServerProcess, live_server, run_manage

from .board import Board
from .conftest import OpenPage
from .players import deck_code, visitor

NAMED = re.compile(r"/static/.*\.[0-9a-f]{12}\.\w+$|/words/[a-z-]+\.[0-9a-f]{12}\.js$")


@pytest.fixture(scope="module")
def site() -> Iterator[ServerProcess]:
    env = {**UNHURRIED, "TRIPEAKS_STATIC": str(servers.temporary_directory() / "static")}
    run_manage("collectstatic", "--noinput", "--verbosity", "0", env=env)
    with live_server(env=env) as server:
        yield server


def test_every_page_loads_its_files_by_the_names_of_their_content(site: ServerProcess, open_page: OpenPage) -> None:
    """And each once: a module loaded under two names would have two states. The console has nothing to complain of."""
    alice = visitor(site.url, "Alice")
    attempt = alice.start(code=deck_code("Z"))
    alice.resign(attempt["id"])
    page = open_page("/rules", player=alice)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for address in (
        "/",
        "/new",
        "/fairness",
        "/settings",
        "/account",
        "/play/TP1-E-AAAAAAB",
        f"/attempts/{attempt['id']}",
    ):
        asked.clear()
        page.goto(address)
        page.wait_for_load_state("networkidle")
        files = [url for url in asked if "/static/" in url or "/words/" in url]
        assert files, address
        assert [url for url in files if not NAMED.search(url)] == []
        assert [url for url in files if files.count(url) > 1 and url.endswith(".js")] == []


def test_a_game_is_played_with_them(site: ServerProcess, open_page: OpenPage) -> None:
    alice = visitor(site.url)
    attempt = alice.start(code=deck_code("Z"))
    board = Board(open_page(f"/play/{deck_code('Z')}?attempt={attempt['id']}", player=alice))
    board.play_all(["t18", "t19", "t20"])
    expect(board.figure("moves")).to_have_text("3")
    expect(board.slot(20)).to_be_hidden()
