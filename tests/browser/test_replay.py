"""The replay player: stepped, scrubbed, played, by mouse and by keys; in step with table, chart and address."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from games.client import Client
from games.engine.moves import DRAW, UNDO
from tests.analysis.cast import best_line, stuck_log
from tests.client.cast import database, person, play_line
from tests.processes import ServerProcess

from .axe import assert_accessible
from .conftest import Complaints, OpenPage
from .profiles import ALL_SIZES, CALM, NO_SCRIPT

CODE = "TP1-E-AAAAAAB"


@pytest.fixture(scope="module")
def alice(site: ServerProcess) -> Client:
    return person(site.url, "Alice")


@pytest.fixture(scope="module")
def won(alice: Client) -> str:
    """The id of a won attempt."""
    return play_line(alice, alice.start(code=CODE), best_line(CODE).split())["id"]


@pytest.fixture(scope="module")
def lost(alice: Client) -> str:
    """One that throws its win away and gives up."""
    attempt = play_line(alice, alice.start(code=CODE), stuck_log(CODE).split())
    alice.resign(attempt["id"])
    return attempt["id"]


@pytest.fixture(scope="module")
def longest(alice: Client, site: ServerProcess) -> str:
    """One whose log is full: 2,000 plies, written straight into the database (playing them would take minutes)."""
    attempt = alice.start(code="TP1-E-AAAAAAE")
    alice.resign(attempt["id"])
    with database(site) as connection:
        [row] = connection.execute("SELECT id FROM games_attempt WHERE public_id = %s", [attempt["id"]])
        _fill(connection, row[0])
    return attempt["id"]


def _fill(connection: psycopg.Connection[tuple[object, ...]], attempt: object) -> None:
    connection.execute(
        """INSERT INTO games_move (attempt_id, ply, move, move_id, at)
           SELECT %s, ply, CASE WHEN ply %% 2 = 1 THEN %s ELSE %s END, 'm' || ply, now()
             FROM generate_series(1, 2000) ply""",
        [attempt, DRAW, UNDO],
    )
    connection.execute("UPDATE games_attempt SET ply = 2000, moves = 1000, undos = 1000 WHERE id = %s", [attempt])


@dataclass
class Player:
    """The parts of the player on a page."""

    page: Page

    @property
    def root(self) -> Locator:
        return self.page.get_by_role("region", name="Replay player")

    @property
    def slider(self) -> Locator:
        return self.root.get_by_role("slider", name="Move")

    def press(self, name: str) -> None:
        self.root.get_by_role("button", name=name, exact=True).click()

    def stands_at(self, ply: int) -> None:
        expect(self.slider).to_have_value(str(ply))

    def score(self) -> str:
        return self.root.locator(".t-stats dd").first.inner_text().split("\n")[0]


OpenReplay = Callable[..., Player]


@pytest.fixture
def open_replay(open_page: OpenPage) -> OpenReplay:
    """A replay whose player has its plies."""

    def open_one(address: str, **options: Any) -> Player:
        page = open_page(address, **options)
        expect(page.locator(".replayer.ready")).to_be_visible(timeout=15_000)
        return Player(page)

    return open_one


def test_buttons_step_through_the_plies_and_say_each(open_replay: OpenReplay, won: str) -> None:
    player = open_replay(f"/attempts/{won}", **CALM)
    player.stands_at(0)
    expect(player.root).to_contain_text("The opening. Waste: ace of clubs.")
    expect(player.root.get_by_role("button", name="One move back")).to_have_attribute("aria-disabled", "true")
    player.press("One move on")
    player.stands_at(1)
    said = player.root.locator("[data-said]").inner_text()
    assert re.match(r"(Played|Drawn): \w+ of \w+\.", said)
    expect(player.page.locator("#announce")).to_have_text(said)
    player.press("To the end")
    expect(player.root).to_contain_text("You won!")
    last = int(player.slider.input_value())
    player.press("One move back")
    player.stands_at(last - 1)
    player.press("To the opening")
    player.stands_at(0)


def test_the_board_shows_the_ply_of_the_log(open_replay: OpenReplay, alice: Client, lost: str) -> None:
    plies = alice.replay(lost)["plies"]
    player = open_replay(f"/attempts/{lost}#ply-{len(plies) - 1}", **CALM)
    for ply in (len(plies) - 1, 7, 0, len(plies) - 2):
        player.slider.fill(str(ply))
        player.stands_at(ply)
        view = plies[ply]["view"]
        shown = player.root.locator(".t-slot:not([hidden]) .face")
        expect(shown).to_have_count(sum(card not in (None, "??") for card in view["tableau"]))
        expect(player.root.locator(".t-count")).to_have_text(str(view["stock"]))
        assert player.score() == str(plies[ply]["score"])


def test_keys_step_play_and_jump_while_the_player_has_the_focus(open_replay: OpenReplay, won: str) -> None:
    player = open_replay(f"/attempts/{won}", **CALM)
    keys = player.page.keyboard
    player.page.locator("body").press("ArrowRight")
    player.stands_at(0)
    player.root.get_by_role("button", name="One move on").focus()
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    player.stands_at(2)
    keys.press("ArrowLeft")
    player.stands_at(1)
    keys.press("End")
    expect(player.root).to_contain_text("You won!")
    keys.press("Home")
    player.stands_at(0)
    player.slider.focus()
    keys.press("ArrowRight")
    player.stands_at(1)
    expect(player.slider).to_have_attribute("aria-valuetext", re.compile(r"^1 / \d+\. (Played|Drawn): "))
    expect(player.page.locator("#announce")).not_to_contain_text("1 /")
    keys.press(" ")
    expect(player.root.get_by_role("button", name="Pause")).to_be_visible()
    keys.press(" ")
    expect(player.root.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_auto_play_goes_by_itself_to_the_end_without_talking(open_replay: OpenReplay, won: str) -> None:
    player = open_replay(f"/attempts/{won}", **CALM)
    player.press("4×")
    expect(player.root.get_by_role("button", name="4×")).to_have_attribute("aria-pressed", "true")
    player.press("Play")
    expect(player.slider).to_have_value(re.compile(r"^([3-9]|\d\d)$"))
    expect(player.page.locator("#announce")).to_have_text("")
    player.press("Pause")
    at = player.slider.input_value()
    player.page.wait_for_timeout(600)
    player.stands_at(int(at))
    player.press("To the end")
    player.press("One move back")
    player.press("Play")
    expect(player.root).to_contain_text("You won!")
    expect(player.root.get_by_role("button", name="Play", exact=True)).to_be_visible()
    player.press("1×")  # slow enough to be seen at the opening
    player.press("Play")
    expect(player.slider).to_have_value(re.compile(r"^[0-3]$"))


def test_the_address_and_the_table_follow_and_lead(open_replay: OpenReplay, won: str) -> None:
    player = open_replay(f"/attempts/{won}#ply-5", **CALM)
    player.stands_at(5)
    row = player.page.locator("#ply-5")
    expect(row).to_have_attribute("aria-current", "step")
    player.press("One move on")
    expect(player.page).to_have_url(re.compile("#ply-6$"))
    expect(player.page.locator('[aria-current="step"]')).to_have_count(1)
    player.page.locator("#ply-9").get_by_role("link", name="9", exact=True).click()
    player.stands_at(9)
    player.page.evaluate("location.hash = '#ply-3'")
    player.stands_at(3)


def test_the_chart_stands_over_the_slider_in_the_same_scale(open_replay: OpenReplay, lost: str) -> None:
    player = open_replay(f"/attempts/{lost}?analysis=1", **CALM)
    chart = player.root.get_by_role("img", name="points at best")
    expect(chart).to_be_visible()
    box = player.root.locator("[data-chart-box]")
    marks = json.loads(player.root.get_attribute("data-marks") or "")
    gone = int(next(ply for ply, mark in marks.items() if mark[0] == "gone"))
    player.slider.fill(str(gone))
    expect(player.root.locator("[data-said]")).to_contain_text("Lost the win · best now")
    cross, marker, track = (
        chart.locator(".cross").last.bounding_box(),
        box.locator(".marker").bounding_box(),
        box.bounding_box(),
    )
    slider = player.slider.bounding_box()
    assert cross
    assert marker
    assert track
    assert slider
    middle = marker["x"] + marker["width"] / 2
    assert abs(cross["x"] + cross["width"] / 2 - middle) < 1.5, "the marker stands on the cross"
    last = int(player.slider.get_attribute("max") or 0)
    thumb = 24
    assert abs(slider["x"] + thumb / 2 + (slider["width"] - thumb) * gone / last - middle) < 2, "and over the thumb"
    player.page.mouse.click(track["x"] + track["width"] * 5 / last, track["y"] + 20)
    player.stands_at(5)


def test_two_thousand_plies_are_no_burden(open_replay: OpenReplay, longest: str) -> None:
    player = open_replay(f"/attempts/{longest}#ply-1999", **CALM)
    player.stands_at(1999)
    row = player.page.locator("#ply-1999")
    expect(row).to_have_attribute("aria-current", "step")  # its page has been brought
    expect(player.page.locator('[data-pages] [aria-current="page"]')).to_have_text("1800–1999")
    assert player.page.locator("*").count() < 12_000
    player.press("To the opening")
    expect(player.page.locator("#ply-0")).to_have_attribute("aria-current", "step")
    player.page.evaluate(
        """async () => {
          const slider = document.querySelector("[data-scrubber]");
          for (let ply = 0; ply < 2000; ply += 20) { slider.value = ply; slider.dispatchEvent(new Event("input")); }
          await new Promise((done) => requestAnimationFrame(done));
        }"""
    )
    player.press("To the end")
    expect(player.page.locator("#ply-2000")).to_have_attribute("aria-current", "step")
    player.page.get_by_role("navigation", name="Pages of the moves").get_by_role("link", name="200–399").click()
    expect(player.page.locator("#ply-200")).to_be_visible()


def test_without_scripts_the_replay_reads(open_page: OpenPage, lost: str) -> None:
    page = open_page(f"/attempts/{lost}", **NO_SCRIPT)
    expect(page.get_by_role("region", name="Replay player")).to_be_hidden()
    expect(page.get_by_role("heading", name="The deal")).to_be_visible()
    expect(page.locator("#ply-0")).to_contain_text("Opening, waste")
    expect(page.get_by_role("link", name="Play this deal")).to_have_attribute("href", f"/play/{CODE}")


def test_a_replay_that_does_not_arrive_is_asked_for_again(
    open_page: OpenPage, won: str, complaints: Complaints
) -> None:
    complaints.forgive("503", "Failed to load resource")
    page = open_page("/boards")
    away = {"once": True}

    def answer(route: Route) -> None:
        if away.pop("once", False):
            route.fulfill(status=503, body="")
        else:
            route.continue_()

    page.route("**/replay", answer)
    page.goto(f"/attempts/{won}")
    again = page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    assert_accessible(page, "without its cards")
    again.click()
    expect(page.locator(".replayer.ready")).to_contain_text("The opening.")


@pytest.mark.parametrize("size", list(ALL_SIZES))
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(open_replay: OpenReplay, lost: str, size: str) -> None:
    player = open_replay(f"/attempts/{lost}?analysis=1#ply-13", **ALL_SIZES[size], **CALM)
    assert player.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert_accessible(player.page, size)


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_axe_finds_nothing_on_a_profile(open_page: OpenPage, alice: Client, won: str, width: int, look: str) -> None:
    page = open_page(f"/attempts/{won}", width=width, color_scheme=look)
    page.get_by_role("link", name="Alice").click()
    expect(page.get_by_role("heading", name="Results")).to_be_visible()
    page.wait_for_load_state()  # a page that a click has led to is there before its style sheets are
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(page, look)
