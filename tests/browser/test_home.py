"""The home page in a browser: countdown, tabs, rollover; and all that works without scripts."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response, expect

from games.client import Client
from tests.client.cast import bot, person, play_out
from tests.processes import ServerProcess

from .conftest import CARD, OpenPage


@pytest.fixture(scope="module", autouse=True)
def played(site: ServerProcess) -> None:
    """Two people and a bot have played today's daily."""
    alice, bob = person(site.url, "alice"), person(site.url, "bob")
    for seed, player in enumerate((alice, bob, bot(alice, "alices bot"))):
        play_out(player, player.start_daily(), seed=seed)


def minutes(words: str) -> int:
    """Whole minutes of `5 h 12 min`, `12 min 05 s` or `5 s`."""
    hours, whole = re.search(r"(\d+) h", words), re.search(r"(\d+) min", words)
    return 60 * int(hours[1] if hours else 0) + int(whole[1] if whole else 0)


@pytest.mark.parametrize("device_hours", [0, -7, 30])
def test_the_countdown_goes_by_the_servers_clock(site: ServerProcess, open_page: OpenPage, device_hours: int) -> None:
    """R9.5: a device that is hours off sees the same time left."""
    wrong = f"const now = Date.now; Date.now = () => now() + {device_hours} * 3600e3;"
    page = open_page("/", script=wrong)
    expect(page.locator("#status")).to_have_text("live")
    shown = page.locator("[data-countdown]").inner_text()
    with Client(site.url) as anybody:
        daily = anybody.daily()
    left = dt.datetime.fromisoformat(daily["closes_at"]) - dt.datetime.fromisoformat(daily["now"])
    assert abs(minutes(shown) - left.total_seconds() / 60) < 1.5, shown


def test_the_tabs_are_worked_by_keyboard(open_page: OpenPage) -> None:
    page = open_page("/")
    people, bots = page.get_by_role("tab", name="People"), page.get_by_role("tab", name="Bots")
    expect(people).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel")).to_contain_text("bob")
    people.focus()
    page.keyboard.press("ArrowRight")
    expect(bots).to_be_focused()
    expect(bots).to_have_attribute("aria-selected", "true")
    expect(people).to_have_attribute("tabindex", "-1")
    expect(page.get_by_role("tabpanel")).to_contain_text("alices bot")
    page.keyboard.press("ArrowRight")
    expect(people).to_be_focused()
    page.keyboard.press("End")
    expect(bots).to_be_focused()
    page.keyboard.press("Home")
    expect(people).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowLeft")
    page.reload()
    expect(page.get_by_role("tab", name="Bots")).to_have_attribute("aria-selected", "true")


def test_the_keyboard_reaches_everything_and_can_skip_the_bar(open_page: OpenPage) -> None:
    page = open_page("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="The rules, with pictures")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Play", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/play/daily-*")


def test_without_scripts_both_lists_and_all_facts_are_there(open_page: OpenPage) -> None:
    page = open_page("/", java_script_enabled=False)
    expect(page.get_by_role("heading", name="People")).to_be_visible()
    expect(page.get_by_role("heading", name="Bots")).to_be_visible()
    expect(page.get_by_text("alices bot")).to_be_visible()
    expect(page.get_by_text("bob", exact=True)).to_be_visible()
    expect(page.get_by_text("until it closes at 00:00 UTC")).to_be_visible()
    assert minutes(page.locator("[data-countdown]").inner_text()) <= 24 * 60
    expect(page.get_by_text("Reload the page for newer results.")).to_be_visible()
    expect(page.locator("#status")).to_be_hidden()
    page.get_by_role("link", name="The whole board of bots").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Daily 1")
    expect(page.get_by_role("cell", name="1", exact=True).first).to_be_visible()


def test_hidden_cards_and_codes_are_nowhere_in_the_pages_traffic(site: ServerProcess, open_page: OpenPage) -> None:
    """C23, the page's part: what a spectator's browser gets names no card of a running day."""
    heard: list[str] = []
    answers: list[Response] = []
    page = open_page("about:blank")
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
    page.on("response", lambda response: answers.append(response))
    page.goto("/")
    expect(page.locator("#status")).to_have_text("live")
    carol = person(site.url, "carol")
    play_out(carol, carol.start_daily())
    expect(page.get_by_text("carol", exact=True)).to_be_visible()
    heard += [f"{each.url} {each.text()}" for each in answers]
    assert any('"carol"' in each for each in heard), "the frames were listened to"
    assert [each for each in heard if CARD.search(each)] == []
    assert "TP2-E-" not in "".join(heard)


def test_the_next_day_opens_in_place(site: ServerProcess, open_page: OpenPage, clock_file: Path) -> None:
    """C11, the page's part: a page left open tells of the new day, and shows it."""
    page = open_page("/")
    expect(page.locator("#status")).to_have_text("live")
    page.get_by_role("tab", name="Bots").click()
    page.evaluate("window.notReloaded = true")
    midnight = dt.datetime.combine(dt.datetime.now(dt.UTC).date() + dt.timedelta(days=1), dt.time(), dt.UTC)
    try:
        clock_file.write_text(str((midnight - dt.datetime.now(dt.UTC)).total_seconds() + 40 * 60))
        expect(page.get_by_role("heading", level=1)).to_have_text("Daily 2")
        expect(page.locator(".notice")).to_have_text("Daily 2 has opened.")
        expect(page.get_by_role("tab", name="Bots")).to_have_attribute("aria-selected", "true")
        expect(page.get_by_text("No bot has finished it yet.")).to_be_visible()
        expect(page.get_by_role("heading", name="Yesterday: daily 1")).to_be_visible()
        expect(page.get_by_text("Its game code: TP2-E-")).to_be_visible()
        assert page.evaluate("window.notReloaded")
        _live_again(site, page)
    finally:
        clock_file.write_text("0")


def _live_again(site: ServerProcess, page: Page) -> None:
    """The page follows the new day's lists, not yesterday's."""
    dora = person(site.url, "dora")
    robot = bot(dora, "doras bot")
    play_out(robot, robot.start_daily())
    expect(page.locator('.live-board[data-kind="bots"] bdi')).to_have_text("doras bot")
