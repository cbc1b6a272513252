"""Standings that move in front of everyone: no reload, no lost row, and plain words when the link is gone."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from games.client import Client
from games.engine.cards import parse_cards
from games.engine.codes import composed_code
from tests import servers
from tests.client.cast import CHAIN, DECK_Z, PASSWORD, UNHURRIED, bot, database, person, play_badly, play_line, play_out
from tests.processes import ROOT, ServerProcess, live_server

from .conftest import Complaints, OpenPage

BROKEN_LINK = ("WebSocket connection to", "Failed to load resource: net::ERR_CONNECTION_REFUSED")


def rows(page: Page, kind: str) -> list[tuple[str, str]]:
    """(rank, name) of a list as it stands in the page."""
    found = page.locator(f'.live-board[data-kind="{kind}"] tbody tr')
    return [(row.locator(".rank").inner_text(), row.locator("bdi").inner_text()) for row in found.all()]


def is_live(page: Page) -> None:
    expect(page.locator("#status")).to_have_text("live")


def test_the_bots_row_appears_on_the_page_and_on_a_raw_socket(
    site: ServerProcess, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page("/")
    page.get_by_role("tab", name="Bots").click()
    is_live(page)
    expect(page.get_by_text("No bot has finished it yet.")).to_be_visible()
    page.evaluate("window.notReloaded = true")
    with Client(site.url) as spectator:
        board = spectator.daily()["board"]
        with spectator.standings(board, "bots") as socket:
            standings = iter(socket)
            assert next(standings).rows == []
            playing = subprocess.Popen(
                [sys.executable, "manage.py", "play_bot", "--daily", "--url", site.url],
                cwd=ROOT,
                env={"PATH": "/usr/bin:/bin", "TRIPEAKS_DATA": str(tmp_path)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            [row] = next(each.rows for each in standings if each.rows)
        output, _ = playing.communicate(timeout=30)
        assert playing.returncode == 0, output
    name = row["player"]["name"]
    assert output.startswith(name)
    expect(page.locator('.live-board[data-kind="bots"] tbody tr')).to_have_count(1)
    assert rows(page, "bots") == [("1", name)]
    expect(page.get_by_role("tab", name="Bots")).to_have_text("Bots 1")
    expect(page.locator('.live-board[data-kind="bots"] [data-counts]')).to_have_text("0 playing · 1 finished")
    expect(page.locator("#announce")).to_contain_text(f"Place 1: {name}")
    assert page.evaluate("window.notReloaded")
    assert rows(page, "people") == []  # case C14: it is on no list of people


def test_C12_a_live_list_is_in_the_order_that_a_reload_shows(site: ServerProcess, open_page: OpenPage) -> None:
    with Client(site.url) as anybody:
        anybody.guest()
        code = _composed(anybody)
    page = open_page(f"/boards/{code}")
    is_live(page)
    players = {name: person(site.url, name) for name in ("p one", "p two", "p three", "p four")}
    for name, player in players.items():
        attempt = player.start(code=code)
        if name == "p three":
            play_badly(player, attempt)
        else:
            play_line(player, attempt, CHAIN)
    expected = [("1", "p one"), ("1", "p two"), ("1", "p four"), ("4", "p three")]
    expect(page.locator("tbody tr")).to_have_count(4)
    expect(page.locator("tbody tr").nth(3)).to_contain_text("p three")
    assert rows(page, "people") == expected
    play_line(players["p one"], players["p one"].start(code=code), CHAIN)  # a repeat changes nothing (R8.4)
    for _ in range(3):
        page.reload()
        assert rows(page, "people") == expected
        is_live(page)
        assert rows(page, "people") == expected


def _composed(client: Client) -> str:
    """The code of deck Z under the ruleset "runs"."""
    code = composed_code("R", parse_cards(DECK_Z)).text
    assert client.start(code=code, practice=True)["code"] == code
    return code


FIRST_SUBSCRIBE_LOST = """
  const send = WebSocket.prototype.send;
  window.lost = 0;
  WebSocket.prototype.send = function (text) {
    if (window.lost === 0 && JSON.parse(text).type === "subscribe") window.lost += 1;
    else send.call(this, text);
  };
