"""What one address, or one player, may cost a process over sockets: handshakes, open sockets, boards read, moves."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from games.client import ApiError
from games.client_sockets import StandingsSocket
from games.realtime import limits
from games.realtime.limits import admitted
from tests.attempts.hand import Z_LINE, Hand, deck_code
from tests.factories import person, token
from tests.processes import ServerProcess, database_url, live_server
from tests.realtime.sockets import open_link, play_link

STANDINGS = "/ws/v1/standings"
LOW = {
    "TRIPEAKS_THROTTLE_SOCKET": "6/600",
    "TRIPEAKS_THROTTLE_MOVE": "5/600",
    "TRIPEAKS_THROTTLE_READ": "3/600",
    "TRIPEAKS_SOCKETS_PER_ADDRESS": "3",
    "TRIPEAKS_TRUSTED_PROXIES": "1",
}


@pytest.fixture
def low(django_db_setup: None, transactional_db: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ServerProcess]:
    """A server process with low limits, over the tests' own database."""
    with django_db_blocker.unblock():
        name: Any = connections["default"].settings_dict["NAME"]
    with live_server(env=LOW, database=database_url(name), redis=os.environ["REDIS_URL"]) as server:
        yield server


def test_handshakes_and_open_sockets_are_counted_by_address(low: ServerProcess) -> None:
    with contextlib.ExitStack() as held:
        links = [held.enter_context(open_link(low, STANDINGS)) for _ in range(3)]
        assert [link.ask(type="ping")["type"] for link in links] == ["pong"] * 3
        with open_link(low, STANDINGS) as fourth:
            assert (fourth.hear()["error"]["data"]["limit"], fourth.closed()) == ("sockets", 4008)
        links[0].connection.close()
        held.enter_context(open_link(low, STANDINGS)).ask(type="ping")  # a place came free: the fifth handshake
        for path in (STANDINGS, "/ws/v1/play"):  # refused ones have counted: the sixth still came to the door
            with open_link(low, path, token="tpk_wrong") as link:
                limit = link.hear()["error"]["data"]["limit"]
                assert link.closed() == 4008
        assert limit == "socket"
        with open_link(low, STANDINGS, forwarded="198.51.100.7") as other:
            assert other.ask(type="ping")["type"] == "pong"


def test_a_client_whose_handshakes_are_refused_loses_its_patience(low: ServerProcess) -> None:
    for _ in range(6):
        open_link(low, STANDINGS).connection.close()
    following = StandingsSocket(low.url, "TP1-E-AAAAAAB", "people", "best", patience=1.5)
    began = time.monotonic()
    with pytest.raises(ApiError):
        next(iter(following))
    assert 0.5 < time.monotonic() - began < 8
    following.close()


def test_an_address_has_so_many_boards_read_for_it(low: ServerProcess) -> None:
    with open_link(low, STANDINGS) as link:
        kinds = [link.ask(type="subscribe", board=f"TP1-E-AAAAAA{letter}")["type"] for letter in "ABCD"]
        assert kinds == ["snapshot", "snapshot", "snapshot", "error"]
        assert link.got[-1]["error"]["data"]["limit"] == "read"
        assert link.got[-1]["board"] == "TP1-E-AAAAAAD"
        assert link.ask(type="resync", board="TP1-E-AAAAAAA")["type"] == "snapshot", "that costs no query"


def test_moves_of_a_player_are_counted_over_all_sockets_and_a_refused_one_changes_nothing(low: ServerProcess) -> None:
    alice = Hand.of(person("alice"))
    attempt = alice.start(deck_code("Z", "R")).public_id
    with play_link(low, alice.secret) as one, play_link(low, token(alice.player).secret) as two:
        for ply in range(5):
            link = (one, two)[ply % 2]
            link.move(attempt, Z_LINE[ply], ply)
            assert link.hear("ack", "error")["type"] == "ack"
        for link in (one, two):
            link.move(attempt, Z_LINE[5], 5)
            refusal = link.hear("ack", "error")
            assert (refusal["error"]["code"], refusal["error"]["data"]["limit"]) == ("throttled", "move")
            assert refusal["move_id"] == "m5"
        assert two.ask(type="resume", attempt=attempt, ply=0)["ply"] == 5
    bob = Hand.of(person("bob"))
    with play_link(low, bob.secret) as link:
        link.move(bob.start(deck_code("Z", "R")).public_id, Z_LINE[0], 0)
        assert link.hear("ack", "error")["type"] == "ack", "another player has another bucket"


def test_nothing_is_kept_of_an_address_that_has_gone() -> None:
    with admitted("192.0.2.55"), admitted("192.0.2.55"):
        assert limits._open["192.0.2.55"] == 2
    assert "192.0.2.55" not in limits._open
