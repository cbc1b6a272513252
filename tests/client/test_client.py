"""The API client against a real server, also while links break."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import cast

import pytest

from games.client import ApiError, Attempt, Client, Game, Link
from tests.processes import ROOT, ServerProcess

from .cast import guest, person, play_out
from .cutting_proxy import CuttingProxy

CODE = "TP1-E-AAAAAAB"
LINKS = ["rest", "socket"]


@contextmanager
def linked(client: Client, kind: str) -> Iterator[Link]:
    """The client itself, or a play socket of it."""
    if kind == "rest":
        yield client
    else:
        with client.play_socket() as link:
            yield link


@pytest.mark.parametrize("kind", LINKS)
def test_a_whole_game_is_played_over(site: ServerProcess, kind: str) -> None:
    with guest(site.url) as alice, linked(alice, kind) as link:
        game = Game(link, alice.start(code=CODE))
        assert sorted(game.attempt["legal"]) == ["d", "t20", "t22", "t24"]  # R7.4
        for move in ("t20", "t23", "t22"):
            attempt = game.play(move)
        assert (attempt["ply"], attempt["score"], attempt["view"]["tableau"][13]) == (3, 497, "7S")
        assert game.resign()["outcome"] == "resigned"


@pytest.mark.parametrize("kind", LINKS)
def test_a_refusal_is_an_api_error_with_the_servers_code(site: ServerProcess, kind: str) -> None:
    with guest(site.url) as alice, linked(alice, kind) as link:
        game = Game(link, alice.start(code=CODE))
        with pytest.raises(ApiError) as refused:
            game.play("t18")
        assert refused.value.code == "not_adjacent"
        assert refused.value.status == (422 if kind == "rest" else 0)
        assert game.refresh()["ply"] == 0


@pytest.mark.parametrize("kind", LINKS)
def test_a_stale_game_learns_the_newest_state_from_the_refusal(site: ServerProcess, kind: str) -> None:
    with guest(site.url) as alice, linked(alice, kind) as link:
        game = Game(link, alice.start(code=CODE))
        alice.move(game.attempt["id"], "t20", 0)  # another tab
        with pytest.raises(ApiError) as refused:
            game.play("t22")
        assert refused.value.code == "stale_ply"
        assert game.attempt["ply"] == 1
        assert game.play("d")["ply"] == 2


@pytest.mark.parametrize("side", ["cut_requests", "cut_replies"])
@pytest.mark.parametrize("kind", LINKS)
def test_C19_a_move_on_a_cut_link_is_made_once(site: ServerProcess, kind: str, side: str) -> None:
    with CuttingProxy(site.port) as proxy, guest(proxy.url) as alice:
        attempt = alice.start(code=CODE)
        with linked(alice, kind) as link:
            game = Game(link, attempt)
            game.play("t20")
            setattr(proxy, side, 1)
            assert game.play("t23")["ply"] == 2
            assert proxy.cuts == 1
            assert dict(cast(Client, link).repeated) == {"unreachable": 1}
            assert game.play("t22")["ply"] == 3
        assert alice.resume(attempt["id"])["moves"] == 3


def test_without_patience_the_same_cut_loses_the_answer(site: ServerProcess) -> None:
    """The control of the test above: the repeat is what saves it."""
    with CuttingProxy(site.port) as proxy, guest(proxy.url) as alice:
        attempt = alice.start(code=CODE)
        alice.patience = 0
        proxy.cut_replies = 1
        with pytest.raises(ApiError) as lost:
            alice.move(attempt["id"], "t20", 0)
        assert lost.value.code == "unreachable"
        assert Client(site.url, alice.token).resume(attempt["id"])["ply"] == 1


def test_what_may_not_be_repeated_is_not_sent_twice(site: ServerProcess) -> None:
    with CuttingProxy(site.port) as proxy, Client(proxy.url) as nobody:
        proxy.cut_replies = 1
        with pytest.raises(ApiError) as lost:
            nobody.guest()
        assert lost.value.code == "unreachable"
        assert proxy.cuts == 1


def test_a_start_repeated_with_its_key_is_the_same_attempt(site: ServerProcess) -> None:
    with CuttingProxy(site.port) as proxy, guest(proxy.url) as alice:
        proxy.cut_replies = 1
        first = alice.start(code=CODE, key="once")
        assert alice.start(code=CODE, key="once")["id"] == first["id"]
        assert [each["id"] for each in alice.attempts()] == [first["id"]]


@pytest.mark.parametrize("kind", LINKS)
def test_a_game_goes_on_over_a_restart_of_the_server(site: ServerProcess, kind: str) -> None:
    with guest(site.url) as alice, linked(alice, kind) as link:
        game = Game(link, alice.start(code=CODE))
        game.play("t20")
        site.kill()
        with ThreadPoolExecutor() as pool:
            reply = pool.submit(game.play, "t23")
            time.sleep(0.5)
            assert not reply.done()
            site.start()  # here, not in a thread: the server ends with the thread that starts it
            assert reply.result(30)["ply"] == 2


def test_the_socket_of_a_revoked_token_says_so(site: ServerProcess) -> None:
    with person(site.url, "alice") as alice:
        program = Client(site.url, alice.token_create("program"))
        [token] = [each for each in alice.credentials() if each["name"] == "program"]
        with program.play_socket() as link:
            attempt = program.start(code=CODE)
            link.move(attempt["id"], "t20", 0)
            alice.credential_end(token["id"])
            with pytest.raises(ApiError) as refused:
                link.move(attempt["id"], "t23", 1)
        assert refused.value.code == "not_signed_in"


def test_standings_follow_a_result(site: ServerProcess) -> None:
    with person(site.url, "bob") as bob, bob.standings("TP1-E-AAAAAAC") as board:
        standings = iter(board)
        assert next(standings).rows == []
        threading.Thread(target=play_out, args=(Client(site.url, bob.token), _start(bob))).start()
        rows = next(each.rows for each in standings if each.rows)
        assert [(row["rank"], row["player"]["name"]) for row in rows] == [(1, "bob")]


def _start(client: Client) -> Attempt:
    return client.start(code="TP1-E-AAAAAAC")


def test_the_socket_of_standings_follows_over_a_restart(site: ServerProcess) -> None:
    with person(site.url, "carol") as carol, carol.standings("TP1-E-AAAAAAD") as board:
        standings = iter(board)
        next(standings)
        site.kill()
        site.start()
        threading.Thread(
            target=play_out, args=(Client(site.url, carol.token), carol.start(code="TP1-E-AAAAAAD"))
        ).start()
        assert next(each.rows for each in standings if each.rows)[0]["player"]["name"] == "carol"


def test_nobody_at_the_address_is_one_clear_error() -> None:
    started = time.monotonic()
    with pytest.raises(ApiError) as refused:
        Client("http://127.0.0.1:9", patience=0).daily()
    assert refused.value.code == "unreachable"
    assert time.monotonic() - started < 5


def test_the_client_needs_no_django() -> None:
    program = (
        "import sys; sys.modules['django'] = None; import games.client, games.client_sockets; "
        "print(sorted(name for name in sys.modules if name.startswith('games')))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "['games', 'games.client', 'games.client_shapes', 'games.client_sockets']", (
        done.stderr
    )
