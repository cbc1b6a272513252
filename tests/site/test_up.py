"""`manage.py up`: one command starts everything, keeps everything, and ends without leaving anything behind."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests import servers
from tests.processes import ROOT, free_port, fresh_database, run_manage, wait_until
from tests.site.test_embedded_servers import is_gone
from tripeaks_site.embedded.discovery import read_run
from tripeaks_site.serving import FINISH_SECONDS

# The run's own servers must not be taken for the person's: `up` starts its own here.
HIDDEN = ("DATABASE_URL", "REDIS_URL", "TRIPEAKS_DATA", "TRIPEAKS_SECRET_KEY")


@functools.cache
def _static() -> str:
    """Where all of them collect their static files, so that only the first has to."""
    return str(servers.temporary_directory() / "static")


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    static = {"TRIPEAKS_STATIC": _static()}
    return {name: value for name, value in os.environ.items() if name not in HIDDEN} | static | dict(extra or {})


class Up:
    """One running `manage.py up`."""

    def __init__(self, data: Path, port: int, prefix: Sequence[str] = (), env: Mapping[str, str] | None = None) -> None:
        self.data = data
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [*prefix, sys.executable, str(ROOT / "manage.py"), "up", "--port", str(port), "--data", str(data)],
            env=environment(env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.lines: list[str] = []
        self._arrived: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            self._arrived.put(line)
        self._arrived.put(None)

    @property
    def output(self) -> str:
        return "".join(self.lines)

    def wait_running(self) -> None:
        while (line := self._arrived.get(timeout=90)) is not None:
            if line.startswith("Stop with"):
                return
        pytest.fail(f"`up` did not start:\n{self.output}")

    def server_pids(self) -> list[int]:
        """The embedded servers and the queue's worker: the processes that `up` has started."""
        children = Path(f"/proc/{self.process.pid}/task")
        found: list[int] = []
        for task in children.iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that ended just now
                found += [int(pid) for pid in (task / "children").read_text().split()]
        return found

    def wait_children(self, count: int, besides: Collection[int] = ()) -> list[int]:
        """So many, and none of those that are dead, seen or not yet. The worker is started last, and not waited for."""
        found: list[int] = []

        def there() -> bool:
            found[:] = set(self.server_pids()) - set(besides)
            return len(found) == count

        assert wait_until(there)
        return found

    def healthy(self) -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/healthz", timeout=20) as answer:
            return bool(answer.status == 200)
        return False

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)


@contextlib.contextmanager
def up(data: Path, prefix: Sequence[str] = (), env: Mapping[str, str] | None = None) -> Iterator[Up]:
    running = Up(data, free_port(), prefix, env)
    try:
        running.wait_running()
        yield running
    finally:
        if running.process.poll() is None:
            running.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.process.wait(20)
        running.process.kill()
        running.process.wait()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "the data"


