"""A real streaming replica: what is read from it, how stale that may be, and what nobody may miss."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import psycopg
import redis

from games.client import Client
from tests.moderation.playing import EASY, WON
from tests.processes import ServerProcess, database_url, fresh_database, wait_until
from tests.servers import start_servers, temporary_directory
from tripeaks_site.dumps import program
from tripeaks_site.embedded.process import ServerProcess as Postgres
from tripeaks_site.embedded.process import give_to_server, root_mode, socket_directory


@dataclass
class Replica:
    url: str
    process: Postgres

    def one(self, statement: str, values: Any = None) -> Any:
        with psycopg.connect(self.url, autocommit=True) as connection:
            found = connection.execute(statement.encode(), values).fetchone()
            return found[0] if found else None


@contextlib.contextmanager
def streaming_replica(name: str) -> Iterator[Replica]:
    """A standby of the test run's PostgreSQL, which the embedded one allows to be copied by its own user."""
    primary = urlsplit(database_url(name))
    home = temporary_directory()
    cluster, sockets, log = home / "postgres", socket_directory(home), home / "log"
    log.mkdir()
    mode = root_mode()
    for place in (home, sockets):
        give_to_server(place, mode)
    copied = Postgres(
        "pg_basebackup",
        [program("pg_basebackup"), "-d", database_url("postgres"), "-D", cluster, "-R", "-X", "stream", "-c", "fast", "--no-sync"],
        log=log / "copy.log",
        mode=mode,
        cwd=home,
    )  # fmt: skip
    assert copied.wait(timeout=120) == 0, copied.log_tail()
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(sockets),
        "port": "5432",
        "max_connections": "200",
    }
    options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
    process = Postgres(
        "replica", [program("postgres"), "-D", cluster, *options], log=log / "replica.log", mode=mode, cwd=home
    )
    replica = Replica(f"postgresql://{primary.username}@{quote(str(sockets), safe='')}:5432/{name}", process)
    try:
        process.wait_ready(lambda: answers(replica.url), timeout=60)
        yield replica
    finally:
        process.stop()


def answers(url: str) -> bool:
    try:
        with psycopg.connect(url):
            return True
    except psycopg.Error:
        return False


def account(server: ServerProcess, name: str) -> Client:
    client = Client(server.url)
    client.guest()
    client.claim(name, "correct horse battery")
    return client


