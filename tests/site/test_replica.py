"""A real streaming replica: what is read from it, how stale that may be, and what nobody may miss."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import psycopg

from games.client import Client
from tests.moderation.playing import EASY, WON
from tests.processes import ServerProcess, database_url, fresh_database
from tests.servers import temporary_directory
from tests.site.test_embedded_servers import wait_until
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
        env = {"DATABASE_REPLICA_URL": replica.url, "TRIPEAKS_REPLICA_LAG_SECONDS": "3"}
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
            time.sleep(1.1)
            names()
            replica.one("SELECT pg_wal_replay_pause()")

        first, second = alice.start(code=EASY), bob.start(code=EASY)
        for ply, move in enumerate(WON):
            alice.move(first["id"], move, ply)
        for ply, move in enumerate(WON[:-1]):
            bob.move(second["id"], move, ply)
        assert names() == ["alice"]  # at once, wherever that is read
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

        time.sleep(5)  # noted no longer; by now it is too far behind
        assert sorted(names()) == ["alicia", "bob"]
        replica.one("SELECT pg_wal_replay_resume()")
        paused()
        rename("bob", "bobby")
        assert sorted(names()) == ["alicia", "bob"]  # it is read again
        replica.process.stop()
        assert sorted(names()) == ["alicia", "bobby"]
        assert "The replica" in server.logs()
        assert primary.execute("SELECT count(*) FROM leaderboards_entry").fetchone() == (4,)
