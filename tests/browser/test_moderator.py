"""A moderator at the desk, beside somebody who watches the board: found, replayed, disqualified, reinstated."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from games.client import Client
from tests.client.cast import database, person, play_line, play_out
from tests.factories import PASSWORD
from tests.processes import ServerProcess
from tests.staff import browser_enrols, live_moderator

from .axe import assert_accessible
from .conftest import Complaints, OpenPage
from .players import best_line
from .profiles import DARK, NO_SCRIPT, PHONE

CODE, OTHER_CODE = "TP1-E-AAAAAAB", "TP1-E-AAAAAAC"
FLAG = """
from tests.moderation.desk import flagged, signal
from games.models import Attempt
attempt = Attempt.objects.select_related("player").get(public_id="{id}")
print(flagged(attempt, signal("foreknowledge", 41, plies=[3, 9], choices=12), signal("even_rhythm", 12)).public_id)
"""
ENTRIES = """
SELECT b.scope, b.kind, b.view, p.name, a.public_id, e.key, e.finished_ms, e.outcome, e.score, e.moves, e.peaks,
       e.cards_left, e.elapsed_ms
  FROM leaderboards_entry e JOIN leaderboards_board b ON b.id = e.board_id JOIN games_player p ON p.id = e.player_id
  JOIN games_attempt a ON a.id = e.attempt_id
 WHERE e.active ORDER BY b.scope, b.kind, b.view, e.key, e.finished_ms, e.attempt_id
"""
COUNTS = "SELECT scope, kind, view, entries, started, finished FROM leaderboards_board ORDER BY scope, kind, view"
BUCKETS = "SELECT board_id, bucket, count FROM leaderboards_scorebucket ORDER BY board_id, bucket"


def snapshot(site: ServerProcess) -> list[Any]:
    """Every entry of every board in its order, with all figures, and what the boards count."""
    with database(site) as connection:
        return [connection.execute(query).fetchall() for query in (ENTRIES, COUNTS, BUCKETS)]


def versions(site: ServerProcess) -> dict[str, int]:
    with database(site) as connection:
        rows = connection.execute("SELECT scope || ' ' || kind || ' ' || view, version FROM leaderboards_board")
        return {str(name): int(str(version)) for name, version in rows.fetchall()}


def rows(page: Page) -> list[str]:
    return page.locator("tbody tr bdi").all_inner_texts()


def act(page: Page, name: str, reason: str, why: str) -> None:
    """Fill in an act's form on the case page, and confirm it."""
    page.locator(".desk-act > summary", has_text=re.compile(rf"^\s*{name}\s*$")).click()
    form = page.get_by_role("form", name=name, exact=True)
    form.get_by_label("Kind of reason").select_option(reason)
    form.get_by_label("Reason, for the log").fill(why)
    form.get_by_role("button", name=f"{name}…").click()
    expect(page.get_by_role("heading", name="What would change")).to_be_visible()


@pytest.fixture(scope="module")
def cheat(site: ServerProcess) -> str:
    """Three people on a board, and one of them flagged: the public id of the case."""
    live_moderator(site, "mod")
    live_moderator(site, "hilda", role="head")
    for seed, name in enumerate(("honest alice", "honest bob", "honest dan")):
        player = person(site.url, name)
        play_out(player, player.start(code=CODE if seed else OTHER_CODE), seed=seed)
    carol = person(site.url, "clever carol")
    play_out(carol, carol.start(code=CODE), seed=9)
    played = play_line(carol, carol.start(code=CODE), best_line(CODE))
    return site.manage("shell", "-c", FLAG.format(id=played["id"])).stdout.strip().splitlines()[-1]


@pytest.fixture
def mod_page(site: ServerProcess, open_page: OpenPage) -> Page:
    page = open_page("/rules")
    browser_enrols(page, site.url, "mod", PASSWORD)
    return page


