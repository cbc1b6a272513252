"""C20: sockets do not eat database connections."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import psycopg
import pytest

from tests.processes import ServerProcess, live_server, run_manage
from tests.realtime.sockets import Link, open_link, play_link, rest
from tests.servers import temporary_directory
from tripeaks_site.embedded import postgres
from tripeaks_site.embedded.servers import Servers

THREADS = {"TRIPEAKS_HTTP_THREADS": "4", "TRIPEAKS_SOCKET_THREADS": "4"}
POOL = 4 + 4 + 4  # HTTP threads, socket threads, and a few for what runs beside them


@pytest.fixture(scope="module")
def small() -> Iterator[ServerProcess]:
    """A server over a PostgreSQL that allows 40 connections."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(postgres._SETTINGS, "max_connections", "40")
        servers = Servers(temporary_directory(), fast=True)
        servers.start()
    urls = servers.urls
    run_manage("migrate", "--verbosity", "0", env={"DATABASE_URL": urls.database_url, "REDIS_URL": urls.redis_url})
    env = THREADS | {"TRIPEAKS_SOCKET_HEARTBEAT_SECONDS": "1", "TRIPEAKS_THROTTLE_GUEST": "1000/60"}
    with live_server(env=env, database=urls.database_url, redis=urls.redis_url) as server:
        yield server
    servers.stop()


def connections(server: ServerProcess) -> int:
    with psycopg.connect(server.database_url) as link:
        row = link.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()
        assert row is not None
        return int(row[0])


def test_C20_two_hundred_sockets_and_fifty_idle_ones_need_only_the_pool(small: ServerProcess) -> None:
    with psycopg.connect(small.database_url) as link:
        assert link.execute("SHOW max_connections").fetchone() == ("40",)
    status, answer, _ = rest(small, "POST", "/guests", {"credential": "token"})
    assert status == 201, answer
    token = answer["token"]
    status, answer, _ = rest(small, "POST", "/attempts", {"code": "TP1-E-AAAAAAB", "key": "k"}, token=token)
    attempt = answer["attempt"]["id"]
    baseline = connections(small)
    most = baseline
    for number in range(200):
        with play_link(small, token) as one:
            assert one.ask(type="resume", attempt=attempt, ply=0)["type"] == "state"
        if number % 20 == 0:
            most = max(most, connections(small))
    idle: list[Link] = []
    for _ in range(25):
        idle.append(play_link(small, token))
        idle.append(open_link(small, "/ws/v1/standings"))
        assert idle[-1].ask(type="subscribe", board="TP1-E-AAAAAAB")["type"] == "snapshot"
    until = time.monotonic() + 10
    while time.monotonic() < until:
        most = max(most, connections(small))
        assert rest(small, "GET", "/daily")[0] == 200
        time.sleep(0.5)
    assert most <= POOL
    assert idle[0].ask(type="resume", attempt=attempt, ply=0)["type"] == "state"
    for each in idle:
        each.connection.close()
    assert connections(small) <= max(baseline + 2, POOL)
    assert "too many clients" not in small.logs()
    assert "Traceback" not in small.logs()


def test_C20_when_postgresql_has_no_connection_left_sockets_say_so_and_live(small: ServerProcess) -> None:
    """The control: the forty can run out indeed, and then a frame says `unavailable`."""
    status, answer, _ = rest(small, "POST", "/guests", {"credential": "token"})
    assert status == 201, answer
    small.kill()
    small.start()
    hogs: list[psycopg.Connection[tuple[object, ...]]] = []
    try:
        with contextlib.suppress(psycopg.OperationalError):
            hogs.extend(psycopg.connect(small.database_url) for _ in range(60))
        with pytest.raises(psycopg.OperationalError, match=r"too many clients|remaining connection slots"):
            psycopg.connect(small.database_url)
        with open_link(small, "/ws/v1/play", token=answer["token"]) as link:
            assert link.hear()["error"]["code"] == "unavailable"
            assert link.closed() == 1013
    finally:
        for hog in hogs:
            hog.close()
    while connections(small) > POOL:  # PostgreSQL gives their places back one by one
        time.sleep(0.05)
    with play_link(small, answer["token"]) as link:
        assert link.ask(type="ping")["type"] == "pong"
