"""The pages of words fit every screen and work without scripts (axe reads them in test_access.py)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from .conftest import OpenPage
from .profiles import NO_SCRIPT

PAGES = ["/new", "/new?code=TP1-E-AAAA5AB", "/rules", "/fairness", "/boards", "/boards/TP1-E-AAAAAAB", "/numbered/17"]
WIDER = """(width) => [...document.querySelectorAll('main *')].filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width > 1 && !each.closest('svg, .hidden-text') && (box.right > width + 1 || box.left < -1)
        && getComputedStyle(each).clipPath === 'none';
}).map((each) => each.outerHTML.slice(0, 100))"""


@pytest.mark.parametrize("address", PAGES)
def test_the_pages_fit_every_screen(open_page: OpenPage, address: str) -> None:
    page = open_page(address)
    for width in (320, 390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(WIDER, width) == [], width
        low = page.evaluate(
            """() => [...document.querySelectorAll('main .button, main .choice, main .ways a, main input')]
                .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 44)
                .map((each) => each.outerHTML)"""
        )
        assert low == [], width


def test_the_contents_of_the_rules_lead_by_keyboard(open_page: OpenPage) -> None:
    page = open_page("/rules")
    link = page.get_by_role("navigation", name="On this page").get_by_role("link", name="Scoring")
    link.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{page.url.split('#')[0]}#scoring")
    expect(page.get_by_role("heading", name="Scoring", exact=True)).to_be_in_viewport()


def test_figures_have_words_for_who_does_not_see_them(open_page: OpenPage) -> None:
    page = open_page("/rules")
    expect(page.get_by_role("img", name="The opening: three peaks")).to_be_visible()
    expect(page.get_by_role("img", name="joker")).to_be_visible()
    assert page.get_by_role("img").count() >= 25


def test_without_scripts_a_game_can_be_chosen(open_page: OpenPage) -> None:
    page = open_page("/new", **NO_SCRIPT)
    page.get_by_label("Game code, number or date").fill("tp1-q-aaaaaab")
    page.get_by_role("button", name="Play this deal").click()
    expect(page.get_by_text("There is no ruleset Q.")).to_be_visible()
    expect(page.get_by_label("Game code, number or date")).to_have_accessible_description(
        "Such as TP1-E-AAAAAAB, 17 or 2026-11-29. Spaces and small letters are fine. There is no ruleset Q."
    )
    page.get_by_label("Game code, number or date").fill(" tp1 e aaaaaab ")
    page.get_by_role("button", name="Play this deal").click()
    expect(page).to_have_url(f"{page.url.split('/new')[0].split('/play')[0]}/play/TP1-E-AAAAAAB")
    page.goto("/new")
    page.get_by_role("button", name="Traditional").click()
    expect(page).to_have_url(re.compile("/play/TP1-T-"))
