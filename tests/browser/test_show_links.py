"""Bad links and bad days: two tabs, a line that is cut, a server that restarts, storage or scripts switched off."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.client.cast import play_line, play_out
from tests.processes import ServerProcess

from .board import Board
from .conftest import Complaints, OpenPage
from .delay import FAR, far_line, near_line
from .players import deck_code, log_of, losing_line, visitor
from .profiles import BLOCKED_STORAGE, DESKTOP, NO_SCRIPT, PHONE, Options

BROKEN_LINK = ("WebSocket connection to", "Failed to load resource: net::ERR_")
CODE = "TP1-E-AAAAAAB"
Z = deck_code("Z")


def status(page: Page, words: str) -> None:
    expect(page.locator("#status")).to_have_text(words)


def test_the_far_line_itself_is_far(site: ServerProcess) -> None:
    with far_line(site) as line:
        player = visitor(line.url)
        began = time.monotonic()
        player.start(code=Z)
        assert time.monotonic() - began >= 2 * FAR


def test_a_tab_that_fell_behind_says_so_and_catches_up(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    attempt = player.start(code=Z)
    here, there = (Board(open_page(f"/play/{Z}", player=player)) for _ in range(2))
    status(here.page, "live")
    status(there.page, "live")
    here.play("t18")
    expect(there.slot(18)).to_be_hidden()
    expect(there.message).to_have_text("You played on in another tab. This one has caught up.")
    expect(there.figure("score")).to_have_text("1")
    there.play("t19")
    expect(here.figure("score")).to_have_text("3")
    assert log_of(site, attempt["id"]) == ["t18", "t19"]


def test_a_play_in_a_stale_tab_is_taken_back_and_explained(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    attempt = player.start(code=Z)
    with near_line(site) as line:
        stale = Board(open_page(f"/play/{Z}", player=player, url=line.url))
        fresh = Board(open_page(f"/play/{Z}", player=player))
        status(stale.page, "live")
        status(fresh.page, "live")
        line.swallow_replies = True  # this tab does not hear that the other one has moved
        fresh.play("d")
        expect(fresh.figure("score")).to_have_text("-5")
        stale.play("t18")
        expect(stale.slot(18)).to_be_hidden()  # pending
        line.restore()
        expect(stale.slot(18)).to_be_visible(timeout=20_000)
        expect(stale.page.get_by_text("You played on in another tab. This one has caught up.").first).to_be_visible()
        expect(stale.figure("score")).to_have_text("-5")
        assert log_of(site, attempt["id"]) == ["d"]
        stale.play("u")
        expect(fresh.figure("score")).to_have_text("0")


@pytest.mark.parametrize("profile", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_cut_line_is_shown_and_what_was_played_meanwhile_is_kept(
    profile: Options, site: ServerProcess, open_page: OpenPage, complaints: Complaints
) -> None:
    complaints.forgive(*BROKEN_LINK)
    player = visitor(site.url)
    attempt = player.start(code=Z)
    with near_line(site) as line:
        page = open_page(f"/play/{Z}", player=player, url=line.url, **profile)
        board = Board(page, "touch" if profile.get("has_touch") else "mouse")
        status(page, "live")
        board.play("t18")
        expect(board.figure("score")).to_have_text("1")
        line.cut(down=True)
        status(page, "reconnecting")
        board.play_all(["t19", "t20", "d"])
        expect(page.locator(".t-waste .pending")).to_have_count(3)
        expect(board.figure("score")).to_have_text("1")  # the server's, and it has not spoken yet
        line.restore()
        status(page, "live")
        expect(board.figure("score")).to_have_text("1")
        expect(board.figure("moves")).to_have_text("4")
        assert log_of(site, attempt["id"]) == ["t18", "t19", "t20", "d"]


def test_slow_answers_are_called_delayed(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    player.start(code=Z)
    with near_line(site) as line:
        page = open_page(f"/play/{Z}", player=player, url=line.url)
        board = Board(page)
        status(page, "live")
        line.swallow_replies = True
        board.play("t18")
        expect(board.slot(18)).to_be_hidden()
        status(page, "delayed")
        line.restore()
        status(page, "live")  # asked again, since the answer seemed lost
        expect(board.figure("score")).to_have_text("1")


def test_a_restarted_server_is_played_on_with(site: ServerProcess, open_page: OpenPage, complaints: Complaints) -> None:
    complaints.forgive(*BROKEN_LINK)
    player = visitor(site.url)
    attempt = player.start(code=Z)
    page = open_page(f"/play/{Z}", player=player)
    board = Board(page)
    status(page, "live")
    board.play("t18")
    expect(board.figure("score")).to_have_text("1")
    site.kill()
    status(page, "reconnecting")
    board.play("t19")
    site.start()
    status(page, "live")
    expect(board.figure("score")).to_have_text("3")
    assert log_of(site, attempt["id"]) == ["t18", "t19"]


def test_with_storage_blocked_everything_works(site: ServerProcess, open_page: OpenPage) -> None:
    page = open_page("/settings", **BLOCKED_STORAGE)
    assert page.evaluate("(() => { try { return localStorage } catch { return 'blocked' } })()") == "blocked"
    page.goto("/")
    status(page, "live")
    page.goto(f"/play/{Z}")
    board = Board(page)
    board.begin()
    board.play_all(["t18", "t19"])
    expect(board.figure("score")).to_have_text("3")
    page.reload()
    expect(board.figure("score")).to_have_text("3")  # the same guest, the same game
    with page.expect_response("**/settings"):
        page.get_by_role("checkbox", name="Mistake help").uncheck()
    page.reload()
    expect(page.get_by_role("checkbox", name="Mistake help")).not_to_be_checked()


def test_without_scripts_home_boards_rules_and_replays_still_read(site: ServerProcess, open_page: OpenPage) -> None:
    alice = visitor(site.url, "Alice without scripts")
    play_out(alice, alice.start_daily())
    attempt = play_line(alice, alice.start(code=CODE), losing_line(CODE))
    alice.resign(attempt["id"])
    page = open_page("/", **NO_SCRIPT)
    main = page.get_by_role("main")
    expect(main.get_by_text("Alice without scripts").first).to_be_visible()
    page.goto(f"/boards/{CODE}")
    expect(main.get_by_text("Alice without scripts").first).to_be_visible()
    page.goto("/rules")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert len(main.inner_text()) > 1000
    page.goto(f"/attempts/{attempt['id']}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(main.get_by_text(re.compile("no moves left|stuck", re.IGNORECASE)).first).to_be_visible()
    page.goto(f"/play/{CODE}")
    expect(page.get_by_role("heading", name="Playing needs JavaScript")).to_be_visible()
    expect(main.get_by_role("link", name="Rules").first).to_be_visible()
