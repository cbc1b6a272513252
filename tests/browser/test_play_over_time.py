"""What time does to a page left open: the day closes under it, the attempt expires, the daily becomes final."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.processes import ServerProcess

from .board import Board
from .conftest import OpenPage
from .players import visitor

SOON = 12_000


@pytest.fixture(autouse=True)
def on_time(clock_file: Path) -> None:
    """Every test begins at the present time."""
    clock_file.write_text("0")


def step_to(clock_file: Path, instant: str, seconds: float) -> None:
    """Make it so many seconds after an instant, for the server."""
    at = dt.datetime.fromisoformat(instant) + dt.timedelta(seconds=seconds)
    clock_file.write_text(str((at - dt.datetime.now(dt.UTC)).total_seconds()))


def test_C11_an_unfinished_daily_is_played_on_and_then_expires(
    site: ServerProcess, open_page: OpenPage, clock_file: Path
) -> None:
    player = visitor(site.url, "Late")
    daily = player.daily()
    attempt = player.start_daily()
    page = open_page("/play/daily", player=player)
    board = Board(page)
    expect(page.locator("#status")).to_have_text("live")
    step_to(clock_file, daily["closes_at"], 1)
    notice = page.locator("#notice")
    expect(notice).to_contain_text(f"Daily {daily['number']} has closed.", timeout=SOON)
    expect(notice).to_contain_text("You may finish until 00:30 (UTC).")
    expect(notice.get_by_role("link", name="To today's daily")).to_have_attribute("href", "/play/daily")
    board.play("d")
    expect(board.figure("moves")).to_have_text("1")
    assert player.resume(attempt["id"])["competition"] == daily["board"], "the move still went to the day it began"
    step_to(clock_file, daily["grace_ends_at"], 1)
    expect(page.get_by_role("heading", name="The time is over")).to_be_visible(timeout=SOON)
    assert player.resume(attempt["id"])["outcome"] == "expired"


def test_C11_a_page_that_had_not_begun_leads_to_the_new_day(
    site: ServerProcess, open_page: OpenPage, clock_file: Path
) -> None:
    with_daily = visitor(site.url)
    daily = with_daily.daily()
    page = open_page("/play/daily")
    expect(page.locator("#status")).to_have_text("live")
    step_to(clock_file, daily["closes_at"], 2)
    expect(page.get_by_role("heading", name="This daily is closed")).to_be_visible(timeout=SOON)
    page.locator(".start").get_by_role("link", name="Today's daily").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Daily {daily['number'] + 1}")
    expect(page.get_by_role("button", name=re.compile("^Play as a guest"))).to_be_visible()


def test_a_final_daily_offers_its_cards_for_practice_with_hints(
    site: ServerProcess, open_page: OpenPage, clock_file: Path
) -> None:
    player = visitor(site.url)
    daily = player.daily()
    step_to(clock_file, daily["final_at"], 5)
    page = open_page(f"/play/{daily['board']}", player=player)
    page.get_by_role("link", name="Practise these cards").click()
    expect(page).to_have_url(re.compile("/play/TP2-"))
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#practice-tag")).to_have_text("Practice")
    page.get_by_role("button", name="Hint").click()
    expect(Board(page).message).to_have_text(re.compile("Play the marked card|Draw a card"))
