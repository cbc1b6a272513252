"""The analysis on the page of a finished attempt: asked for, shown, refused and busy, with and without scripts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from games.client import Client
from tests.analysis.cast import best_line, stuck_log
from tests.client.cast import CHAIN, DECK_Z, person, play_line
from tests.processes import ServerProcess

from .axe import assert_accessible
from .conftest import Complaints, OpenPage

CODE = "TP1-E-AAAAAAB"


def played(player: Client, code: str, log: str) -> str:
    """The id of a public attempt with this log."""
    attempt = play_line(player, player.start(code=code), log.split())
    if not attempt["closed"]:
        player.resign(attempt["id"])
    return attempt["id"]


@pytest.fixture(scope="module")
def alice(site: ServerProcess) -> Client:
    return person(site.url, "Alice")


@pytest.fixture(scope="module")
def lost(alice: Client) -> str:
    """An attempt that throws its win away."""
    return played(alice, CODE, stuck_log(CODE))


@pytest.fixture(scope="module")
def perfect(alice: Client) -> str:
    return played(alice, CODE, best_line(CODE))


def sign_in(page: Page) -> None:
    """Become a guest of this site, as the pages do it."""
    page.evaluate(
        """() => fetch("/api/v1/guests", {method: "POST", headers: {"Content-Type": "application/json"},
                                          body: '{"credential": "cookie"}'}).then((answer) => answer.json())"""
    )


@pytest.mark.parametrize("scripts", [True, False])
def test_a_visitor_sees_where_the_win_was_lost(open_page: OpenPage, lost: str, scripts: bool) -> None:
    page = open_page(f"/attempts/{lost}", java_script_enabled=scripts)
    section = page.get_by_role("region", name="What the solver says")
    expect(section).not_to_contain_text("practice")
    section.get_by_role("link", name="Show analysis").click()
    expect(section).to_contain_text("The win was lost at move")
    told = section.get_by_role("link").first
    number = (told.text_content() or "").removeprefix("move ")
    row = page.locator(f"#ply-{number}")
    expect(row).to_contain_text("Lost the win")
    expect(row).to_contain_text("best now")
    expect(page.get_by_text("Kept the best").first).to_be_visible()
    expect(page.get_by_role("img", name="points at best")).to_be_visible()
    told.click()
    if scripts:  # the board shows it, and says so
        player = page.get_by_role("region", name="Replay player")
        expect(player).to_contain_text("Lost the win")
        expect(player.get_by_role("slider")).to_have_value(number)
        expect(row).to_have_attribute("aria-current", "step")
    expect(page).to_have_url(re.compile(f"#ply-{number}$"))
    expect(row).to_be_in_viewport()


def test_a_perfect_game_is_said_to_be_one(open_page: OpenPage, perfect: str) -> None:
    page = open_page(f"/attempts/{perfect}?analysis=1")
    section = page.get_by_role("region", name="What the solver says")
    expect(section).to_contain_text("A perfect game")
    expect(section).to_contain_text("100 %")
    assert_accessible(page, "perfect")
    expect(page.get_by_text("Lost the win")).to_have_count(0)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_player_is_told_the_price_first_and_pays_it_by_the_button_only(
    open_page: OpenPage, perfect: str, alice: Client, scripts: bool
) -> None:
    page = open_page("/", java_script_enabled=True)
    sign_in(page)
    cookies = page.context.cookies()
    page = open_page("/boards", java_script_enabled=scripts, storage_state={"cookies": cookies, "origins": []})
    page.goto(f"/attempts/{perfect}?analysis=1#analysis")  # as from a link that somebody sent
    section = page.get_by_role("region", name="What the solver says")
    button = section.get_by_role("button", name="Show analysis")
    expect(button).to_have_accessible_description(
        "From then on your own attempts at these cards are practice, by any code or ruleset: they count on no board."
    )
    guest = Client(alice.url)
    secret = next(cookie["value"] for cookie in cookies if cookie["name"] == "tripeaks")

    def ranked(code: str) -> bool:
        reply = page.context.request.post(
            f"{guest.url}/api/v1/attempts",
            data={"key": f"k{code}", "code": code},
            headers={"Origin": guest.url, "Cookie": f"tripeaks={secret}"},
        )
        attempt = reply.json()["attempt"]
        page.context.request.post(
            f"{guest.url}/api/v1/attempts/{attempt['id']}/resign",
            data={"move_id": "r"},
            headers={"Origin": guest.url, "Cookie": f"tripeaks={secret}"},
        )
        return bool(attempt["ranked"])

    assert ranked(CODE), "looking at the page has cost nothing yet"
    button.click()
    expect(section).to_contain_text("A perfect game")
    expect(page).to_have_url(re.compile(r"\?analysis=1#analysis$"))
    assert not ranked("TP1-C-AAAAAAB"), "the same cards by another code"


def test_whoever_plays_these_cards_ranked_is_asked_to_finish_first(
    open_page: OpenPage, perfect: str, complaints: Complaints
) -> None:
    complaints.forgive("409 (Conflict)")
    page = open_page("/")
    sign_in(page)
    page.evaluate(
        """() => fetch("/api/v1/attempts", {method: "POST", headers: {"Content-Type": "application/json"},
                                            body: '{"key": "k", "code": "TP1-E-AAAAAAB"}'})"""
    )
    page.goto(f"/attempts/{perfect}?analysis=1")
    section = page.get_by_role("region", name="What the solver says")
    expect(section).to_contain_text("Finish or resign it first")
    expect(section.get_by_role("button")).to_have_count(0)
    expect(page.get_by_text("Kept the best")).to_have_count(0)


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_is_wider_than_the_page(open_page: OpenPage, lost: str, width: int) -> None:
    page = open_page(f"/attempts/{lost}?analysis=1", width=width)
    expect(page.get_by_role("img", name="points at best")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_runs_of_deck_z_are_a_flat_line_at_466(open_page: OpenPage, alice: Client) -> None:
    from games.engine.cards import parse_cards
    from games.engine.codes import composed_code

    attempt = played(alice, composed_code("R", parse_cards(DECK_Z)).text, " ".join(CHAIN))
    page = open_page(f"/attempts/{attempt}?analysis=1")
    chart = page.get_by_role("img", name="466 points")
    expect(chart).to_have_accessible_name("466 points from the first move to the last. Every move is told below.")
