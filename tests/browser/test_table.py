"""The table by itself: the page's own module in a real browser, with the test in the server's place.

How the table and a real server get on is the matter of the tests of playing; here is what it draws, says and passes on.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from games.engine.layout import COVERED_BY
from games.suits import JOKER_PATH, SUIT_PATHS
from tests.processes import ROOT

from .axe import assert_accessible
from .bare_table import box, focused, laid, position, said, show, slot
from .conftest import CARD, OpenPage


def test_cards_say_what_and_where_they_are_and_what_covers_them(table: Page) -> None:
    expect(slot(table, 18)).to_have_accessible_name("three of hearts, row 4, card 1, can be played")
    expect(slot(table, 19)).to_have_accessible_name("four of hearts, row 4, card 2, open")
    expect(slot(table, 9)).to_have_accessible_name("face-down card, row 3, card 1, covered by 2 cards")
    show(table, ["t18"])
    expect(slot(table, 9)).to_have_accessible_name("face-down card, row 3, card 1, covered by 1 card")
    expect(table.get_by_role("button", name="Draw, 23 cards left in the stock")).to_be_visible()
    expect(table.get_by_role("img", name="Waste: three of hearts")).to_be_visible()
    names = [each.get_attribute("data-slot") for each in table.locator(".t-board button").all()]
    assert names == [str(number) for number in range(28)]  # reading order


def test_nothing_in_the_page_tells_a_card_that_lies_face_down(table: Page) -> None:
    assert table.locator(".t-board .face").count() == 10
    assert table.locator(".t-board .back").count() == 18
    html = table.locator(".t-board").inner_html()
    assert html.count("face-down card") == 18
    assert not CARD.search(html)
    show(table, ["t18"], ["t19"])  # the card below is not turned before the server has sent it
    assert slot(table, 9).locator(".back").count() == 1
    show(table, ["t18", "t19"])
    expect(slot(table, 9)).to_have_accessible_name("king of clubs, row 3, card 1, open")
    expect(slot(table, 9).locator(".back")).to_have_count(0)  # once it has turned


def test_a_tap_is_drawn_at_once_and_the_card_lies_tilted_until_the_answer(table: Page) -> None:
    table.evaluate("(after) => { window.react = () => table.show(after); }", position([], ["t18"]))
    drawn = table.evaluate(
        """() => { document.querySelector('[data-slot="18"]').click();
        return [sent.length, document.querySelector('[data-slot="18"]').hidden]; }"""
    )
    assert drawn == [1, True]
    expect(table.locator(".t-waste .pending")).to_have_count(1)
    assert table.locator(".t-waste .pending").evaluate("(e) => getComputedStyle(e).rotate") != "none"
    show(table, ["t18"])
    expect(table.locator(".t-waste .pending")).to_have_count(0)
    expect(table.locator(".t-waste .t-lying").last.locator("text")).to_have_text("3")


def test_a_double_tap_sends_one_move_and_two_quick_taps_send_two(table: Page) -> None:
    table.evaluate(
        "(shown) => { const all = []; window.react = (move) => { all.push(move); table.show({ ...shown, pending: all }); }; }",
        position(),
    )
    slot(table, 18).dblclick()  # the second tap meets the card below
    assert table.evaluate("sent") == ["t18"]
    expect(table.locator(".t-why")).to_be_hidden()
    slot(table, 19).click()
    slot(table, 20).click()
    assert table.evaluate("sent") == ["t18", "t19", "t20"]
    table.get_by_role("button", name="Undo").dblclick()
    assert table.evaluate("sent.slice(3)") == ["u", "u"]


def test_what_the_server_has_ruled_out_stays_in_its_place(table: Page) -> None:
    show(table, [], ["t19"])  # a four does not go on a two
    expect(slot(table, 19)).to_have_attribute("aria-busy", "true")
    expect(table.locator(".t-waste .pending")).to_have_count(0)
    show(table, [])
    assert slot(table, 19).get_attribute("aria-busy") is None


def test_a_refusal_stands_beside_the_card_and_is_said(table: Page) -> None:
    for number in (19, 9, 27, 3):
        table.evaluate("(move) => table.refuse(move, 'This card is blocked.')", f"t{number}")
        words, card = box(table, ".t-why"), slot(table, number).bounding_box()
        assert card is not None
        assert abs(words["x"] + words["width"] / 2 - card["x"] - card["width"] / 2) < words["width"]
        assert min(abs(words["y"] - card["y"] - card["height"]), abs(words["y"] + words["height"] - card["y"])) < 16
        assert words["x"] >= 0
        assert words["x"] + words["width"] <= 1280
    said(table, "This card is blocked.")
    table.evaluate("table.refuse('t19', '')")  # without mistake help
    expect(table.locator(".t-why")).to_be_hidden()
    table.evaluate("table.refuse('d', 'The stock is empty.')")
    expect(table.locator(".t-said")).to_have_text("The stock is empty.")


def test_arrows_go_where_the_eye_sees_them_and_down_to_the_buttons(table: Page) -> None:
    slot(table, 18).focus()
    ways = [("ArrowRight", "19"), ("ArrowUp", "9"), ("ArrowRight", "10"), ("ArrowUp", "3"), ("ArrowUp", "0")]
    ways += [
        ("ArrowRight", "1"),
        ("ArrowDown", "5"),
        ("ArrowDown", "12"),
        ("ArrowDown", "21"),
        ("ArrowDown", "t-stock"),
    ]
    ways += [("ArrowRight", "t-hint"), ("ArrowUp", "t-undo"), ("ArrowUp", "24"), ("ArrowLeft", "23")]
    for key, expected in ways:
        table.keyboard.press(key)
        assert focused(table) == expected, key
    reached = table.evaluate("[...document.querySelectorAll('.t-board button')].filter(e => e.tabIndex === 0).length")
    assert reached == 10  # the Tab key leads to the open cards alone


def test_the_focus_goes_on_to_the_next_card_that_fits_and_never_to_the_body(table: Page) -> None:
    slot(table, 18).focus()
    table.keyboard.press("Enter")
    assert table.evaluate("sent") == ["t18"]
    show(table, [], ["t18"])
    assert focused(table) == "19"  # nobody knows yet what fits
    show(table, ["t18"])
    assert focused(table) == "19"
    show(table, ["t18"], ["t19"])
    show(table, ["t18", "t19"])
    assert focused(table) == "20"
    line = [f"t{number}" for number in [*range(18, 28), *range(9, 18), *range(3, 9), 0, 1, 2]]
    for done in range(2, 28):
        slot(table, int(line[done][1:])).focus()
        show(table, line[:done], line[done : done + 1])
        assert focused(table) != "BODY"
        show(table, line[: done + 1])
        fits = [move[1:] for move in position(line[: done + 1])["legal"]]
        assert focused(table) in fits if done < 27 else focused(table) == "t-stock"


def test_a_held_key_plays_one_card(table: Page) -> None:
    slot(table, 18).focus()
    for _ in range(3):
        table.keyboard.down("Enter")
        show(table, [], ["t18"])
    assert table.evaluate("sent") == ["t18"]


def test_letters_are_keys_except_where_somebody_writes(table: Page) -> None:
    for key in ("d", "U", "h"):
        table.keyboard.press(key)
    assert table.evaluate("[sent, pressed]") == [["d", "u"], ["hint"]]
    for key in ("Control+d", "Alt+u", "Meta+h"):
        table.keyboard.press(key)
    table.evaluate("document.querySelector('main').append(document.createElement('input'))")
    table.locator("input").last.fill("d")
    table.keyboard.type("duh?")
    assert table.evaluate("[sent, pressed]") == [["d", "u"], ["hint"]]
    slot(table, 20).focus()
    table.keyboard.press("?")
    dialog = table.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("Draw")
    table.keyboard.press("d")
    assert_accessible(table, "the list of keys")
    table.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert focused(table) == "20"
    assert table.evaluate("sent") == ["d", "u"]
    table.evaluate("table.lock(true)")
    table.keyboard.press("d")
    slot(table, 18).click()
    assert table.evaluate("sent") == ["d", "u"]


def test_help_switched_off_neither_marks_nor_tells_what_fits(open_page: OpenPage) -> None:
    page = open_page("/rules")
    page.evaluate("document.documentElement.dataset.help = 'off'")
    laid(page)
    expect(slot(page, 18)).to_have_accessible_name("three of hearts, row 4, card 1, open")
    expect(page.locator(".fits")).to_have_count(0)


def test_a_table_to_look_at_has_pictures_and_no_tab_stops(open_page: OpenPage) -> None:
    page = laid(open_page("/rules"), options={"interactive": False})
    assert page.locator(".table button, .table [tabindex]").count() == 0
    expect(page.get_by_role("img", name="three of hearts, row 4, card 1, open")).to_be_visible()
    expect(page.get_by_role("img", name="Stock, 23 cards left")).to_be_visible()
    assert_accessible(page, "a table to look at")


@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_in_any_state_of_the_table(open_page: OpenPage, width: int) -> None:
    page = laid(open_page("/rules", width=width, height=844))
    assert_accessible(page, "at the start")
    show(page, ["t18", "d"], ["t19", "t25", "d"])
    assert_accessible(page, "with moves under way")
    show(page, ["t18", "d"])
    page.evaluate("table.refuse('t25', 'Must be one higher or lower.'); table.hint('d')")
    assert_accessible(page, "refused, and a hint")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([], ["t18"], "Played: three of hearts. Score: 1."),
        (["t18"], ["t18", "t19"], "Played: four of hearts. Turned up: king of clubs. Score: 3."),
        ([], ["d"], "Drawn: seven of hearts. Score: -5. 22 cards left in the stock."),
        (["t18"], [], "Move undone. Waste: two of hearts. Score: 0."),
    ],
)
def test_a_move_is_told_in_words(table: Page, before: list[str], after: list[str], words: str) -> None:
    move = after[-1] if len(after) > len(before) else "u"
    table.evaluate(
        """async ([before, after, move]) => {
        const { announce, moveWords } = await import("/static/games/js/announce.js");
        announce(moveWords(before, after, move)); }""",
        [position(before), position(after), move],
    )
    said(table, words)


def test_scripts_and_templates_draw_the_same_suits() -> None:
    source = (ROOT / "games" / "static" / "games" / "js" / "cards.js").read_text()
    assert dict(re.findall(r'^  ([CDHS]): "(M[^"]+)",$', source, re.MULTILINE)) == SUIT_PATHS
    assert f'"{JOKER_PATH}"' in source
    assert len(SUIT_PATHS) == 4


def test_scripts_know_what_lies_on_what(table: Page) -> None:
    covered = table.evaluate(
        """async () => { const { coveredBy } = await import("/static/games/js/layout.js");
        return Array.from({ length: 28 }, (_, slot) => coveredBy(slot)); }"""
    )
    assert [tuple(each) for each in covered] == list(COVERED_BY)


def test_a_press_that_began_on_a_card_still_turning_counts(table: Page) -> None:
    """A browser gives no click when what the press began on has gone by its end, and a back goes once it has turned."""
    turned = position(["t18", "t19"], score=0)
    table.evaluate(
        "(shown) => { table.show(shown); for (const each of document.getAnimations()) each.pause(); }", turned
    )
    assert slot(table, 9).locator(".back").count() == 1  # over the face, in the middle of its turn
    place = slot(table, 9).bounding_box()
    assert place is not None
    table.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    table.mouse.down()
    table.evaluate("() => { for (const each of document.getAnimations()) each.finish(); }")
    expect(slot(table, 9).locator(".back")).to_have_count(0)
    table.mouse.up()
    assert table.evaluate("sent") == ["t9"]
