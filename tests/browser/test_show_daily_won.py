"""Whole games as people play them: by mouse, by touch and with keys alone; won, lost, undone, refused, shared."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.processes import ServerProcess

from .board import Board, How
from .conftest import CARD, OpenPage
from .players import best_line, daily_code, deck_code, log_of, losing_line, visitor
from .profiles import DESKTOP, PHONE, SMALL_PHONE, Options
from .traffic import Traffic

WAYS: dict[How, Options] = {"mouse": DESKTOP, "touch": PHONE, "keys": DESKTOP}
NUMBER_ONE = "TP1-G-AAAAAAB"


def shared_text(page: Page, board: Board) -> str:
    """What the button Share puts on the clipboard."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    board.press(page.get_by_role("button", name="Share"))
    expect(page.get_by_text("Copied.")).to_be_visible()
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def attempt_of(page: Page) -> str:
    """The id of the attempt that this page's visitor made last."""
    found: str = page.evaluate("fetch('/api/v1/attempts').then((a) => a.json()).then((a) => a.attempts[0].id)")
    return found


@pytest.mark.parametrize("how", WAYS)
def test_a_whole_daily_is_won_and_its_row_appears_in_front_of_everybody(
    how: How, site: ServerProcess, open_page: OpenPage
) -> None:
    name = f"by {how}"
    page = open_page("/", player=visitor(site.url, name), **WAYS[how])
    elsewhere = open_page("/")
    expect(elsewhere.locator("#status")).to_have_text("live")
    board = Board(page, how)
    board.press(page.get_by_role("main").get_by_role("link", name=re.compile("^Play")).first)
    board.begin()
    line = best_line(daily_code(site))
    board.play_all(line)
    expect(page.get_by_role("heading", name="All three peaks cleared")).to_be_focused()
    expect(page.get_by_text(re.compile(r"^Your place is number \d"))).to_be_visible()
    expect(board.undo).to_have_count(0)  # a daily has none
    assert log_of(site, attempt_of(page)) == line, "nothing was played twice or left out"
    row = elsewhere.get_by_role("tabpanel", name=re.compile("^People")).locator("tbody tr", has_text=name)
    expect(row).to_be_visible()
    text = shared_text(page, board)
    assert text.startswith("TriPeaks daily 1 · won · "), text
    assert "▲▲▲" in text
    assert not CARD.search(f" {text} "), text
    assert "TP2-" not in text


