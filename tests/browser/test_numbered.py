"""Numbered games in a browser: from the bar to a game and on, by keyboard, on the smallest screens."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.client.cast import person, play_badly
from tests.processes import ServerProcess

from .conftest import Complaints, OpenPage


@pytest.fixture(scope="module", autouse=True)
def played(site: ServerProcess) -> None:
    """The first hundred games are solved; somebody with a long name has lost the second."""
    site.manage("solve_numbered", "--upto", "100", "--processes", "1")
    alice = person(site.url, "WWWWWWWWWWWWWWWWWWWWWWWW")
    attempt = play_badly(alice, alice.start(number=2))
    if not attempt["closed"]:
        alice.resign(attempt["id"])


def test_from_the_bar_to_a_game_and_its_neighbours(open_page: OpenPage) -> None:
    page = open_page("/")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Numbered").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Numbered games")
    row = page.get_by_role("row", name="WWWWWWWWWWWWWWWWWWWWWWWW")
    expect(row).to_contain_text("left ·")
    row.get_by_role("link", name="2", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Game 2")
    expect(page.get_by_text("It can be won, in as few as 42 moves.")).to_be_visible()
    expect(page.get_by_text("Nobody has beaten it yet.")).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Game 3")
    page.get_by_role("link", name="Random unbeaten").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Game ")


def test_a_number_that_is_none_is_mended_where_it_was_typed(open_page: OpenPage) -> None:
    page = open_page("/numbered")
    field = page.get_by_label("Number of a game")
    field.fill("007")
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    expect(field).to_have_value("007")
    expect(field).to_have_accessible_description("Numbered games are 1 to 50000, in plain digits.")
    field.fill("7")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Game 7")


@pytest.mark.parametrize("address", ["/numbered", "/numbered/007", "/numbered/2", "/numbered/400"])
def test_the_pages_fit_every_screen(open_page: OpenPage, complaints: Complaints, address: str) -> None:
    complaints.forgive("404 (Not Found)")
    page = open_page(address)
    for width in (320, 390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        cut = page.evaluate(
            """() => [...document.querySelectorAll('main *')].filter((each) => {
                const box = each.getBoundingClientRect();
                return box.width > 1 && box.right > (each.closest('.panel') ?? document.body)
                    .getBoundingClientRect().right + 1;
            }).map((each) => each.outerHTML.slice(0, 80))"""
        )
        assert cut == [], width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        low = page.evaluate(
            """() => [...document.querySelectorAll('.bar a, .button, .tabs a, .sub-tabs a, .numbered tbody a')]
                .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 44).map((each) => each.textContent)"""
        )
        assert low == [], width


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("state", ["live", "reconnecting"])
def test_the_bar_has_room_for_its_six_links(open_page: OpenPage, state: str, width: int) -> None:
    page = open_page("/", width=width)
    expect(page.locator("#status")).to_have_text("live")
    page.evaluate(
        """(state) => {
            document.querySelector('#status').dataset.state = state;
            document.querySelector('#status-text').textContent = state;
        }""",
        state,
    )
    menu = page.get_by_role("button", name="Menu")
    if width < 768:
        expect(page.get_by_role("link", name="Numbered")).to_be_hidden()
        menu.click()
    expect(menu).to_be_visible(visible=width < 768)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = [each.bounding_box() for each in page.locator(".bar a, .bar .menu:visible, .bar .pill").all()]
    assert len(boxes) == (9 if width < 768 else 8)
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
    assert all(box and box["height"] >= 44 for box in boxes[:-1])
    assert page.locator(".bar nav [aria-current]").inner_text() == "Daily"


def test_the_menu_is_worked_by_keyboard(open_page: OpenPage) -> None:
    page = open_page("/numbered", width=390)
    menu = page.get_by_role("button", name="Menu")
    menu.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Daily", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Daily", exact=True)).to_be_hidden()
    expect(menu).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Rules").click()
    page.wait_for_url("**/rules")
