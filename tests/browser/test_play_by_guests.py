"""A visitor opens a link and plays: one tap to start, a tap a card, and the end says so."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.attempts.hand import deck_code
from tests.client.cast import CHAIN

from .conftest import OpenPage

CODE = deck_code("Z", "R")


def card(page: Page, move: str) -> None:
    """Click the card of a slot."""
    page.locator(f'[data-slot="{move[1:]}"]').first.click()


def test_a_guest_wins_a_shared_deal_with_the_mouse(open_page: OpenPage) -> None:
    page = open_page(f"/play/{CODE}")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="three of hearts, row 4, card 1, can be played")).to_be_visible()
    for move in CHAIN:
        card(page, move)
    end = page.get_by_role("region", name="All three peaks cleared")
    expect(end).to_be_visible()
    page.wait_for_timeout(1500)
    expect(end).to_contain_text("466")
    expect(end).to_contain_text(re.compile("With a name, your place would be number 1"))
