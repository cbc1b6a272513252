"""Letters that play can be switched off, since speech input types them by the word (WCAG 2.1.4)."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .board import Board
from .conftest import OpenPage
from .players import deck_code


@pytest.mark.parametrize("letters", ["on", "off"])
def test_letters_play_only_where_they_are_wanted(open_page: OpenPage, letters: str) -> None:
    page = open_page("/settings")
    choice = page.get_by_role("group", name="Letter keys").get_by_role("radio", name=letters.capitalize())
    if letters == "off":
        choice.check()
        expect(page.get_by_role("status").filter(has_text="Kept.")).to_be_visible()
    expect(choice).to_be_checked()
    page.goto(f"/play/{deck_code('Z')}")
    board = Board(page)
    board.begin()
    page.keyboard.press("d")
    page.keyboard.press("?")
    if letters == "on":
        expect(board.figure("moves")).to_have_text("1")
        expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Undo")
    else:
        page.wait_for_timeout(500)
        expect(board.figure("moves")).to_have_text("0")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.get_by_role("button", name="Keys", exact=True).click()
        expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Play the card")
        expect(page.get_by_role("dialog", name="Keys")).not_to_contain_text("Undo")
        page.keyboard.press("Escape")
        board.slot(18).focus()
        page.keyboard.press("ArrowRight")  # moving and choosing stay
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        expect(board.figure("moves")).to_have_text("1")