def test_a_lost_daily_is_ranked_too_and_says_what_comes_next(site: ServerProcess, open_page: OpenPage) -> None:
    page = open_page("/play/daily", player=visitor(site.url, "too many draws"), **PHONE)
    board = Board(page, "touch")
    board.begin()
    board.play_all(losing_line(daily_code(site)))
    end = page.get_by_role("region", name="No moves left")
    expect(end).to_be_visible()
    expect(end.get_by_text(re.compile(r"\bLast card: \w+ of \w+\b"))).to_be_visible()
    expect(end.get_by_text(re.compile(r"\b\d+ cards? left\b"))).to_be_visible()
    expect(end.get_by_role("button", name=re.compile("^Undo"))).to_have_count(0)
    expect(end.get_by_role("link", name="Standings")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^Your place is number \d"))).to_be_visible()
    assert "△" in shared_text(page, board)


@pytest.mark.parametrize("how", WAYS)
def test_a_stuck_game_can_be_undone_started_again_or_left(how: How, site: ServerProcess, open_page: OpenPage) -> None:
    code = deck_code("V", "RC")  # after the last card only a king beside an ace would fit
    page = open_page(f"/play/{code}", player=visitor(site.url), **WAYS[how])
    board = Board(page, how)
    board.begin()
    board.play_all(["d"] * 23)
    end = page.get_by_role("region", name="No moves left")
    expect(end.get_by_role("heading")).to_be_focused()
    expect(end.get_by_text("Last card: king of clubs")).to_be_visible()
    expect(end.get_by_role("link", name="New deal")).to_be_visible()
    expect(end.get_by_role("button", name="Share")).to_be_visible()
    first = attempt_of(page)
    board.press(end.get_by_role("button", name=re.compile("^Undo")))
    expect(end).to_have_count(0)
    expect(board.stock).to_have_accessible_name("Draw, 1 card left in the stock")
    assert page.evaluate("document.activeElement !== document.body")
    board.play("d")
    expect(end).to_be_visible()
    assert log_of(site, first) == [*["d"] * 23, "u", "d"]
    board.press(end.get_by_role("button", name="Same deal again"))
    expect(board.stock).to_have_accessible_name("Draw, 23 cards left in the stock")
    expect(end).to_have_count(0)
    assert page.evaluate("document.activeElement !== document.body")
    board.play("d")
    expect(board.figure("moves")).to_have_text("1")
    assert attempt_of(page) != first


def test_a_numbered_game_leads_to_the_next_number(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    attempt = player.start(code=NUMBER_ONE)
    *before, last = losing_line(NUMBER_ONE)
    for ply, move in enumerate(before):
        player.move(attempt["id"], move, ply)
    page = open_page(f"/play/{NUMBER_ONE}", player=player)
    Board(page).play(last)
    end = page.get_by_role("region", name="No moves left")
    end.get_by_role("link", name="Next game").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Game 2")
    expect(Board(page).slot(18)).to_have_accessible_name(re.compile("can be played$"))  # in one tap


@pytest.mark.parametrize("how", WAYS)
def test_practice_has_undo_hints_and_an_answer_whether_it_can_still_be_won(
    how: How, site: ServerProcess, open_page: OpenPage
) -> None:
    page = open_page(f"/play/{deck_code('Z')}", **WAYS[how])  # nobody yet: the first tap makes a guest
    board = Board(page, how)
    if how == "keys":
        board.tab_to(page.get_by_role("checkbox", name="Practice"))
        page.keyboard.press("Space")
    else:
        board.press(page.get_by_role("checkbox", name="Practice"))
    board.begin()
    board.play_all(["t18", "t19", "d"])
    expect(board.figure("score")).to_have_text("-2")
    board.play_all(["u", "u"])
    expect(board.slot(19)).to_have_accessible_name("four of hearts, row 4, card 2, can be played")
    expect(board.figure("score")).to_have_text("1")
    expect(board.figure("moves")).to_have_text("3")
    if how == "keys":
        page.keyboard.press("h")
    else:
        board.press(page.get_by_role("button", name="Hint"))
    expect(board.message).to_have_text("Play the marked card.")
    expect(board.slot(19)).to_have_class(re.compile("hinted"))
    board.press(page.get_by_role("button", name=re.compile("winnable", re.IGNORECASE)))
    expect(board.message).to_have_text("Yes, this can still be won.")
    assert log_of(site, attempt_of(page)) == ["t18", "t19", "d", "u", "u"]


@pytest.mark.parametrize("profile", [DESKTOP, PHONE, SMALL_PHONE], ids=["desktop", "phone", "small phone"])
def test_a_refusal_is_explained_beside_its_card(profile: Options, site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    attempt = player.start(code=deck_code("Z"))
    page = open_page(f"/play/{attempt['code']}", player=player, **profile)
    board = Board(page, "touch" if profile.get("has_touch") else "mouse")
    width, height = profile["viewport"]["width"], profile["viewport"]["height"]
    for slot, words in (
        (19, "Must be one higher or lower."),
        (27, "Must be one higher or lower."),
        (9, "This card is blocked."),
    ):
        board.press(board.slot(slot))
        expect(board.why).to_be_visible()
        expect(board.why).to_have_text(words)
        expect(page.locator("#announce")).to_contain_text(words)
        card, why = board.slot(slot).bounding_box(), board.why.bounding_box()
        assert card is not None
        assert why is not None
        apart_x = max(card["x"] - why["x"] - why["width"], why["x"] - card["x"] - card["width"], 0)
        apart_y = max(card["y"] - why["y"] - why["height"], why["y"] - card["y"] - card["height"], 0)
        assert apart_x == 0, (slot, card, why)
        assert apart_y <= 16, (slot, card, why)
        assert 0 <= why["x"] <= width - why["width"], "the words are cut off"
        assert 0 <= why["y"] <= height - why["height"], "the words are cut off"
        expect(board.slot(slot)).to_be_visible()
    assert log_of(site, attempt["id"]) == []


def test_with_mistake_help_off_nothing_is_explained_and_nothing_marked(
    site: ServerProcess, open_page: OpenPage
) -> None:
    player = visitor(site.url)
    attempt = player.start(code=deck_code("Z"))
    page = open_page("about:blank", player=player)
    traffic = Traffic.listen(page)
    page.goto(f"/play/{attempt['code']}")
    board = Board(page)
    expect(board.slot(18)).to_have_accessible_name(re.compile("can be played$"))
    with page.expect_response("**/settings"):
        page.get_by_role("checkbox", name="Mistake help").uncheck()
    expect(board.slot(18)).to_have_accessible_name(re.compile("open$"))
    page.reload()
    expect(page.get_by_role("checkbox", name="Mistake help")).not_to_be_checked()
    expect(board.slot(18)).to_have_accessible_name(re.compile("open$"))
    board.press(board.slot(19))
    traffic.wait_for(page, "error")
    page.wait_for_timeout(300)
    assert not board.why.is_visible()  # at once: the words would go by themselves
    assert board.message.inner_text() == ""
    assert page.locator("#announce").inner_text() == ""
    assert board.slot(19).is_visible()
    board.press(board.slot(18))
    expect(board.figure("score")).to_have_text("1")
    errors = [frame["error"]["code"] for frame in traffic.frames if frame["type"] == "error"]
    assert errors == ["not_adjacent"], "the API always gives the code"
