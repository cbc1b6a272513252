"""Board, replay, search and not found in a browser, and the width of every page on a small phone."""

from __future__ import annotations

import itertools
import re

import pytest
from playwright.sync_api import expect

from tests.client.cast import bot, person, play_out
from tests.processes import ServerProcess

from .conftest import CARD, Complaints, OpenPage

CODE = "TP1-E-AAAAAAB"


@pytest.fixture(scope="module")
def attempt(site: ServerProcess) -> str:
    """A public attempt of a person with the longest name there can be, and one of a bot."""
    alice = person(site.url, "Alice Wonderland-Nguyen4")
    robot = bot(alice, "WWWWWWWWWWWWWWWWWWWWWWWW")
    ids = []
    for player in (robot, alice):
        played = play_out(player, player.start(code=CODE))
        if not played["closed"]:
            player.resign(played["id"])
        ids.append(played["id"])
        play_out(player, player.start_daily())
    return ids[1]


def test_from_the_search_to_a_board_to_a_replay(open_page: OpenPage, attempt: str) -> None:
    page = open_page("/boards")
    page.get_by_label("Game code, number or date").fill("tp1-e-12")
    page.get_by_role("button", name="Open the board").click()
    field = page.get_by_label("Game code, number or date")
    expect(field).to_be_focused()
    expect(field).to_have_value("tp1-e-12")
    expect(field).to_have_accessible_description(
        "Such as TP1-E-AAAAAAB, 17 or 2026-11-29. Spaces and small letters are fine. "
        "After TP1 and the ruleset a game code has 7 characters; here it has 2."
    )
    field.fill(" tp1 e aaaaaab ")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(CODE)
    expect(page).to_have_url(re.compile(f"/boards/{CODE}$"))
    expect(page.locator("#status")).to_have_text("live")
    page.get_by_role("row", name="Alice Wonderland-Nguyen4").get_by_role("link", name="Won", exact=True).click()
    expect(page).to_have_url(re.compile(f"/attempts/{attempt}$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Alice Wonderland-Nguyen4: ")
    first = page.get_by_role("table").get_by_role("row").nth(1)
    expect(first).to_contain_text("Opening, waste A♣︎ace of clubs")
    expect(page.get_by_role("list", name="The 28 cards of the tableau").get_by_role("listitem")).to_have_count(28)
    page.get_by_role("link", name=CODE).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(CODE)


def test_the_tableau_is_laid_out_as_the_peaks_are(open_page: OpenPage, attempt: str) -> None:
    page = open_page(f"/attempts/{attempt}")
    boxes = [each.bounding_box() for each in page.locator(".tableau .at").all()]
    middles = [box["x"] + box["width"] / 2 for box in boxes if box]
    rows = [range(3), range(3, 9), range(9, 18), range(18, 28)]
    for upper, lower in itertools.pairwise(rows):
        assert all(boxes[a]["y"] < boxes[b]["y"] for a in upper for b in lower if boxes[a] and boxes[b])  # type: ignore[index]
    covers = [(slot, slot + 9, slot + 10) for slot in range(9, 18)] + [(0, 3, 4), (1, 5, 6), (2, 7, 8), (8, 16, 17)]
    for slot, left, right in covers:
        assert middles[slot] == pytest.approx((middles[left] + middles[right]) / 2, abs=1)


def test_unknown_addresses_get_a_page_with_a_way_on(open_page: OpenPage, complaints: Complaints) -> None:
    complaints.forgive("404 (Not Found)")
    page = open_page("/attempts/0123456789abcdef")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
    page.get_by_role("link", name="Today's daily").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Daily 1")


@pytest.mark.parametrize(
    "address", ["/", "/#bots", "/boards", "/boards?code=nonsense", f"/boards/{CODE}", "/attempts/", "/nowhere"]
)
def test_no_page_scrolls_sideways(open_page: OpenPage, complaints: Complaints, attempt: str, address: str) -> None:
    complaints.forgive("404 (Not Found)")
    page = open_page(address + attempt if address == "/attempts/" else address)
    page.wait_for_load_state("networkidle")
    for width in (320, 390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        cut = page.evaluate(
            """() => [...document.querySelectorAll('main *')].filter((each) => {
                const box = each.getBoundingClientRect();
                return box.width > 1 && box.right > innerWidth + 1;
            }).map((each) => each.outerHTML.slice(0, 80))"""
        )
        assert cut == [], width


@pytest.mark.parametrize("address", ["/", f"/boards/{CODE}?kind=bots", "/boards"])
def test_what_is_tapped_is_large_enough(open_page: OpenPage, attempt: str, address: str) -> None:
    page = open_page(address, width=390)
    for each in page.locator(
        ".brand, .menu, .button, .tabs a, .tabs button, .sub-tabs a, .links a, .more a, .foot-links a, .languages button"
    ).all():
        box = each.bounding_box()
        assert box is None or box["height"] >= 44, each.inner_text()


@pytest.mark.parametrize("options", [{"reduced_motion": "reduce"}, {"forced_colors": "active"}])
def test_the_page_respects_what_the_system_asks_for(open_page: OpenPage, options: dict[str, str]) -> None:
    page = open_page("/", **options)
    expect(page.locator("#status")).to_have_text("live")
    if "reduced_motion" in options:
        moving = page.evaluate("document.getAnimations().filter((each) => each.playState === 'running').length")
        assert moving == 0
    else:
        border = page.evaluate("getComputedStyle(document.querySelector('.button')).borderTopStyle")
        assert border == "solid"


def test_the_listening_for_complaints_hears_a_broken_policy(open_page: OpenPage, complaints: Complaints) -> None:
    """The control of `complaints`: an inline script is blocked, and heard of."""
    page = open_page("/boards")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))")
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None
    assert len(complaints.left) == 1
    complaints.forgive("Content Security Policy")


def test_the_look_for_cards_finds_them_where_they_may_be(open_page: OpenPage, attempt: str) -> None:
    """The control of C23's page part: a public replay is full of what a running day must not show."""
    page = open_page(f"/attempts/{attempt}")
    assert len(CARD.findall(page.content())) > 100
