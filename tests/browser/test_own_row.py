"""One's own row on the live list of home: in view, and right while others finish; and what a first view costs."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from tests.processes import ServerProcess

from .axe import assert_accessible
from .conftest import OpenPage
from .players import Visitor, visitor

ADD = """
from games import clock
from games.models import Player
from leaderboards.models import DailyChallenge
from tests.leaderboards.cast import finish, person
now = clock.now()
daily = DailyChallenge.objects.get(opens_at__lte=now, closes_at__gt=now)
def result(player, score, moves):
    finish(player, score, at=now, code=daily.code, competition=daily.key, moves=moves)
"""
MINE = '.live-board[data-kind="people"] .mine'


def write(site: ServerProcess, lines: str) -> None:
    """Write results as the service does, through one process instead of hundreds of moves."""
    site.manage("shell", "-c", ADD + lines)


@pytest.fixture(scope="module")
def people(site: ServerProcess) -> dict[str, Visitor]:
    """Sixty have won today; kaisa has won with less than all, and a guest with less than her."""
    found = {"kaisa": visitor(site.url, "kaisa"), "guest": visitor(site.url)}
    other = found["guest"].account()["id"]
    found["guest"].daily()  # the server prepares the day where that has not happened yet
    write(
        site,
        f"for n in range(60): result(person(f'p{{n}}'), 771 - n // 4, 29 + n // 4)\n"
        f"result(Player.objects.get(name='kaisa'), 740, 60)\n"
        f"result(Player.objects.get(public_id='{other}'), 739, 61)\n",
    )
    return found


def rank(page: Page) -> int:
    return int(page.locator(f"{MINE} .rank").inner_text())


@pytest.mark.parametrize("width", [320, 1280])
def test_my_row_is_in_view_and_stays_right_while_others_finish(
    site: ServerProcess, open_page: OpenPage, people: dict[str, Visitor], width: int
) -> None:
    """Sixty-first, beyond what the socket tells: the place is asked for."""
    page = open_page("/", width=width, player=people["kaisa"])
    expect(page.locator("#status")).to_have_text("live")
    mine = page.locator(MINE)
    expect(mine).to_have_count(1)
    expect(mine).to_contain_text("you")
    mine.scroll_into_view_if_needed()
    before = rank(page)
    assert before > 60
    write(site, f"result(person('late {width}'), 770, 30)\n")
    expect(mine.locator(".rank")).to_have_text(str(before + 1))
    expect(page.locator("[data-place]").first).to_have_text(f"You are number {before + 1} of {before + 1}.")
    expect(page.locator("[data-place]").last).to_have_text(f"You are number {before + 1} of {before + 1}.")
    expect(page.locator("#announce")).to_have_text(f"You are number {before + 1} of {before + 1}.")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    names = page.locator('.live-board[data-kind="people"] tbody tr .name bdi').all_inner_texts()
    assert len(names) == len(set(names)) == 13
    assert names[-1] == "kaisa"
    page.reload()
    assert rank(page) == before + 1


def test_a_guests_place_moves_too(site: ServerProcess, open_page: OpenPage, people: dict[str, Visitor]) -> None:
    page = open_page("/", player=people["guest"])
    expect(page.locator("#status")).to_have_text("live")
    before = rank(page)
    expect(page.locator("[data-place]").last).to_have_text(f"You would be number {before}.")
    expect(page.locator(f"{MINE} bdi")).to_have_text("You")
    expect(page.get_by_text("Guests play along unlisted.")).to_be_visible()
    write(site, "result(person('later'), 769, 31)\n")
    expect(page.locator("[data-place]").last).to_have_text(f"You would be number {before + 1}.")
    assert rank(page) == before + 1


def test_a_first_view_takes_ten_requests_at_most(open_page: OpenPage, people: dict[str, Visitor]) -> None:
    """Issue 4, "Must reach". The icon counts, too, which Playwright does not tell of."""
    page = open_page("about:blank", player=people["kaisa"])
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(urlsplit(request.url).path)

    page.on("request", note)
    page.goto("/", wait_until="networkidle")
    expect(page.locator("#status")).to_have_text("live")
    page.wait_for_timeout(500)
    icon = page.locator('link[rel="icon"]').get_attribute("href")
    everything = [*asked, *({str(icon)} - set(asked))]
    assert len(everything) <= 10, everything


@pytest.mark.parametrize("who", ["kaisa", "guest", None])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_home_is_accessible(open_page: OpenPage, people: dict[str, Visitor], who: str | None, scheme: str) -> None:
    page = open_page("/", width=390, player=people[who] if who else None, color_scheme=scheme)
    expect(page.locator("#status")).to_have_text("live")
    assert_accessible(page, "closed")
    page.get_by_role("button", name="Menu").click()
    assert_accessible(page, "with the menu open")


def test_the_language_is_changed_at_the_foot_of_the_page(open_page: OpenPage) -> None:
    page = open_page("/numbered?filter=unbeaten", width=390, java_script_enabled=False)
    page.get_by_role("button", name="Suomi").click()
    expect(page.locator("html")).to_have_attribute("lang", "fi")
    expect(page).to_have_url(re.compile(r"/numbered\?filter=unbeaten$"))
    expect(page.locator(".languages [aria-current]")).to_have_text("Suomi")
