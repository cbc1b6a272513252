"""From a link to a game: one tap, however often it is pressed and however badly the line and the server behave."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.client.cast import PASSWORD, database
from tests.processes import ServerProcess

from .board import Board
from .conftest import Complaints, OpenPage
from .players import daily_code, deck_code, log_of, losing_line, visitor

Z = deck_code("Z")
OPEN = "/play/TP1-E-AAAAAAB"
FIRST = re.compile(r"^three of hearts, row 4, card 1")


def press(page: Page, name: str = "Play") -> None:
    page.get_by_role("button", name=name, exact=True).click()


def started(site: ServerProcess) -> int:
    """How many attempts there are."""
    with database(site) as connection:
        row = connection.execute("SELECT count(*) FROM games_attempt").fetchone()
    assert row is not None
    return int(str(row[0]))


def answer(status: int, code: str, **data: object) -> Callable[[Route], None]:
    body = json.dumps({"error": {"code": code, "message": code, "data": data}})
    return lambda route: route.fulfill(status=status, body=body, content_type="application/json")


def test_C17_a_double_click_on_play_starts_one_game(site: ServerProcess, open_page: OpenPage) -> None:
    before = started(site)
    page = open_page(f"/play/{Z}")
    page.get_by_role("button", name="Play", exact=True).dblclick()
    expect(Board(page).slot(18)).to_have_accessible_name(FIRST)
    assert started(site) == before + 1
    page.reload()
    expect(Board(page).slot(18)).to_have_accessible_name(FIRST)  # without a tap
    expect(page.get_by_role("button", name="Play", exact=True)).to_have_count(0)
    assert started(site) == before + 1


def test_C17_a_start_whose_answer_is_lost_brings_the_same_game(
    site: ServerProcess, open_page: OpenPage, complaints: Complaints
) -> None:
    complaints.forgive("Failed to load resource")
    before = started(site)
    page = open_page(f"/play/{Z}")
    lost: list[str] = []

    def lose(route: Route) -> None:
        route.fetch()  # the server has heard and answered
        lost.append(route.request.post_data or "")
        route.abort()

    page.route("**/api/v1/attempts", lose, times=1)
    press(page)
    expect(page.get_by_role("alert")).to_have_text("No answer from the server. Are you online?")
    with page.expect_request("**/api/v1/attempts") as again:
        press(page, "Try again")
    assert again.value.post_data == lost[0]
    expect(Board(page).slot(18)).to_have_accessible_name(FIRST)
    assert started(site) == before + 1


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (429, "throttled", "That was very fast. Go on in 7 seconds."),
        (503, "unavailable", "The server is catching its breath. Try again in a moment."),
        (500, "internal_error", "That did not work. Please try again."),
        (403, "banned", "This account may not play."),
        (409, "sealed_deal", "These cards belong to a daily that is not over yet."),
    ],
)
def test_a_refused_start_says_why_and_can_be_tried_again(
    status: int, code: str, words: str, open_page: OpenPage, complaints: Complaints
) -> None:
    complaints.forgive("Failed to load resource")
    page = open_page(f"/play/{Z}")
    page.route("**/api/v1/attempts", answer(status, code, retry_after=7), times=1)
    press(page)
    expect(page.get_by_role("alert")).to_have_text(words)
    press(page, "Try again")
    expect(Board(page).slot(18)).to_have_accessible_name(FIRST)


def test_a_guest_takes_a_name_before_the_daily_and_is_ranked(
    site: ServerProcess, open_page: OpenPage, complaints: Complaints
) -> None:
    complaints.forgive("409 (Conflict)")
    visitor(site.url, "Taken")
    page = open_page("/play/daily")
    expect(page.get_by_text("Guests play it unranked")).to_be_visible()
    press(page, "Take a name to be ranked")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.get_by_label("Name", exact=True).fill("taken")
    page.get_by_label("Password").fill(PASSWORD)
    with page.expect_response("**/account/claim"):
        press(page, "Take this name")
    expect(page.get_by_role("alert")).to_have_text("This name, or one that looks like it, is taken.")
    page.get_by_label("Name", exact=True).fill("Newcomer")
    press(page, "Take this name")
    expect(page.get_by_role("heading", name="Newcomer is yours")).to_be_focused()
    expect(page.get_by_role("listitem").filter(has_text=re.compile(r"^\w{4,}[\w-]*$"))).to_have_count(10)
    press(page, "Play now")
    expect(Board(page).slot(18)).not_to_have_accessible_name(re.compile("face-down"))
    expect(page.get_by_text("Unranked", exact=True)).to_be_hidden()
    Board(page).play_all(losing_line(daily_code(site)))
    expect(page.get_by_role("heading", name="No moves left")).to_be_focused()
    expect(page.get_by_text(re.compile(r"^Your place is number \d"))).to_be_visible()


def test_a_guest_plays_the_daily_unranked_once(site: ServerProcess, open_page: OpenPage) -> None:
    page = open_page("/play/daily")
    press(page, "Play as a guest (unranked)")
    expect(page.get_by_text("Unranked", exact=True)).to_be_visible()
    board = Board(page)
    expect(board.undo).to_have_count(0)
    board.play_all(losing_line(daily_code(site)))
    expect(page.get_by_text(re.compile(r"^With a name, your place would be number \d"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="No moves left")).to_be_visible()  # the same end, not another start
    expect(page.get_by_role("button", name=re.compile("^Play"))).to_have_count(0)


def test_another_deal_is_dealt_and_begun_by_one_tap(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    attempt = player.start(code=Z)
    player.resign(attempt["id"])
    page = open_page(f"/play/{Z}?attempt={attempt['id']}", player=player)
    expect(page.get_by_role("heading", name="You gave this game up")).to_be_visible()
    page.get_by_role("link", name="New deal").click()
    expect(Board(page).stock).to_have_accessible_name("Draw, 23 cards left in the stock")
    assert re.search(r"/play/TP1-R-[A-Z]{7}$", page.url)
    elsewhere = open_page(f"{OPEN}#go", player=visitor(site.url))  # as from somebody else's page
    expect(elsewhere.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_the_help_switch_stays_and_leaves_other_settings_alone(site: ServerProcess, open_page: OpenPage) -> None:
    page = open_page(OPEN)
    page.context.add_cookies([{"name": "tripeaks_prefs", "value": "suits-four", "url": site.url, "httpOnly": True}])
    page.reload()
    press(page)
    board = Board(page)
    board.play("t19")
    expect(board.why).to_contain_text("Must be one higher or lower.")
    with page.expect_response("**/settings"):
        page.get_by_label("Mistake help").uncheck()
    board.slot(18).click()
    expect(board.why).to_be_hidden()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-help", "off")
    expect(page.locator("html")).to_have_attribute("data-suits", "four")
    expect(page.get_by_label("Mistake help")).not_to_be_checked()


def test_a_stuck_game_is_asked_before_its_analysis_ends_it(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url, "Analyst")
    attempt = player.start(code=deck_code("V", "C"))
    page = open_page(f"/play/{attempt['code']}", player=player)
    board = Board(page)
    for _ in range(23):
        board.play("d")
    end = page.get_by_role("region", name="No moves left")
    end.get_by_role("button", name="Replay and analysis").click()
    dialog = page.get_by_role("dialog", name="Look at the analysis?")
    dialog.get_by_role("button", name="Not now").click()
    end.get_by_role("button", name="Undo the last move").click()
    expect(end).to_have_count(0)
    assert board.focused() is not None, "the focus has gone back to the table"
    board.play("d")
    end.get_by_role("button", name="Replay and analysis").click()
    dialog.get_by_role("button", name="Show the analysis").click()
    page.wait_for_url(re.compile(rf"/attempts/{attempt['id']}\?analysis=1"))
    assert player.resume(attempt["id"])["closed"]


def test_same_deal_again_is_another_attempt_and_the_stuck_one_is_over(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    attempt = player.start(code=deck_code("V", "C"))
    page = open_page(f"/play/{attempt['code']}", player=player)
    board = Board(page)
    for _ in range(23):
        board.play("d")
    press(page, "Same deal again")
    expect(board.figure("moves")).to_have_text("0")
    board.play("d")
    expect(board.figure("moves")).to_have_text("1")
    newest = next(iter(player.attempts()))
    assert (newest["number"], newest["ply"]) == (2, 1)
    assert log_of(site, attempt["id"]) == ["d"] * 23
    assert player.resume(attempt["id"])["closed"]
