"""A killed server or PostgreSQL in the middle of a game loses no acknowledged move; the client goes on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.attempts.hand import Z_LINE, deck_code
from tests.processes import ServerProcess, live_server
from tests.realtime.sockets import Frame, Link, open_link, play_link, rest


@pytest.fixture(scope="module")
def durable() -> Iterator[ServerProcess]:
    env = {"TRIPEAKS_SOCKET_HEARTBEAT_SECONDS": "1", "TRIPEAKS_THROTTLE_GUEST": "1000/60"}
    with live_server(env=env, durable=True) as server:
        yield server


def begin(server: ServerProcess) -> tuple[str, str]:
    """A guest's token and attempt."""
    status, answer, _ = rest(server, "POST", "/guests", {"credential": "token"})
    assert status == 201, answer
    token: str = answer["token"]
    status, answer, _ = rest(server, "POST", "/attempts", {"code": deck_code("Z", "R"), "key": "k"}, token=token)
    assert status == 201, answer
    return token, answer["attempt"]["id"]


def reconnected(server: ServerProcess, token: str, seconds: float = 20) -> Link:
    deadline = time.monotonic() + seconds
    while True:
        try:
            link = open_link(server, "/ws/v1/play", token=token)
            if link.hear()["type"] == "welcome":
                return link
        except (OSError, ConnectionClosed, InvalidStatus):
            pass
        assert time.monotonic() < deadline, "no welcome again"
        time.sleep(0.1)


def play_through(server: ServerProcess, token: str, attempt: str, link: Link, ply: int) -> list[Frame]:
    """The rest of the game as a stubborn client plays it: repeats until acknowledged, reconnects when cut off."""
    acknowledged: list[Frame] = []
    deadline = time.monotonic() + 40
    while ply < len(Z_LINE):
        assert time.monotonic() < deadline, "not played through"
        try:
            link.move(attempt, Z_LINE[ply], ply)
            answer = link.hear("ack", "error")
        except ConnectionClosed:
            link = reconnected(server, token)
            continue
        if answer["type"] == "ack":
            acknowledged.append(answer)
            ply = answer["ply"]
        else:
            assert answer["error"]["code"] == "unavailable", answer
            time.sleep(0.1)
    return acknowledged


def test_postgresql_killed_in_the_middle_of_a_game(durable: ServerProcess) -> None:
    token, attempt = begin(durable)
    assert durable.embedded is not None
    with play_link(durable, token) as link, open_link(durable, "/ws/v1/standings") as spectator:
        assert spectator.ask(type="subscribe", board=deck_code("Z", "R"))["type"] == "snapshot"
        for ply in range(10):
            link.move(attempt, Z_LINE[ply], ply)
        assert [link.hear("ack", "error").get("ply") for _ in range(10)] == list(range(1, 11))
        os.kill(durable.embedded.pids()["postgres"], signal.SIGKILL)
        acknowledged = play_through(durable, token, attempt, link, 10)
        assert acknowledged[-1]["attempt"]["score"] == 466
        assert spectator.ask(type="resync", board=deck_code("Z", "R"))["type"] == "snapshot"  # it has lived on
    status, answer, _ = rest(durable, "GET", f"/attempts/{attempt}", token=token)
    assert (status, answer["attempt"]["ply"], answer["attempt"]["outcome"]) == (200, 28, "won")


def test_the_server_killed_in_the_middle_of_a_game(durable: ServerProcess) -> None:
    token, attempt = begin(durable)
    with play_link(durable, token) as link:
        for ply in range(20):  # the last of these may or may not be applied
            link.move(attempt, Z_LINE[ply], ply)
        seen = [link.hear("ack")["ply"] for _ in range(5)]
        durable.kill()
        durable.start()
        with reconnected(durable, token) as again:
            state = again.ask(type="resume", attempt=attempt, ply=seen[-1])
            assert state["ply"] >= seen[-1]
            assert state["since"] == Z_LINE[seen[-1] : state["ply"]]
            acknowledged = play_through(durable, token, attempt, again, state["ply"])
    assert acknowledged[-1]["attempt"]["score"] == 466


def test_a_server_that_stops_in_order_says_goodbye_with_1012(durable: ServerProcess) -> None:
    token, _ = begin(durable)
    with play_link(durable, token) as link, open_link(durable, "/ws/v1/standings") as spectator:
        spectator.ask(type="subscribe", board="TP1-E-AAAAAAB")
        started = time.monotonic()
        durable.terminate()
        assert time.monotonic() - started < 8
        assert (link.closed(), spectator.closed()) == (1012, 1012)
    durable.start()
    assert "Traceback" not in durable.logs().split("Started")[-1]
