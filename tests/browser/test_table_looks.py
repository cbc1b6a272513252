"""How the table by itself looks: sizes, places, motion and colours."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .bare_table import box, focused, laid, position, show, slot
from .conftest import OpenPage

VIEWPORTS = [(320, 568), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080)]


def test_the_tray_has_large_targets_that_stay_under_the_finger(open_page: OpenPage) -> None:
    page = laid(open_page("/rules", width=390, height=844, has_touch=True, is_mobile=True))
    cells = page.locator(".t-tray [data-slot]")
    expect(cells).to_have_count(10)
    for cell in cells.all():
        found = cell.bounding_box()
        assert found is not None
        assert min(found["width"], found["height"]) >= 44
    before = box(page, '.t-tray [data-slot="27"]')
    page.locator('.t-tray [data-slot="18"]').tap()
    assert page.evaluate("sent") == ["t18"]
    show(page, ["t18", "t19"])
    expect(page.locator('.t-tray [data-slot="9"]')).to_contain_text("K")  # a free cell for the card turned up
    assert box(page, '.t-tray [data-slot="27"]') == before
    page.evaluate("document.documentElement.dataset.tray = 'off'")
    expect(page.locator(".t-tray")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), VIEWPORTS)
def test_nothing_scrolls_while_playing_and_cards_are_large(open_page: OpenPage, width: int, height: int) -> None:
    page = laid(open_page("/rules", width=width, height=height), wide=width >= 1024)
    page.evaluate("table.message('Must be one higher or lower.')")
    sizes = page.evaluate(
        """() => [document.documentElement, document.querySelector(".table")].flatMap((e) =>
        [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight])"""
    )
    assert sizes == [0, 0, 0, 0]
    board, stock, room = box(page, ".t-board"), box(page, ".t-stock-top"), box(page, ".table")
    card = board["width"] / 10.45
    flat = width == 844
    # As large as the width allows, and where that is not the limit, as the height allows.
    assert board["width"] > 0.9 * (room["width"] - (144 if flat else 0)) or board["height"] > 0.45 * room["height"]
    assert board["height"] / card == pytest.approx(1.4 * 2.65, rel=0.01)
    assert stock["width"] >= (card if not flat else 0.9 * card) - 1
    assert (stock["x"] > board["x"] + board["width"]) == flat  # beside it on a phone that lies
    if width < 640:
        assert stock["width"] > 1.5 * card


def test_the_board_is_not_mirrored_in_a_page_that_runs_from_right_to_left(open_page: OpenPage) -> None:
    page = open_page("/rules")
    page.evaluate("document.documentElement.dir = 'rtl'")
    laid(page)
    places = {number: slot(page, number).bounding_box()["x"] for number in range(18, 28)}
    assert sorted(places, key=lambda number: places[number]) == list(range(18, 28))
    slot(page, 18).focus()
    page.keyboard.press("ArrowRight")
    assert focused(page) == "19"
    show(page, ["d", "d", "d"])
    assert page.locator(".t-score bdi").inner_text() == "-15"
    assert page.locator(".t-score bdi").get_attribute("dir") == "ltr"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("how", ["system", "setting", "none"])
def test_nothing_moves_for_who_wants_it_still(open_page: OpenPage, how: str) -> None:
    page = laid(open_page("/rules", reduced_motion="reduce" if how == "system" else "no-preference"))
    if how == "setting":
        page.evaluate("document.documentElement.dataset.motion = 'off'")
    count = page.evaluate(
        """(steps) => { for (const step of steps) table.show(step); table.refuse("t20", "No.");
        return document.getAnimations().length; }""",
        [position(), position([], ["t18"]), position(["t18"]), position(["t18", "t19"])],
    )
    assert (count > 0) == (how == "none")


def test_the_moment_of_a_win_is_short_and_any_input_ends_it(table: Page) -> None:
    line = [f"t{number}" for number in [*range(18, 28), *range(9, 18), *range(3, 9), 0, 1, 2]]
    show(table, line[:-1])
    sparks, longest = table.evaluate(
        """(won) => { table.show(won); return [document.querySelectorAll(".t-spark").length,
        Math.max(...document.getAnimations().map((each) => each.effect.getComputedTiming().endTime))]; }""",
        position(line),
    )
    assert sparks > 20
    assert longest < 1200
    table.keyboard.press("Shift")
    assert table.locator(".t-spark").count() == 0
    expect(table.locator(".t-flag:visible")).to_have_count(3)


def test_forced_colours_keep_states_apart_by_lines(open_page: OpenPage) -> None:
    page = laid(open_page("/rules", forced_colors="active", color_scheme="dark"))
    style = "(e) => { const s = getComputedStyle(e); return [s.outlineStyle, s.borderTopWidth, s.fill, s.backgroundColor]; }"
    fits, open_face = slot(page, 18).evaluate(style), slot(page, 19).locator(".face").evaluate(style)
    assert fits[0] == "solid"
    assert open_face[1] == "3px"
    assert open_face[2] != open_face[3]  # the mark stands out from the card
    assert slot(page, 19).evaluate(style)[0] == "none"


def test_the_change_of_the_score_shows_for_a_second(table: Page) -> None:
    show(table, ["t18", "t19"])
    change = table.locator(".t-change")
    expect(change).to_have_text("+3")
    expect(change).to_be_hidden()
    expect(table.locator(".t-run")).to_be_visible()
    show(table, ["t18", "t19"], ruleset="E")
    expect(table.locator(".t-run")).to_be_hidden()
