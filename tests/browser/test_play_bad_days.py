"""The table's page on bad days: lost answers, two tabs, no cookies, a day that closes under the focus."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.client.cast import database
from tests.processes import ServerProcess

from .board import Board
from .conftest import Complaints, OpenPage
from .delay import far_line
from .players import best_line, daily_code, deck_code, log_of, visitor
from .traffic import Traffic

Z = deck_code("Z")


def another_tab(context: BrowserContext, complaints: Complaints, address: str) -> Page:
    page = context.new_page()
    complaints.hear(page)
    page.goto(address)
    return page


def test_C17_a_game_begun_again_whose_answer_is_lost_is_not_begun_twice(
    site: ServerProcess, open_page: OpenPage, complaints: Complaints
) -> None:
    complaints.forgive("Failed to load resource")
    player = visitor(site.url)
    attempt = player.start(code=Z)
    player.resign(attempt["id"])
    page = open_page(f"/play/{Z}?attempt={attempt['id']}", player=player)

    def lose(route: Route) -> None:
        route.fetch()  # the server has heard and answered
        route.abort()

    page.route("**/api/v1/attempts", lose, times=2)
    again = page.get_by_role("button", name="Same deal again")
    problem = page.get_by_text("No answer from the server. Are you online?")
    for _ in range(2):
        with page.expect_event("requestfailed"):
            again.click()
        expect(problem.and_(page.locator(".end p"))).to_have_count(1)
    expect(page.locator("#announce")).to_have_text("No answer from the server. Are you online?")
    again.click()
    expect(page.get_by_role("heading", name="You gave this game up")).to_have_count(0)
    assert [each["number"] for each in player.attempts()] == [2, 1]


def test_a_daily_finished_in_another_tab_is_not_said_to_be_played_still(
    site: ServerProcess, open_page: OpenPage, complaints: Complaints
) -> None:
    page = open_page("/play/daily", player=visitor(site.url))
    late = another_tab(page.context, complaints, "/play/daily")
    board = Board(page)
    page.bring_to_front()  # a page behind another draws nothing, and nobody clicks there
    page.get_by_role("button", name="Play as a guest (unranked)").click()
    expect(page.get_by_text("playing…")).to_be_visible()
    board.play_all(best_line(daily_code(site)))
    expect(page.get_by_role("heading", name="All three peaks cleared")).to_be_visible()
    late.bring_to_front()
    late.get_by_role("button", name="Play as a guest (unranked)").click()
    expect(late.get_by_role("heading", name="All three peaks cleared")).to_be_focused()
    late.wait_for_timeout(700)  # the list is drawn twice a second
    expect(late.get_by_text("playing…")).to_have_count(0)


def test_without_cookies_the_page_says_what_playing_needs(
    site: ServerProcess, open_page: OpenPage, complaints: Complaints
) -> None:
    complaints.forgive("Failed to load resource")

    page = open_page(f"/play/{Z}")

    def forget(route: Route) -> None:
        answer = route.fetch()
        page.context.clear_cookies()
        headers = {name: value for name, value in answer.headers.items() if name != "set-cookie"}
        route.fulfill(response=answer, headers=headers)

    page.route("**/api/v1/guests", forget)
    page.get_by_role("button", name="Play", exact=True).click()
    needs = "Playing needs a cookie, by which the server knows you again. Please allow cookies for this site."
    expect(page.get_by_role("alert")).to_have_text(needs)
    with database(site) as connection:
        before = connection.execute("SELECT count(*) FROM games_player").fetchone()
    refusing = open_page(f"/play/{Z}", script="Object.defineProperty(navigator, 'cookieEnabled', { get: () => false })")
    refusing.get_by_role("button", name="Play", exact=True).click()
    expect(refusing.get_by_role("alert")).to_have_text(needs)
    with database(site) as connection:
        after = connection.execute("SELECT count(*) FROM games_player").fetchone()
    assert after == before, "nobody is made who is forgotten at once"


def test_a_card_played_undone_and_played_again_in_one_breath_is_played(
    site: ServerProcess, open_page: OpenPage
) -> None:
    player = visitor(site.url)
    attempt = player.start(code=Z)
    with far_line(site) as line:
        page = open_page("about:blank", player=player, url=line.url)
        traffic = Traffic.listen(page)
        page.goto(f"/play/{Z}")
        traffic.wait_for(page, "state")
        board = Board(page)
        board.slot(18).click()
        board.undo.click()
        board.slot(18).click()
        board.slot(19).click()
        expect(board.figure("score")).to_have_text("3")
    assert log_of(site, attempt["id"]) == ["t18", "u", "t18", "t19"]


def test_another_game_begins_without_the_hint_and_the_words_of_the_last(
    site: ServerProcess, open_page: OpenPage
) -> None:
    page = open_page(f"/play/{Z}", player=visitor(site.url))
    page.get_by_label("Practice").check()
    board = Board(page)
    board.begin()
    board.play("t18")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hinted")).to_have_count(1)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    page.get_by_role("button", name="Same deal again").click()
    expect(board.figure("score")).to_have_text("0")
    expect(page.locator(".hinted")).to_have_count(0)
    expect(board.message).to_have_text("")
    assert not page.locator(".t-change").is_visible()


def test_a_page_from_the_way_back_that_shows_no_game_looks_again(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    page = open_page(f"/play/{Z}", player=player)
    player.start(code=Z)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(page.get_by_role("button", name="Play", exact=True)).to_have_count(0)
    expect(Board(page).slot(18)).to_be_visible()


HEARD = """
  window.heard = [];
  const region = document.getElementById("announce");
  new MutationObserver(() => heard.push(region.textContent)).observe(region, { childList: true });
"""


def test_C26_page_results_of_others_are_not_read_out_to_somebody_who_plays(
    site: ServerProcess, open_page: OpenPage
) -> None:
    other = visitor(site.url, "Fast Finisher")
    attempt = other.start_daily()
    playing = open_page("/play/daily", player=visitor(site.url, "Listening"))
    watching = open_page(f"/boards/{attempt['competition']}")
    for page in (playing, watching):
        expect(page.locator("#status")).to_have_text("live")
    for page in (playing, watching):
        page.evaluate(HEARD)
    playing.get_by_role("button", name="Play", exact=True).click()
    for ply, move in enumerate(best_line(daily_code(site))):
        other.move(attempt["id"], move, ply)
    expect(playing.locator("[data-rows]").get_by_text("Fast Finisher")).to_be_visible()
    expect(watching.locator("#announce")).to_contain_text("Fast Finisher")
    playing.wait_for_timeout(500)
    assert "Fast Finisher" in " ".join(watching.evaluate("heard"))
    assert "Fast Finisher" not in " ".join(playing.evaluate("heard"))


def test_a_day_that_closes_under_the_focus_takes_it_along(
    site: ServerProcess, open_page: OpenPage, clock_file: Path
) -> None:
    """Last in this file: it leaves the server a day ahead while it runs."""
    daily = visitor(site.url).daily()
    page = open_page("/play/daily")
    page.get_by_role("button", name="Play as a guest (unranked)").focus()
    try:
        ahead = dt.datetime.fromisoformat(daily["closes_at"]) - dt.datetime.now(dt.UTC)
        clock_file.write_text(str(ahead.total_seconds() + 2))
        expect(page.get_by_role("heading", name="This daily is closed")).to_be_visible()
        expect(page.locator(".start").get_by_role("link", name="Today's daily")).to_be_focused()
    finally:
        clock_file.write_text("0")