def test_a_moderator_finds_replays_disqualifies_and_reinstates_while_a_board_is_open(
    site: ServerProcess, open_page: OpenPage, cheat: str, mod_page: Page
) -> None:
    before, versions_before = snapshot(site), versions(site)
    board = open_page(f"/boards/{CODE}")
    expect(board.locator("#status")).to_have_text("live")
    board.evaluate("window.notReloaded = true")
    standing = rows(board)
    assert standing[0] == "clever carol"

    page = mod_page  # found
    page.get_by_role("link", name="Cases").first.click()
    expect(page.get_by_role("heading", name="Cases")).to_be_visible()
    assert_accessible(page, "queue")
    page.get_by_label("Signal").select_option("foreknowledge")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".desk-queue tbody tr")).to_have_count(1)
    expect(page.locator(".desk-queue .why")).to_have_text("Flagged for foreknowledge and an even rhythm.")
    page.get_by_role("link", name="clever carol").click()
    case_address = page.url

    where = page.locator("[data-where]")  # replayed
    expect(where).to_have_text("1")
    seen, hidden = page.locator('[data-board="seen"]'), page.locator('[data-board="hidden"]')
    expect(seen.locator('[href="#card-back"][data-slot]')).to_have_count(18)
    expect(hidden.locator('[href="#card-back"]')).to_have_count(0)
    expect(hidden.locator(".slot.unseen")).to_have_count(18)
    page.keyboard.press("ArrowRight")
    expect(where).to_have_text("2")
    page.get_by_role("link", name="Next mark").click()
    expect(where).to_have_text("3")
    expect(page.locator("[data-said] .desk-mark")).to_have_text("foreknowledge")
    expect(page.locator('.desk-plies tr[data-ply="3"]')).to_have_class(re.compile("here"))
    page.keyboard.press("End")
    expect(page.locator("[data-said]")).to_contain_text("The end: won")
    expect(seen.locator('[href="#card-gone"][data-slot]')).to_have_count(28)
    page.get_by_role("link", name="One move back").click()
    expect(seen.locator('[href="#card-gone"][data-slot]')).to_have_count(27)
    assert_accessible(page, "case")

    act(page, "Disqualify", "hidden_cards", "Twelve choices that look equal, all of them right.")
    expect(page.locator(".desk-changes")).to_contain_text("no entry" if len(before[0]) == 0 else CODE)
    assert_accessible(page, "confirm")
    assert snapshot(site) == before  # asking back has changed nothing
    page.get_by_role("button", name="Disqualify now").click()
    clicked = time.monotonic()
    expect(board.locator("tbody tr bdi").first).not_to_have_text("clever carol", timeout=5_000)
    assert time.monotonic() - clicked < 5
    expect(page.locator(".messagelist")).to_contain_text("disqualified")
    expect(page.locator(".desk-log").first).to_contain_text("mod disqualified the attempt")
    with Client(site.url) as anybody:
        assert [row["player"]["name"] for row in anybody.board(CODE)["rows"]] == rows(board)
    assert sorted(rows(board)) == sorted(standing)  # her next best has taken its place

    assert page.url.split("?")[0] == case_address.split("?")[0]
    act(page, "Reinstate", "mistake", "She had played this very deal with her family.")
    page.get_by_role("button", name="Reinstate now").click()
    expect(board.locator("tbody tr bdi").first).to_have_text("clever carol", timeout=5_000)
    assert rows(board) == standing
    assert snapshot(site) == before
    assert board.evaluate("window.notReloaded")
    changed = {name for name, version in versions(site).items() if version != versions_before[name]}
    assert changed == {f"{CODE} people best"}  # no other board has moved


def test_the_desk_works_on_a_phone_in_the_dark_and_without_scripts(
    site: ServerProcess, open_page: OpenPage, cheat: str, complaints: Complaints
) -> None:
    page = open_page("/rules", **PHONE, **DARK)
    browser_enrols(page, site.url, "hilda", PASSWORD)
    for address in ("", f"{cheat}/?ply=3", "players/", "../moderatoraction/"):
        page.goto(f"/admin/leaderboards/case/{address}")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert_accessible(page, f"{address} on a phone in the dark")
    state: Any = page.context.storage_state()
    bare = open_page("/rules", **NO_SCRIPT, storage_state=state)
    bare.goto(f"/admin/leaderboards/case/{cheat}/")
    bare.get_by_role("link", name="One move on").click()
    expect(bare.locator("[data-where]")).to_have_text("2")
    bare.locator(".desk-act > summary", has_text="Warn").click()
    form = bare.get_by_role("form", name="Warn")
    form.get_by_label("Kind of reason").select_option("conduct")
    form.get_by_label("Reason, for the log").fill("Loud.")
    form.get_by_role("button", name="Warn…").click()
    bare.get_by_role("button", name="Warn now").click()
    expect(bare.locator(".messagelist")).to_contain_text("clever carol: warned.".capitalize())
