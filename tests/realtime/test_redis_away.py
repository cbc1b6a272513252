"""Redis gone in the middle: play goes on, standings say that they are delayed and still come, and all heals by itself."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from games.redis import TIMEOUT_SECONDS
from leaderboards.selectors import standings_snapshot
from tests.attempts.hand import Z_LINE, Hand, deck_code
from tests.factories import person
from tests.leaderboards.cast import RUNS, finish
from tests.processes import ServerProcess, free_port, live_server, wait_until
from tests.realtime.conftest import QUICK
from tests.realtime.sockets import Spectator, hinted, play_link
from tests.servers import temporary_directory
from tripeaks_site.embedded.servers import Servers


class OwnRedis:
    """A Redis at one address that can be stopped and started again, empty."""

    def __init__(self) -> None:
        self._directory = temporary_directory()
        self.start()
        self.url = self._servers.urls.redis_url

    def start(self) -> None:
        self._servers = Servers(self._directory, fast=True, postgres=False)
        self._servers.start()

    def stop(self) -> None:
        self._servers.stop()

    @property
    def pid(self) -> int:
        return self._servers.pids()["redis"]


@pytest.fixture
def redis() -> Iterator[OwnRedis]:
    own = OwnRedis()
    yield own
    own.stop()


@dataclass
class Pair:
    """Two server processes over one Redis."""

    one: ServerProcess
    two: ServerProcess
    redis: OwnRedis


def metrics() -> dict[str, str]:
    return {"TRIPEAKS_METRICS": f"127.0.0.1:{free_port()}"}


@pytest.fixture
def pair(committed: ServerProcess, redis: OwnRedis) -> Iterator[Pair]:
    with (
        live_server(env={**QUICK, **metrics()}, database=committed.database_url, redis=redis.url) as one,
        one.another(metrics()) as two,
    ):
        yield Pair(one, two, redis)


def heartbeat_says(spectator: Spectator, delayed: bool, seconds: float) -> float:
    """How long until a heartbeat says so."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        if spectator.link.hear("heartbeat", timeout=seconds)["delayed"] is delayed:
            return time.monotonic() - started
    raise AssertionError(f"no heartbeat with delayed={delayed} within {seconds} s")


def test_play_goes_on_standings_are_delayed_and_all_heals(pair: Pair) -> None:
    alice, bob = Hand.of(person("alice")), Hand.of(person("bob"))
    code = deck_code("Z", "R")
    hers, his = alice.start(code).public_id, bob.start(code).public_id
    with (
        play_link(pair.one, alice.secret) as playing,
        Spectator(pair.one, code) as here,
        Spectator(pair.two, code) as there,
        play_link(pair.two, bob.secret) as bobs,
    ):
        for spectator in (here, there):
            heartbeat_says(spectator, False, 20)
        pair.redis.stop()
        for ply, move in enumerate(Z_LINE):
            playing.move(hers, move, ply)
        assert [playing.hear("ack", "error").get("ply") for _ in Z_LINE] == list(range(1, 29))
        here.until(1, 15)  # its own process
        there.until(1, 15)  # by polling
        for spectator in (here, there):
            heartbeat_says(spectator, True, 20)
        pair.redis.start()
        for spectator in (here, there):
            heartbeat_says(spectator, False, 30)
        before = hinted(pair.one)
        for ply, move in enumerate(Z_LINE):
            bobs.move(his, move, ply)
        assert [bobs.hear("ack", "error").get("ply") for _ in Z_LINE] == list(range(1, 29))
        here.until(2, 15)
        assert wait_until(lambda: hinted(pair.one) > before), "by a hint again, not by the heartbeat"
        assert here.standings.rows == standings_snapshot(code, "people", "best")["rows"]
        assert here.resyncs == there.resyncs == 0
    for server in (pair.one, pair.two):
        noise = [line for line in server.logs().splitlines() if "WARNING" in line or "ERROR" in line]
        assert len(noise) <= 4  # one line a minute from each of those who miss Redis
        assert "Traceback" not in server.logs()


def test_a_server_that_starts_without_redis_serves_and_finds_it_later(
    committed: ServerProcess, redis: OwnRedis
) -> None:
    redis.stop()
    with (
        live_server(env=QUICK, database=committed.database_url, redis=redis.url) as server,
        Spectator(server, RUNS) as spectator,
    ):
        heartbeat_says(spectator, True, 20)
        finish(person("alice"), 300)
        spectator.until(1, 15)
        redis.start()
        heartbeat_says(spectator, False, 30)


def test_a_redis_that_hangs_is_no_worse_than_one_that_is_down(committed: ServerProcess, redis: OwnRedis) -> None:
    alice = Hand.of(person("alice"))
    code = deck_code("Z", "R")
    attempt = alice.start(code).public_id
    with (
        live_server(env=QUICK, database=committed.database_url, redis=redis.url) as server,
        play_link(server, alice.secret) as playing,
        Spectator(server, code) as spectator,
    ):
        heartbeat_says(spectator, False, 20)
        os.kill(redis.pid, signal.SIGSTOP)
        try:
            started = time.monotonic()
            for ply, move in enumerate(Z_LINE):
                playing.move(attempt, move, ply)
            assert [playing.hear("ack", "error").get("ply") for _ in Z_LINE] == list(range(1, 29))
            assert time.monotonic() - started < len(Z_LINE) * TIMEOUT_SECONDS, "not each of them waits for Redis"
            spectator.until(1, 15)
            heartbeat_says(spectator, True, 20)
        finally:
            os.kill(redis.pid, signal.SIGCONT)
        heartbeat_says(spectator, False, 40)
        assert "Traceback" not in server.logs()