def test_stale_reads_are_bounded_and_nobody_misses_what_was_done(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(fresh_database())
        replica = stack.enter_context(streaming_replica(urlsplit(url).path[1:]))
        env = {"DATABASE_REPLICA_URL": replica.url, "TRIPEAKS_REPLICA_LAG_SECONDS": "6"}
        server = ServerProcess(url, os.environ["REDIS_URL"], env)
        server.start()
        stack.callback(server.kill)
        primary = stack.enter_context(psycopg.connect(url, autocommit=True))
        alice, bob, anybody = account(server, "alice"), account(server, "bob"), Client(server.url)

        def names() -> list[str]:
            return [row["player"]["name"] for row in anybody.board(EASY)["rows"]]

        def rename(old: str, new: str) -> None:
            primary.execute("UPDATE games_player SET name = %s WHERE name = %s", (new, old))

        def paused() -> None:
            """Stop the replica where it is, measured as near just now."""
            target = primary.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
            assert wait_until(lambda: replica.one("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", target), seconds=20)
            names()  # a position to measure by: others write to this primary all the while
            time.sleep(1.1)
            names()
            replica.one("SELECT pg_wal_replay_pause()")

        first, second = alice.start(code=EASY), bob.start(code=EASY)
        for ply, move in enumerate(WON):
            alice.move(first["id"], move, ply)
        for ply, move in enumerate(WON[:-1]):
            bob.move(second["id"], move, ply)
        assert names() == ["alice"]  # at once, wherever that is read
        time.sleep(8.1)  # so long a new Redis is not believed
        paused()
        rename("alice", "alicia")
        assert names() == ["alice"]  # of the replica
        assert (
            anybody.request("GET", f"/players/{anybody.board(EASY)['rows'][0]['player']['id']}")["player"]["name"]
            == "alice"
        )

        bob.move(second["id"], WON[-1], len(WON) - 1)
        assert bob.replay(second["id"])["player"]["name"] == "bob"
        assert anybody.replay(second["id"])["player"]["name"] == "bob"  # unknown to the replica
        assert sorted(names()) == ["alicia", "bob"]  # it lacks the board's version
        assert bob.my_place(EASY)["rank"] == 1

        time.sleep(8.1)  # noted no longer; by now it is too far behind
        assert sorted(names()) == ["alicia", "bob"]
        replica.one("SELECT pg_wal_replay_resume()")
        paused()
        rename("bob", "bobby")
        assert sorted(names()) == ["alicia", "bob"]  # it is read again
        replica.process.stop()
        assert sorted(names()) == ["alicia", "bobby"]
        assert "The replica" in server.logs()
        assert primary.execute("SELECT count(*) FROM leaderboards_entry").fetchone() == (4,)


def test_own_results_are_seen_whatever_becomes_of_redis(tmp_path: Path) -> None:
    """Two hosts over one Redis. One reaches it by a way of its own, which is cut; then Redis itself is lost."""
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(fresh_database())
        replica = stack.enter_context(streaming_replica(urlsplit(url).path[1:]))
        servers = start_servers(postgres=False, redis=True)
        stack.callback(servers.stop)
        socket, way = Path(urlsplit(servers.urls.redis_url).path), tmp_path / "redis.sock"
        way.symlink_to(socket)
        env = {"DATABASE_REPLICA_URL": replica.url, "TRIPEAKS_REPLICA_LAG_SECONDS": "6"}
        hosts = []
        for address in (f"unix://{way}", servers.urls.redis_url):
            hosts.append(ServerProcess(url, address, env))
            hosts[-1].start()
            stack.callback(hosts[-1].kill)
        cut_off, other = hosts
        primary = stack.enter_context(psycopg.connect(url, autocommit=True))
        players = {name: account(cut_off, name) for name in ("alice", "bob", "carol", "dave")}
        running = {name: player.start(code=EASY) for name, player in players.items()}
        for name, player in players.items():
            for ply, move in enumerate(WON if name == "alice" else WON[:-1]):
                player.move(running[name]["id"], move, ply)

        def cut() -> None:
            way.unlink()
            with redis.Redis.from_url(servers.urls.redis_url) as control:
                control.client_kill_filter(_type="normal", skipme=True)

        def finish(name: str) -> None:
            players[name].move(running[name]["id"], WON[-1], len(WON) - 1)

        def rank(name: str) -> int | None:
            there = Client(other.url, token=players[name].token)
            found: int | None = there.my_place(EASY)["rank"]
            return found

        def first() -> str:
            return str(Client(other.url).board(EASY)["rows"][0]["player"]["name"])

        @contextlib.contextmanager
        def behind() -> Iterator[None]:
            """A replica that stays where it is, and was measured as near just now."""
            time.sleep(8.1)  # as long as notes are kept
            target = primary.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
            assert wait_until(lambda: replica.one("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", target), seconds=20)
            rank("alice")
            time.sleep(1.1)
            rank("alice")
            replica.one("SELECT pg_wal_replay_pause()")
            primary.execute("UPDATE games_player SET name = 'alicia' WHERE name = 'alice'")
            assert wait_until(lambda: first() == "alice", seconds=5)  # the replica is read, where Redis answers in time
            yield
            primary.execute("UPDATE games_player SET name = 'alice' WHERE name = 'alicia'")
            replica.one("SELECT pg_wal_replay_resume()")

        with behind():
            finish("bob")
            os.kill(servers.pids()["redis"], signal.SIGKILL)
            assert wait_until(lambda: socket_answers(servers.urls.redis_url), seconds=20)
            time.sleep(1.1)  # nobody does without it any more
            assert rank("bob") == 1

        with behind():
            cut()
            finish("carol")
            assert wait_until(lambda: rank("carol") is None, seconds=2)  # nobody can tell the other host
            way.symlink_to(socket)
            assert wait_until(lambda: rank("carol") == 1, seconds=5)

        with psycopg.connect(replica.url, autocommit=True) as settings:
            settings.execute("ALTER SYSTEM SET recovery_min_apply_delay = '200ms'")  # only a little behind
            settings.execute("SELECT pg_reload_conf()")
        time.sleep(8.1)
        assert rank("alice") == 1
        cut()
        finish("dave")  # the answer comes when the replica has it: no note is needed
        assert rank("dave") == 1


def socket_answers(address: str) -> bool:
    try:
        with redis.Redis.from_url(address) as connection:
            return bool(connection.ping())
    except redis.RedisError:
        return False
