"""The cases that have a part in the page: what is shown, while somebody plays, of runs, days, links, rights and cards."""

from __future__ import annotations

import datetime as dt
import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from games.client import ApiError, View
from tests.attempts.hand import Z_LINE
from tests.client.cast import PASSWORD
from tests.processes import ServerProcess

from .board import Board
from .conftest import Complaints, OpenPage
from .delay import near_line
from .players import Visitor, best_line, daily_code, deck_code, log_of, visitor
from .traffic import Traffic

BROKEN_LINK = ("WebSocket connection to", "Failed to load resource: net::ERR_")


def live(page: Page) -> None:
    expect(page.locator("#status")).to_have_text("live")


def test_C06_score_and_run_are_shown_after_each_play(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    attempt = player.start(code=deck_code("Z"))
    board = Board(open_page(f"/play/{attempt['code']}", player=player))
    for move, score, run in zip(
        ["t18", "t19", "t20", "d", "t21", "t22"], [1, 3, 6, 1, 2, 4], [1, 2, 3, 0, 1, 2], strict=True
    ):
        board.play(move)
        expect(board.figure("score")).to_have_text(str(score))
        expect(board.figure("run")).to_have_text(str(run))
    found = player.resume(attempt["id"])
    assert (found["score"], found["run"]) == (4, 2), "the same over REST"


def test_C06_the_whole_chain_is_won_with_466(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    attempt = player.start(code=deck_code("Z"))
    page = open_page(f"/play/{attempt['code']}", player=player)
    board = Board(page)
    board.play_all(Z_LINE)
    expect(page.get_by_role("heading", name="All three peaks cleared")).to_be_focused()
    expect(board.figure("score")).to_have_text("466")
    expect(board.figure("peaks")).to_have_text("3 / 3")


@pytest.mark.parametrize("lost", ["answer", "move"])
def test_C19_a_link_cut_around_a_play_loses_and_doubles_nothing(
    lost: str, site: ServerProcess, open_page: OpenPage, complaints: Complaints
) -> None:
    """(a) after the server has applied it, (b) before."""
    complaints.forgive(*BROKEN_LINK)
    player = visitor(site.url)
    attempt = player.start(code=deck_code("Z"))
    with near_line(site) as line:
        page = open_page("about:blank", player=player, url=line.url)
        traffic = Traffic.listen(page)
        page.goto(f"/play/{attempt['code']}")
        board = Board(page)
        traffic.wait_for(page, "state")  # the page knows where the attempt stands: what is played now goes out at once
        if lost == "answer":
            line.swallow_replies = True
        else:
            line.swallow_requests = True
        board.play("t18")
        expect(board.slot(18)).to_be_hidden()
        expect(page.locator(".t-waste .pending")).to_have_count(1)
        expect(board.figure("score")).to_have_text("0")
        wanted = ["t18"] if lost == "answer" else []
        deadline = time.monotonic() + 15
        while log_of(site, attempt["id"]) != wanted and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.1)
        assert log_of(site, attempt["id"]) == wanted
        line.cut(down=True)
        expect(page.locator("#status")).to_have_text("reconnecting")
        board.play("t19")  # no dead input at any time
        expect(board.slot(19)).to_be_hidden()
        expect(page.locator(".t-waste .pending")).to_have_count(2)
        page.wait_for_timeout(3000)
        line.restore()
        live(page)
        expect(board.figure("score")).to_have_text("3")
        expect(page.locator(".t-waste .pending")).to_have_count(0)
        assert log_of(site, attempt["id"]) == ["t18", "t19"]
        expect(board.slot(20)).to_have_accessible_name(re.compile("can be played$"))
        board.play("t20")
        expect(board.figure("score")).to_have_text("6")


def test_C21_a_page_whose_session_ends_elsewhere_says_so_and_plays_no_more(
    site: ServerProcess, open_page: OpenPage, complaints: Complaints
) -> None:
    complaints.forgive(*BROKEN_LINK, "401 (Unauthorized)")
    alice = visitor(site.url, "alice c21")
    other = Visitor(site.url).sign_in("alice c21")
    attempt = alice.start(code=deck_code("Z"))
    page = open_page(f"/play/{attempt['code']}", player=alice)
    still = open_page(f"/play/{attempt['code']}", player=other)
    live(page)
    live(still)
    alice.logout()
    expect(page.get_by_role("heading", name="You were signed out")).to_be_visible(timeout=5000)
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    Board(page).slot(18).click()
    page.wait_for_timeout(300)
    assert log_of(site, attempt["id"]) == []
    page.reload()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()  # somebody new
    Board(still).play("t18")
    expect(Board(still).figure("score")).to_have_text("1")
    alice.sign_in("alice c21")
    alice.request("POST", "/account/password", {"old": PASSWORD, "new": "another long horse"})
    expect(still.get_by_role("heading", name="You were signed out")).to_be_visible(timeout=5000)
    assert log_of(site, attempt["id"]) == ["t18"]


def test_C23_a_playing_page_hears_of_no_card_before_it_is_turned_up(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url, "c23 in the page")
    page = open_page("about:blank", player=player)
    traffic = Traffic.listen(page)
    page.goto("/play/daily")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert traffic.cards() == set(), "nothing before the start"
    board = Board(page)
    board.begin()
    code = daily_code(site)
    attempt = player.start_daily()
    seen = _faces(attempt["view"])
    assert len(seen) == 11, "the bottom row and the waste"
    assert traffic.cards() == seen
    assert page.locator(".t-board .face").count() == 10
    for ply, move in enumerate(best_line(code), start=1):
        board.play(move)
        while (attempt := player.resume(attempt["id"]))["ply"] < ply:
            time.sleep(0.01)
        more = _faces(attempt["view"]) - seen
        assert len(more) <= 2
        seen |= more
        deadline = time.monotonic() + 15
        while traffic.cards() != seen and time.monotonic() < deadline:
            page.wait_for_timeout(20)  # its frame is on the way
        assert traffic.cards() == seen, f"after ply {ply}: {move}"
    expect(page.get_by_role("heading", name="All three peaks cleared")).to_be_visible()
    page.goto(f"/boards/{attempt['competition']}")
    live(page)
    page.goto("/play/daily")
    expect(page.get_by_role("heading", name="All three peaks cleared")).to_be_visible()
    assert traffic.cards() == seen, "the finished daily shows its player no more"
    told = "\n".join(traffic.texts())
    assert code not in told
    assert code.rsplit("-", 1)[1] not in told
    images = [each for each in traffic.addresses if each.endswith((".svg", ".png", ".webp"))]
    assert [each for each in images if "peaks" not in each] == [], "no picture has a card's name"


def _faces(view: View) -> set[str]:
    return {card for card in (*view["tableau"], view["waste"]) if card is not None and card != "??"}


TOMORROW = """
  const real = Date, ahead = 24 * 3600e3;
  Date = class extends real {
    constructor(...given) { if (given.length === 0) super(real.now() + ahead); else super(...given); }
    static now() { return real.now() + ahead; }
  };
"""


def test_C24_a_device_that_is_a_day_ahead_opens_nothing_and_gains_no_time(
    site: ServerProcess, open_page: OpenPage
) -> None:
    player = visitor(site.url, "c24 in the page")
    page = open_page("/play/daily", player=player, script=TOMORROW, timezone_id="Pacific/Kiritimati")
    today = player.daily()["date"]
    tomorrow = (dt.date.fromisoformat(today) + dt.timedelta(days=1)).isoformat()
    assert page.url.endswith(f"/play/daily-{today}")
    page.goto(f"/play/daily-{tomorrow}")
    expect(page.get_by_role("heading", name="Not open yet")).to_be_visible()
    expect(page.get_by_role("button", name="Play", exact=True)).to_have_count(0)
    page.wait_for_timeout(700)  # the page's own clock ticks
    expect(page.get_by_role("heading", name="Not open yet")).to_be_visible()
    with pytest.raises(ApiError) as refused:
        player.start_daily(tomorrow)
    assert refused.value.code == "daily_not_open"
    page.goto("/play/daily")
    board = Board(page)
    board.begin()
    expect(board.figure("time")).to_have_text(re.compile(r"^0:\d\d$"))
    board.play_all(best_line(daily_code(site)))
    expect(page.get_by_role("heading", name="All three peaks cleared")).to_be_visible()
    result = player.start_daily()["result"]
    assert result is not None
    assert 0 < result["elapsed_ms"] < 120_000
    shown = page.get_by_role("region", name="All three peaks cleared").get_by_text(re.compile(r"^\d+:\d\d$"))
    minutes, seconds = (shown.inner_text()).split(":")
    assert int(minutes) * 60 + int(seconds) == result["elapsed_ms"] // 1000, "the server's measure"


def test_C11_a_page_left_open_over_midnight_says_so_and_finishes_the_day_it_began(
    site: ServerProcess, open_page: OpenPage, clock_file: Path
) -> None:
    """Last in this file: it leaves the server a day ahead while it runs."""
    player = visitor(site.url, "c11 in the page")
    attempt = player.start_daily()
    line = best_line(daily_code(site))
    page = open_page("/play/daily", player=player)
    untouched = open_page("/play/daily", player=visitor(site.url, "c11 who only looks"))
    board = Board(page)
    half = len(line) // 2
    board.play_all(line[:half])
    expect(board.figure("moves")).to_have_text(str(half))
    live(page)
    now = dt.datetime.now(dt.UTC)
    midnight = dt.datetime.combine(now.date() + dt.timedelta(days=1), dt.time(), dt.UTC)
    try:
        clock_file.write_text(str((midnight - now).total_seconds() - 3))
        page.wait_for_timeout(3000)
        notice = page.get_by_role("status").filter(has_text="Daily 1 has closed.")
        expect(notice).to_be_visible(timeout=6500)  # within five seconds, and the page's clock may be a heartbeat late
        expect(notice).to_contain_text("You may finish until 00:30 (UTC).")
        expect(untouched.get_by_role("heading", name="This daily is closed")).to_be_visible(timeout=6500)
        expect(untouched.get_by_role("button", name="Play", exact=True)).to_have_count(0)
        board.play_all(line[half:])
        expect(page.get_by_role("heading", name="All three peaks cleared")).to_be_visible()
        ended = player.resume(attempt["id"])
        assert (ended["outcome"], ended["competition"]) == ("won", attempt["competition"])
        assert player.my_place(attempt["competition"] or "")["rank"] is not None
        next_day = f"daily-{midnight.date().isoformat()}"
        assert player.my_place(next_day)["rank"] is None
        notice.get_by_role("link", name="To today's daily").click()
        expect(page).to_have_url(re.compile(f"/play/{next_day}$"))
        board.begin()
        expect(board.figure("moves")).to_have_text("0")
        assert player.start_daily()["competition"] == next_day
    finally:
        clock_file.write_text("0")