"""


def test_a_list_whose_subscription_was_refused_is_followed_from_the_next_heartbeat_on(
    site: ServerProcess, open_page: OpenPage
) -> None:
    code = "TP1-E-AAAAAAX"
    page = open_page(f"/boards/{code}", script=FIRST_SUBSCRIBE_LOST)
    expect(page.locator("#status")).to_have_text("live")  # the first heartbeat said so
    assert page.evaluate("window.lost") == 1
    late = person(site.url, "latecomer")
    play_badly(late, late.start(code=code))
    expect(page.locator("tbody tr")).to_have_count(1)


def test_C14_a_bot_moves_only_the_list_of_bots(site: ServerProcess, open_page: OpenPage) -> None:
    code = "TP1-E-AAAAAAF"
    page = open_page(f"/boards/{code}")
    bots = open_page(f"/boards/{code}?kind=bots")
    is_live(page)
    is_live(bots)
    human = person(site.url, "robotnik")
    robot = bot(human, "a human")
    play_out(robot, robot.start(code=code))
    play_out(human, human.start(code=code))
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(bots.locator("tbody tr")).to_have_count(1)
    assert rows(page, "people") == [("1", "robotnik")]
    assert rows(bots, "bots") == [("1", "a human")]


def test_C15_a_deleted_account_leaves_an_open_page(site: ServerProcess, open_page: OpenPage) -> None:
    code = "TP1-E-AAAAAAG"
    players = [person(site.url, f"c15 {number}") for number in range(3)]
    for number, player in enumerate(players):
        play_out(player, player.start(code=code), seed=number)
    page = open_page(f"/boards/{code}")
    is_live(page)
    expect(page.locator("tbody tr")).to_have_count(3)
    before = rows(page, "people")
    gone = players[int(before[0][1].removeprefix("c15 "))]
    gone.request("DELETE", "/account", {"password": PASSWORD})
    expect(page.locator("tbody tr")).to_have_count(2, timeout=5000)
    expect(page.locator("[data-counts]")).to_have_text("2 players")
    expect(page.locator("tbody tr").first.locator(".rank")).to_have_text("1")
    assert [name for _, name in rows(page, "people")] == [name for _, name in before[1:]]


def test_a_name_that_is_markup_arrives_as_text(site: ServerProcess, open_page: OpenPage) -> None:
    code = "TP1-E-AAAAAAH"
    page = open_page(f"/boards/{code}")
    is_live(page)
    mallory = person(site.url, "mallory")
    markup = "<img src=x onerror=x()>"
    with database(site) as connection:  # no service lets such a name in; the page must not depend on that
        connection.execute("UPDATE games_player SET name = %s WHERE name = 'mallory'", (markup,))
    play_out(mallory, mallory.start(code=code))
    expect(page.locator("tbody bdi")).to_have_text(markup)
    page.reload()
    expect(page.locator("tbody bdi")).to_have_text(markup)
    assert page.locator("tbody img").count() == 0


def test_a_restarted_server_is_reconnected_to(site: ServerProcess, open_page: OpenPage, complaints: Complaints) -> None:
    complaints.forgive(*BROKEN_LINK)
    code = "TP1-E-AAAAAAJ"
    alice = person(site.url, "alice of the restart")
    attempt = alice.start(code=code)
    page = open_page(f"/boards/{code}", width=320)
    is_live(page)
    site.kill()
    expect(page.locator("#status")).to_have_text("reconnecting")
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    expect(page.locator("#announce")).to_have_text("Connection lost. Reconnecting.")
    site.start()
    is_live(page)
    play_out(alice, attempt)
    expect(page.locator("tbody bdi")).to_have_text("alice of the restart")


def test_what_happened_while_the_link_was_gone_is_there_afterwards(
    site: ServerProcess, open_page: OpenPage, complaints: Complaints
) -> None:
    complaints.forgive(*BROKEN_LINK, "net::ERR_INTERNET_DISCONNECTED")
    code = "TP1-E-AAAAAAK"
    bob = person(site.url, "bob offline")
    page = open_page(f"/boards/{code}")
    is_live(page)
    site.kill()
    expect(page.locator("#status")).to_have_text("reconnecting")
    with site.another() as other, Client(other.url, bob.token) as elsewhere:
        play_out(elsewhere, elsewhere.start(code=code))
    site.start()
    expect(page.locator("#status")).to_have_text("live")  # the pauses between tries have grown
    expect(page.locator("tbody bdi")).to_have_text("bob offline")


def test_standings_without_redis_say_that_they_are_delayed(open_page: OpenPage, complaints: Complaints) -> None:
    if not servers.redis_is_ours():
        pytest.skip("this run's Redis was given from outside and may not be stopped")
    redis = servers.start_servers(postgres=False, redis=True)
    with live_server(env=UNHURRIED, redis=redis.urls.redis_url) as server:
        page = open_page(f"{server.url}/")
        is_live(page)
        redis.stop()
        expect(page.locator("#status")).to_have_text("delayed")
        alice = person(server.url, "alice")
        threading.Thread(target=play_out, args=(alice, alice.start_daily())).start()
        expect(page.locator('.live-board[data-kind="people"] tbody tr')).to_have_count(1)
    complaints.forgive(*BROKEN_LINK)


def test_a_burst_of_results_ends_in_the_order_of_the_database(site: ServerProcess, open_page: OpenPage) -> None:
    code = "TP1-E-AAAAAAL"
    page = open_page(f"/boards/{code}")
    is_live(page)
    players = [person(site.url, f"burst {number}") for number in range(12)]
    threads = [
        threading.Thread(target=play_out, args=(player, player.start(code=code)), kwargs={"seed": seed})
        for seed, player in enumerate(players)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(page.locator("tbody tr")).to_have_count(12)
    with Client(site.url) as anybody:
        expected = [(str(row["rank"]), row["player"]["name"]) for row in anybody.board(code)["rows"]]
    deadline = time.monotonic() + 10
    while rows(page, "people") != expected and time.monotonic() < deadline:
        time.sleep(0.1)
    assert rows(page, "people") == expected
