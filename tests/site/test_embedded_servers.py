"""The embedded PostgreSQL and Valkey: they start anywhere, keep what they must, and never outlive their owner."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
import redis

from tests.processes import ROOT, wait_until
from tripeaks_site.embedded import postgres as postgres_module
from tripeaks_site.embedded import process as process_module
from tripeaks_site.embedded.process import EmbeddedError, command_line, remove_directory, socket_directory
from tripeaks_site.embedded.servers import Restarts, Servers, embedded_servers

HOLD = """
import sys, time
from pathlib import Path
from tripeaks_site.embedded.servers import Servers
servers = Servers(Path(sys.argv[1]), fast=True)
servers.start()
print(*servers.pids().values(), flush=True)
time.sleep(600)
"""


def is_gone(pid: int) -> bool:
    """No such process, or only its entry until the parent reads how it ended."""
    return command_line(pid) == ""


def one(url: str, query: LiteralString) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(query).fetchone()
        assert row is not None
        return row[0]


def hold(data_dir: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """A process that owns servers over `data_dir`, and the servers' process ids."""
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(data_dir)], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert owner.stdout is not None
    return owner, [int(pid) for pid in owner.stdout.readline().split()]


def test_they_start_in_a_long_path_with_spaces_and_keep_the_data(tmp_path: Path) -> None:
    data = tmp_path / "a path, with 'spaces'" / ("long" * 30)
    with embedded_servers(data, fast=True) as urls:
        with psycopg.connect(urls.database_url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        assert redis.Redis.from_url(urls.redis_url).ping()
    with embedded_servers(data, fast=True) as urls:
        assert one(urls.database_url, "SELECT answer FROM kept") == 42


def test_text_sorts_by_code_point_as_in_the_compose_file(tmp_path: Path) -> None:
    with embedded_servers(tmp_path, fast=True, redis=False) as urls:
        assert one(
            urls.database_url, "SELECT string_agg(x, '' ORDER BY x) FROM unnest(array['b','A','a','B','é']) x"
        ) == ("ABabé")
        assert one(urls.database_url, "SELECT lower('É')") == "é"
        assert one(urls.database_url, "SHOW listen_addresses") == ""


def test_nothing_outlives_an_owner_killed_with_9(tmp_path: Path) -> None:
    owner, pids = hold(tmp_path)
    assert len(pids) == 2
    assert not any(is_gone(pid) for pid in pids)  # control: they do run, and are seen to
    owner.kill()
    owner.wait()
    assert wait_until(lambda: all(is_gone(pid) for pid in pids))
    with embedded_servers(tmp_path, fast=True) as urls:
        assert one(urls.database_url, "SELECT 1") == 1


@pytest.mark.parametrize("name", ["postgres", "redis"])
def test_a_server_that_dies_is_started_again_at_the_same_address(tmp_path: Path, name: str) -> None:
    servers = Servers(tmp_path)  # durable: what was committed is there after a crash
    servers.start()
    try:
        if name == "postgres":
            with psycopg.connect(servers.urls.database_url) as connection:
                connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        dead = servers.pids()[name]
        os.kill(dead, signal.SIGKILL)
        assert wait_until(lambda: servers.pids()[name] != dead)
        if name == "postgres":
            assert one(servers.urls.database_url, "SELECT answer FROM kept") == 42
        else:
            assert redis.Redis.from_url(servers.urls.redis_url).ping()
    finally:
        servers.stop()


def test_a_server_that_keeps_dying_is_tried_with_growing_pauses() -> None:
    now = 1000.0
    restarts = Restarts(clock=lambda: now)
    tried = []
    for _ in range(200):
        if restarts.due():
            tried.append(now)
        now += 0.1
    pauses = [b - a for a, b in itertools.pairwise(tried)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == pytest.approx(5, abs=0.2)
    now += 60  # it stood for a minute: the next end is a new story
    assert restarts.due()
    now += 0.6
    assert restarts.due()


def test_a_server_left_over_by_a_dead_run_is_stopped_first(tmp_path: Path) -> None:
    """Where the system does not end children with their parent (not Linux) this is what the next start meets."""
    left_over = Servers(tmp_path, fast=True, redis=False)
    left_over.start()
    pid = left_over.pids()["postgres"]
    left_over._stopping.set()  # its watcher leaves it alone from here on
    cluster = tmp_path / "postgres"
    assert (cluster / "postmaster.pid").read_text().split()[0] == str(pid)
    postgres_module.stop_left_over(cluster)
    assert wait_until(lambda: is_gone(pid))
    left_over.stop()


def test_a_stale_pid_file_with_a_number_in_use_does_not_hinder_the_start(tmp_path: Path) -> None:
    with embedded_servers(tmp_path, fast=True, redis=False):
        lines = (tmp_path / "postgres" / "postmaster.pid").read_text().splitlines()
    lines[0] = str(os.getpid())  # this test's own process: it must survive, too
    (tmp_path / "postgres" / "postmaster.pid").write_text("\n".join(lines) + "\n")
    with embedded_servers(tmp_path, fast=True, redis=False) as urls:
        assert one(urls.database_url, "SELECT 1") == 1


def test_a_cluster_whose_making_was_cut_off_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "postgres.unfinished" / "base").mkdir(parents=True)
    (tmp_path / "postgres.unfinished" / "PG_VERSION").write_text("18\n")
    with embedded_servers(tmp_path, fast=True, redis=False) as urls:
        assert one(urls.database_url, "SELECT 1") == 1
    assert not (tmp_path / "postgres.unfinished").exists()


def test_data_of_another_major_version_is_refused_in_words(tmp_path: Path) -> None:
    with embedded_servers(tmp_path, fast=True, redis=False):
        pass
    (tmp_path / "postgres" / "PG_VERSION").write_text("12\n")
    with pytest.raises(EmbeddedError, match="made by PostgreSQL 12"), embedded_servers(tmp_path, redis=False):
        pass


def test_a_server_that_cannot_start_is_told_with_its_log(tmp_path: Path) -> None:
    with embedded_servers(tmp_path, fast=True, redis=False):
        pass
    (tmp_path / "postgres" / "postgresql.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(EmbeddedError, match="no_such_setting"), embedded_servers(tmp_path, redis=False):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_as_root_without_user_namespaces_the_user_nobody_serves_and_the_data_can_go_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)  # as under /root: `nobody` could not pass
    with monkeypatch.context() as patch:
        patch.setattr(postgres_module, "root_mode", lambda: "nobody")
        with embedded_servers(tmp_path, fast=True) as urls:
            assert (tmp_path / "postgres").stat().st_uid == process_module.NOBODY
            with psycopg.connect(urls.database_url) as connection:
                connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    with embedded_servers(tmp_path, fast=True) as urls:
        assert one(urls.database_url, "SELECT answer FROM kept") == 42


def test_the_socket_directory_is_short_private_and_stays_the_same(tmp_path: Path) -> None:
    first = socket_directory(tmp_path)
    try:
        assert first.stat().st_mode & 0o777 == 0o700
        assert len(os.fsencode(first / ".s.PGSQL.5432.lock")) <= 107
        assert socket_directory(tmp_path) == first
        assert socket_directory(tmp_path / "other") != first
    finally:
        remove_directory(first)
        remove_directory(socket_directory(tmp_path / "other"))


def test_a_directory_that_others_can_enter_is_not_used_for_sockets(tmp_path: Path) -> None:
    planted = socket_directory(tmp_path)
    planted.chmod(0o777)
    other = socket_directory(tmp_path)
    try:
        assert other != planted
        assert other.stat().st_mode & 0o777 == 0o700
    finally:
        remove_directory(planted)
        remove_directory(other)


def test_valkey_frees_large_keys_without_the_lists_that_stop_everybody(tmp_path: Path) -> None:
    """How long others wait meanwhile is measured by `manage.py bench rank`."""
    servers = Servers(tmp_path, fast=True)
    servers.start()
    try:
        environment = Path(f"/proc/{servers.pids()['redis']}/environ").read_bytes().split(b"\0")
        assert b"GLIBC_TUNABLES=glibc.malloc.mxfast=0" in environment
    finally:
        servers.stop()
