"""The table by itself: the page's own module in a real browser, with the test in the server's place.

How the table and a real server get on is the matter of the tests of playing; here is what it draws, says and passes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Page, expect

from games.engine.layout import COVERED_BY, open_slots
from games.suits import JOKER_PATH, SUIT_PATHS
from tests.client.cast import DECK_Z
from tests.processes import ROOT

from .axe import assert_accessible
from .conftest import CARD, OpenPage

DECK = DECK_Z.split()
RANKS = "A23456789TJQK"
# A bare page below a bar: the real policy, sheets and language, and nothing else.
FIXTURE = """async ({ options, wide }) => {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = "/static/games/css/table.css";
  await new Promise((done) => { sheet.onload = done; document.head.append(sheet); });
  const bar = document.querySelector(".bar");
  bar.replaceChildren();
  bar.style.setProperty("height", "3rem");
  const main = document.querySelector("main");
  document.querySelector(".foot")?.remove();
  const root = document.createElement("div");
  root.className = "table";
  if (wide) root.style.setProperty("margin-inline-end", "21rem");
  main.replaceChildren(Object.assign(document.createElement("h1"), { className: "hidden-text", textContent: "Play" }), root);
  const { Table } = await import("/static/games/js/table.js");
  window.sent = [];
  window.pressed = [];
  window.table = new Table(root, {
    interactive: true, controls: ["draw", "undo", "hint", "resign"],
    onMove: (move) => { sent.push(move); if (window.react) window.react(move); },
    onHint: () => pressed.push("hint"), onResign: () => pressed.push("resign"), ...options,
  });
}"""
VIEWPORTS = [(320, 568), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080)]


def position(moves: Iterable[str] = (), pending: Iterable[str] = (), **other: Any) -> dict[str, Any]:
    """What the server would send after these moves on deck Z, in the ruleset of runs."""
    gone, waste, stock, run, score, count = 0, [DECK[28]], DECK[29:], 0, 0, 0
    for move in moves:
        count += 1
        if move == "d":
            waste.append(stock.pop(0))
            run, score = 0, score - 5
        else:
            slot = int(move[1:])
            gone |= 1 << slot
            waste.append(DECK[slot])
            run, score = run + 1, score + run + 1
    uncovered = open_slots(gone)
    tableau = [None if gone >> slot & 1 else DECK[slot] if slot in uncovered else "??" for slot in range(28)]
    fits = [
        f"t{slot}"
        for slot in uncovered
        if abs(RANKS.index(DECK[slot][0]) - RANKS.index(waste[-1][0])) in {1, len(RANKS) - 1}
    ]
    left = 28 - gone.bit_count()
    return {
        "tableau": tableau,
        "open": list(uncovered),
        "waste": waste[-1],
        "wasteCount": len(waste),
        "stock": len(stock),
        "pending": list(pending),
        "legal": [*fits, *(["d"] if stock else [])],
        "score": score,
        "moves": count,
        "run": run,
        "peaks": 3 - (~gone & 0b111).bit_count(),
        "cardsLeft": left,
        "outcome": None if left else "won",
        "closed": not left,
        "undoAllowed": True,
        "ruleset": "R",
        "clock": None,
    } | other


def show(page: Page, moves: Iterable[str] = (), pending: Iterable[str] = (), **other: Any) -> None:
    page.evaluate("(shown) => table.show(shown)", position(moves, pending, **other))


def laid(page: Page, *, options: dict[str, Any] | None = None, wide: bool = False, **other: Any) -> Page:
    """The table in a page that is open, with deck Z on it."""
    page.evaluate(FIXTURE, {"options": options or {}, "wide": wide})
    show(page, **other)
    return page


def slot(page: Page, number: int) -> Any:
    return page.locator(f'.t-board [data-slot="{number}"]')


def box(page: Page, selector: str) -> FloatRect:
    found = page.locator(selector).bounding_box()
    assert found is not None, f"{selector} is not there"
    return found


def focused(page: Page) -> str:
    """The slot that has the focus, else the class of what has it, else the name of the element."""
    return str(
        page.evaluate("(e => e.dataset.slot ?? (e.className.split(' ').at(-1) || e.tagName))(document.activeElement)")
    )


def said(page: Page, words: str) -> None:
    expect(page.locator("#announce")).to_have_text(words)


@pytest.fixture
def table(open_page: OpenPage) -> Page:
    return laid(open_page("/rules"))


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
    show(table, line)
    assert table.locator(".t-spark").count() > 20
    longest = table.evaluate(
        "Math.max(...document.getAnimations().map((each) => each.effect.getComputedTiming().endTime))"
    )
    assert longest < 1200
    table.keyboard.press("Shift")
    expect(table.locator(".t-spark")).to_have_count(0, timeout=500)
    expect(table.locator(".t-flag:visible")).to_have_count(3)


def test_forced_colours_keep_states_apart_by_lines(open_page: OpenPage) -> None:
    page = laid(open_page("/rules", forced_colors="active", color_scheme="dark"))
    style = "(e) => { const s = getComputedStyle(e); return [s.outlineStyle, s.borderTopWidth, s.fill, s.backgroundColor]; }"
    fits, open_face = slot(page, 18).evaluate(style), slot(page, 19).locator(".face").evaluate(style)
    assert fits[0] == "solid"
    assert open_face[1] == "3px"
    assert open_face[2] != open_face[3]  # the mark stands out from the card
    assert slot(page, 19).evaluate(style)[0] == "none"


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


def test_the_change_of_the_score_shows_for_a_second(table: Page) -> None:
    show(table, ["t18", "t19"])
    change = table.locator(".t-change")
    expect(change).to_have_text("+3")
    expect(change).to_be_hidden(timeout=2000)
    expect(table.locator(".t-run")).to_be_visible()
    show(table, ["t18", "t19"], ruleset="E")
    expect(table.locator(".t-run")).to_be_hidden()


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
