"""The many-process form on two hosts of this machine: one site, whichever process answers, and ends that nobody notices."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from games.client import ApiError, Client
from games.client_sockets import StandingsSocket
from leaderboards.bench import faults, load
from tests.processes import wait_until
from tests.site.test_compose import need_nginx
from tripeaks_site.topology import Topology
from tripeaks_site.topology.hosts import NoNamespaces, network
from tripeaks_site.topology.parts import Part

PLAYERS = 6


@pytest.fixture(scope="module")
def topology() -> Iterator[Topology]:
    need_nginx()
    with Topology(hosts=2, web=3, workers=2, durable=False, drain_seconds=1.0) as running:
        yield running


def sockets_of(web: Part) -> int:
    """How many connections the process has accepted from nginx and not closed."""
    port = f":{int(web.command[web.command.index('--port') + 1]):04X}"
    with web.host.inside():
        rows = [line.split() for line in Path("/proc/thread-self/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(port) and row[3] == "01" for row in rows)


class Player(threading.Thread):
    """Plays the daily to its end, a move every so many seconds."""

    def __init__(self, url: str, pause: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.client = Client(url)
        self.pause = pause
        self.choose = random.Random(seed)
        self.acknowledged: list[tuple[str, int, str]] = []
        self.ended = False

    def run(self) -> None:
        attempt = self.client.start_daily()
        with self.client.play_socket() as link:
            while not attempt["outcome"]:
                removes = [move for move in attempt["legal"] if move != "d"]
                key = f"key-{attempt['ply']}"
                reply = link.move(attempt["id"], self.choose.choice(removes or attempt["legal"]), attempt["ply"], key)
                attempt = reply["attempt"]
                self.acknowledged.append((attempt["id"], attempt["ply"], key))
                time.sleep(self.pause * self.choose.uniform(1, 2))
        self.ended = True


def test_a_process_that_drains_and_one_that_is_killed_lose_no_move(topology: Topology) -> None:
    # The one with a name plays at a person's pace and nobody's line: else the workers would soon hold the result.
    players = [Player(topology.url, 0.03 if number else 0.25, number) for number in range(PLAYERS)]
    for number, player in enumerate(players):
        player.client.guest()
        if number == 0:
            player.client.claim("topology", "a long password")
    board = f"daily-{players[0].client.daily()['date']}"
    live = follow(topology.url, board)
    for player in players:
        player.start()
    assert wait_until(lambda: all(sockets_of(web) for web in topology.webs), seconds=20)
    assert wait_until(lambda: all(len(player.acknowledged) > 5 for player in players), seconds=30)

    draining, killed, staying = topology.webs
    draining.terminate()
    assert draining.ended(timeout=15) == 0
    draining.start()
    killed.kill()
    for player in players:
        player.join(60)
    assert all(player.ended for player in players)
    assert staying.running
    killed.start()

    with psycopg.connect(topology.database_url) as connection:
        logged = connection.execute(
            "SELECT a.public_id, m.ply, m.move_id FROM games_move m JOIN games_attempt a ON a.id = m.attempt_id"
        ).fetchall()
        version, finished = connection.execute(
            "SELECT version, finished FROM leaderboards_board WHERE scope = %s AND kind = 'people'", (board,)
        ).fetchone() or (0, 0)
    assert sorted(logged) == sorted(each for player in players for each in player.acknowledged)
    assert finished == PLAYERS
    assert wait_until(lambda: live.standings.version == version, seconds=15)
    assert [row["player"]["name"] for row in live.standings.rows] == ["topology"]
    assert wait_until(lambda: judged(topology) == PLAYERS, seconds=30)


def test_a_small_load_loses_nothing(topology: Topology) -> None:
    figures = load.run(topology, players=4, spectators=12, seconds=4)
    assert figures["moves"]["acknowledged"] > 4
    assert {figures["moves"][name] for name in ("lost", "doubled", "unanswered")} == {0}
    assert {figures["spectators"][name] for name in ("lost", "twice", "behind_at_the_end")} == {0}
    assert figures["spectators"]["frames"] >= 12
    assert (figures["standings"]["different"], figures["errors"]) == (0, {})
    assert set(figures["cpu_seconds_per_1000_moves"]) >= {"web", "worker", "nginx", "postgres", "redis", "generator"}


def test_a_redis_that_comes_back_empty_costs_nothing_but_time(topology: Topology) -> None:
    figures = faults.run(topology, players=4, spectators=8, seconds=2, faults=["redis"])
    assert figures["missed"] == []
    assert figures["redis"]["acknowledged"] > 4
    assert figures["redis"]["down_s"] >= faults.DOWN


def judged(topology: Topology) -> int:
    """How many attempts the workers have judged."""
    with psycopg.connect(topology.database_url) as connection:
        row = connection.execute("SELECT count(*) FROM leaderboards_judgement").fetchone()
    return row[0] if row else 0


def follow(url: str, board: str) -> StandingsSocket:
    """A board followed by a thread; `standings` is always the newest."""
    following = Client(url).standings(board)

    def read() -> None:
        with contextlib.suppress(ApiError):  # the server's end
            for _ in following:
                pass

    threading.Thread(target=read, daemon=True).start()
    return following


def test_a_cut_link_lets_nothing_through_and_leaves_nothing_behind() -> None:
    before = {path.name for path in Path("/sys/class/net").iterdir()}
    made = network(["far"])
    if not made.separate:
        assert made.why_not
        with pytest.raises(NoNamespaces):
            made.cut(made.others[0])
        made.close()
        return
    far = made.others[0]
    with far.inside(), socket.create_server((far.address, 0)) as server:
        port = server.getsockname()[1]
        with made.front.inside():
            socket.create_connection((far.address, port), timeout=5).close()
            made.cut(far)
            with pytest.raises(TimeoutError):
                socket.create_connection((far.address, port), timeout=0.3)
            made.mend(far)
            socket.create_connection((far.address, port), timeout=10).close()
    made.close()
    assert {path.name for path in Path("/sys/class/net").iterdir()} == before
