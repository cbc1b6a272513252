"""Real server processes against a fresh, migrated database: for the tests of sockets, races, browsers and faults.

    with live_server() as server:              # one web process: pages, API and sockets on server.url
        with server.another() as second: ...   # one more process over the same database and Redis
        server.kill(); server.start()          # the same address again

As a fixture: `server` (one for a module). Every one has a database of its own, copied from a migrated template.
"""

from __future__ import annotations

import atexit
import contextlib
import datetime as dt
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql

from games.bench.processes import free_port as free_port
from tests import servers
from tripeaks_site.embedded.servers import Servers
from tripeaks_site.serving import uvicorn_command

ROOT = Path(__file__).resolve().parent.parent
# A run of the tests that is killed leaves no servers behind either.
TIED_TO_US = [
    sys.executable,
    "-I",
    "-S",
    str(ROOT / "tripeaks_site/embedded/child.py"),
    str(os.getpid()),
    "plain",
    "--",
]
_TEMPLATE = f"template_{os.environ.get('PYTEST_XDIST_TESTRUNUID', uuid.uuid4().hex)[:16]}"
"""One migrated database for all processes of a run, made by the first that needs it."""


def wait_until(condition: Callable[[], object], *, seconds: float = 60) -> bool:
    """Whether this becomes so."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def database_url(name: str) -> str:
    """The URL of another database of the test run's PostgreSQL."""
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))


def run_manage(
    *arguments: str,
    env: Mapping[str, str] | None = None,
    check: bool = True,
    timeout: float = 600,
    input: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a management command as a process of its own. Fails the test when it fails, unless `check` is False."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        input=input,
    )
    if check and done.returncode != 0:
        pytest.fail(f"manage.py {' '.join(arguments)} exited with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done


def run_bench(script: str, *, timeout: float = 600) -> dict[str, Any]:
    """The figures of a benchmark that this script prints as JSON; by a process and over a database of its own."""
    with fresh_database() as database:
        env = {**os.environ, "DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "tripeaks_site.settings"}
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def _admin() -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(database_url("postgres"), autocommit=True)


def _drop_template() -> None:
    with contextlib.suppress(psycopg.Error), _admin() as admin:  # an embedded PostgreSQL may be gone already
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(_TEMPLATE)))


def template_database() -> str:
    """The name of a migrated database to be copied. Processes that ask at once wait for the one that makes it."""
    with _admin() as admin:
        admin.execute("SELECT pg_advisory_lock(hashtext(%s))", (_TEMPLATE,))
        if admin.execute("SELECT FROM pg_database WHERE datname = %s", (_TEMPLATE,)).fetchone() is None:
            half = f"{_TEMPLATE}_half"
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(half)))
            admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(half)))
            run_manage("migrate", "--verbosity", "0", env={"DATABASE_URL": database_url(half)})
            names = sql.Identifier(half), sql.Identifier(_TEMPLATE)
            admin.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(*names))
            atexit.register(_drop_template)
    return _TEMPLATE