def test_it_serves_keeps_its_data_and_ends_cleanly_on_ctrl_c_and_term(data: Path) -> None:
    with up(data) as first:
        assert first.healthy()
        assert f"{first.url}/" in first.output
        assert f"createsuperuser --data '{data}'" in first.output
        key = (data / "secret_key").read_text()
        assert len(key) > 40
        assert (data / "secret_key").stat().st_mode & 0o777 == 0o600
        assert data.stat().st_mode & 0o777 == 0o700
        assert key.strip() not in first.output
        run = read_run(data)
        assert run is not None
        assert run.address == first.url
        assert (data / "run.json").stat().st_mode & 0o777 == 0o600
        with psycopg.connect(run.database_url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        pids = first.wait_children(3)
        assert first.end(signal.SIGINT) == 0
        assert all(is_gone(pid) for pid in pids)
        assert "Traceback" not in first.output
    with up(data) as second:
        assert second.healthy()
        run = read_run(data)
        assert run is not None
        with psycopg.connect(run.database_url) as connection:
            assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
        assert (data / "secret_key").read_text() == key
        pids = second.server_pids()
        assert second.end(signal.SIGTERM) == 0
        assert all(is_gone(pid) for pid in pids)
        assert "Traceback" not in second.output
    assert not (data / "run.json").exists()


def test_killed_with_9_it_leaves_nothing_running_and_starts_again(data: Path) -> None:
    with up(data) as first:
        pids = first.wait_children(3)
        first.end(signal.SIGKILL)
        assert wait_until(lambda: all(is_gone(pid) for pid in pids))
    with up(data) as second:
        assert second.healthy()


def test_killed_while_it_starts_it_starts_again(data: Path) -> None:
    for delay in (0.2, 0.5, 0.8, 1.1):
        starting = Up(data, free_port())
        time.sleep(delay)
        starting.end(signal.SIGKILL)
    with up(data) as running:
        assert running.healthy()


def test_stopped_while_it_starts_it_ends_cleanly(data: Path) -> None:
    starting = Up(data, free_port())
    assert wait_until(lambda: "Starting PostgreSQL" in starting.output)
    assert starting.end(signal.SIGTERM) == 0
    assert "Traceback" not in starting.output
    with up(data) as running:
        assert running.healthy()


def test_a_second_one_says_that_the_first_is_running(data: Path) -> None:
    with up(data) as first:
        second = Up(data, free_port())
        assert second.process.wait(30) == 1
        assert wait_until(lambda: first.url in second.output)
        assert "already running" in second.output
        assert first.healthy()


def test_a_taken_port_is_told_before_anything_is_started(data: Path, tmp_path: Path) -> None:
    with up(data) as first:
        port = int(first.url.rsplit(":", 1)[1])
        second = Up(tmp_path / "other", port)
        assert second.process.wait(30) == 1
        assert wait_until(lambda: "--port" in second.output)
        assert str(port) in second.output
        assert not (tmp_path / "other" / "postgres").exists()


def test_play_goes_on_after_each_server_was_killed(data: Path) -> None:
    killed: list[int] = []
    with up(data) as running:
        for _ in range(2):
            killed = running.wait_children(3, killed)
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
            running.wait_children(3, killed)
            assert wait_until(running.healthy)


def test_other_commands_find_the_servers_of_the_running_one(data: Path) -> None:
    command = [sys.executable, str(ROOT / "manage.py"), "createsuperuser", "--noinput", "--data", str(data)]
    login = {"DJANGO_SUPERUSER_NAME": "mod", "DJANGO_SUPERUSER_PASSWORD": "a long enough password"}
    with up(data):
        made = subprocess.run(command, env=environment(login), capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
    after = subprocess.run(command, env=environment(login), capture_output=True, text=True, check=False)
    assert after.returncode == 1
    assert "No server is running" in after.stderr
    assert "Traceback" not in after.stderr


def test_servers_of_your_own_are_used_where_they_are_named(data: Path) -> None:
    with fresh_database() as url, up(data, env={"DATABASE_URL": url, "REDIS_URL": os.environ["REDIS_URL"]}) as running:
        assert running.healthy()
        running.wait_children(1)
        assert not (data / "postgres").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user; run as one, the other tests show it")
def test_an_ordinary_user_can_run_it() -> None:
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("setpriv (util-linux) is not installed")
    home = servers.temporary_directory()  # not tmp_path, which lies in a folder that only root can pass
    os.chown(home, 65534, 65534)
    # The tests' own folders may be root's alone, so the user is lent the right to read; it is still not root.
    prefix = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=+dac_override"]
    prefix.append("--ambient-caps=+dac_override")
    with up(home / "the data", prefix, {"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(home)}) as running:
        assert running.healthy()
        assert Path(f"/proc/{running.process.pid}").stat().st_uid == 65534
        assert (home / "the data" / "postgres").stat().st_uid == 65534
        pids = running.wait_children(3)
        running.end(signal.SIGKILL)
        assert wait_until(lambda: all(is_gone(pid) for pid in pids))


def test_a_data_directory_that_cannot_be_made_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    running = Up(tmp_path / "file" / "data", free_port())
    assert running.process.wait(30) == 1
    assert wait_until(lambda: "cannot be made" in running.output)
    assert "Traceback" not in running.output


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"TRIPEAKS_DAILY_RULESET": "ZZ"}, "tripeaks.E003"),
        ({"TRIPEAKS_HTTP_THREADS": "many"}, "TRIPEAKS_HTTP_THREADS must be a whole number"),
        ({"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}, "DATABASE_URL"),
    ],
)
def test_a_setting_that_makes_no_sense_is_told_and_nothing_stays_running(
    data: Path, env: dict[str, str], words: str
) -> None:
    running = Up(data, free_port(), env=env)
    assert running.process.wait(60) == 1
    assert wait_until(lambda: words in running.output), running.output
    assert "Traceback" not in running.output


def read_on(socket: ClientConnection) -> NoReturn:
    while True:
        socket.recv(timeout=5)


def test_open_sockets_are_told_to_come_back_and_do_not_hold_up_the_end(data: Path) -> None:
    with up(data) as running, connect(running.url.replace("http", "ws", 1) + "/ws/v1/standings") as socket:
        started = time.monotonic()
        running.process.send_signal(signal.SIGINT)
        assert wait_until(lambda: "Stopping" in running.output)
        # As long as a socket could hold it up. The ends of PostgreSQL and the worker, which come now, take what they take.
        assert time.monotonic() - started < FINISH_SECONDS
        assert running.process.wait(30) == 0
        with pytest.raises(ConnectionClosed) as closed:
            read_on(socket)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        assert "Traceback" not in running.output


def test_run_json_of_a_dead_run_is_not_believed(data: Path) -> None:
    data.mkdir()
    old = {"pid": 1, "address": "http://127.0.0.1:1", "database_url": "postgresql://x@/y", "redis_url": "unix:///z"}
    (data / "run.json").write_text(json.dumps(old))
    (data / "up.lock").touch()
    done = run_manage(
        "shell",
        "-c",
        "from django.conf import settings; print(repr(settings.DATABASE_URL))",
        "--data",
        str(data),
        env=dict.fromkeys(HIDDEN, ""),
    )
    assert done.stdout.strip().endswith("''")