@contextlib.contextmanager
def fresh_database() -> Iterator[str]:
    """The URL of a new, migrated, otherwise empty database, dropped at the end (also under open connections)."""
    name = f"live_{uuid.uuid4().hex[:12]}"
    names = sql.Identifier(name), sql.Identifier(template_database())
    with _admin() as admin:
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))
    try:
        yield database_url(name)
    finally:
        with _admin() as admin:
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@dataclass
class ServerProcess:
    """One web process (`manage.py serve`); `workers` > 1: that many uvicorn processes behind one port.

    `url` is http://127.0.0.1:port, `ws_url` the same with ws://; `env` was added to the environment.
    """

    database_url: str
    redis_url: str
    env: dict[str, str] = field(default_factory=dict)
    workers: int = 1
    drain_seconds: float = 0
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    embedded: Servers | None = None

    def __post_init__(self) -> None:
        self.log_path = servers.temporary_directory() / "server.log"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """For processes beside it (management commands, clients) over the same database and Redis."""
        settings = {"DJANGO_SETTINGS_MODULE": "tests.server_settings"}
        return {"DATABASE_URL": self.database_url, "REDIS_URL": self.redis_url, **settings, **self.env}

    @property
    def pid(self) -> int:
        assert self.process is not None, "not started"
        return self.process.pid

    def start(self, *, timeout: float = 180) -> None:
        """Start it and wait until it answers; the test fails with its log when it does not."""
        if self.workers > 1:
            command = ["-m", "uvicorn", *uvicorn_command(), "--workers", str(self.workers)]
        else:
            command = [str(ROOT / "manage.py"), "serve", "--drain-seconds", str(self.drain_seconds)]
        command = [*TIED_TO_US, sys.executable, *command, "--host", "127.0.0.1", "--port", str(self.port)]
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # kill() ends the workers too
            )
        deadline = time.monotonic() + timeout
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                pytest.fail(f"The server did not start:\n{self.logs()[-5000:]}")
            time.sleep(0.03)

    def answers(self) -> bool:
        """Whether anything speaks HTTP at the address."""
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False

    def logs(self) -> str:
        """All that it wrote, starts before the last one included."""
        return self.log_path.read_text(errors="replace")

    def terminate(self, *, timeout: float = 60) -> int:
        """SIGTERM, as a service manager does; the exit code."""
        assert self.process is not None, "not started"
        self.process.terminate()
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            pytest.fail(f"The server did not stop on SIGTERM:\n{self.logs()[-5000:]}")

    def kill(self) -> None:
        """SIGKILL to it and its workers."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def manage(self, *arguments: str, check: bool = True, input: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a management command over its database."""
        return run_manage(*arguments, env=self.environment, check=check, input=input)

    @contextlib.contextmanager
    def another(self, env: Mapping[str, str] | None = None) -> Iterator[ServerProcess]:
        """One more process over the same database and Redis, on another port."""
        other = ServerProcess(self.database_url, self.redis_url, {**self.env, **(env or {})})
        other.start()
        try:
            yield other
        finally:
            other.kill()


def away_from_midnight(now: dt.datetime) -> float:
    """How many seconds to wait before a server starts: tests of a daily begin and end on one day of the server's clock.

    None but in the last minutes of the day (UTC), in which a file of tests with a server of its own would not be over.
    """
    left = dt.timedelta(days=1) - (now - now.replace(hour=0, minute=0, second=0, microsecond=0))
    return left.total_seconds() + 1 if left < dt.timedelta(minutes=4) else 0.0


@contextlib.contextmanager
def live_server(
    *,
    env: Mapping[str, str] | None = None,
    workers: int = 1,
    drain_seconds: float = 0,
    database: str | None = None,
    redis: str | None = None,
    durable: bool = False,
) -> Iterator[ServerProcess]:
    """A running server with a fresh database and, unless REDIS_URL was given from outside, a Redis of its own.

    `database` and `redis` are URLs to use instead; `env` is added to the environment (TRIPEAKS_… settings).
    `durable`: a PostgreSQL and Redis of its own, to be killed by `server.embedded.pids()` and watched as under `up`.
    (The shared PostgreSQL of the run forgets the newest commits when it is killed.)
    """
    time.sleep(away_from_midnight(dt.datetime.now(dt.UTC)))
    with contextlib.ExitStack() as stack:
        embedded: Servers | None = None
        if durable:
            embedded = Servers(servers.temporary_directory())
            stack.callback(embedded.stop)
            embedded.start()
            database, redis = embedded.urls.database_url, embedded.urls.redis_url
            run_manage("migrate", "--verbosity", "0", env={"DATABASE_URL": database})
        database = database or stack.enter_context(fresh_database())
        if redis is None and servers.redis_is_ours():
            own = servers.start_servers(postgres=False, redis=True)
            stack.callback(own.stop)
            redis = own.urls.redis_url
        server = ServerProcess(
            database, redis or os.environ["REDIS_URL"], dict(env or {}), workers, drain_seconds, embedded=embedded
        )
        stack.callback(server.kill)
        server.start()
        yield server


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A running server with its own database and Redis, one for the module."""
    with live_server() as running:
        yield running
