"""A pytest plugin (`-p tests.servers`): real servers for every run, started before Django reads its settings.

`DATABASE_URL` and `REDIS_URL` of the environment are used where given; else embedded servers start in a temporary
directory, without durability. Under pytest-xdist all workers share the PostgreSQL (pytest-django gives each a database
of its own) and each has its own Redis (PUBLISH knows no database numbers).
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tripeaks_site.embedded.servers import Servers

TEST_SECRET_KEY = "a key that only the tests use: 0123456789abcdefghijklmnopqrstuvwxyz"

_started: list[Servers] = []
_directories: list[Path] = []
_GIVEN_REDIS = "TRIPEAKS_TEST_REDIS_GIVEN"


def temporary_directory() -> Path:
    """A new directory that is removed at the end of the run, after the servers."""
    path = Path(tempfile.mkdtemp(prefix="tripeaks-test-"))
    _directories.append(path)
    return path


def start_servers(*, postgres: bool, redis: bool) -> Servers:
    """Embedded servers in a new temporary directory, without durability, until the end of the run or their stop()."""
    servers = Servers(temporary_directory(), fast=True, postgres=postgres, redis=redis)
    servers.start()
    _started.append(servers)
    return servers


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    del early_config
    worker = "PYTEST_XDIST_WORKER" in os.environ
    if not worker and os.environ.get("REDIS_URL"):
        os.environ[_GIVEN_REDIS] = "1"
    need_postgres = not os.environ.get("DATABASE_URL")
    need_redis = _GIVEN_REDIS not in os.environ  # a worker's REDIS_URL is otherwise the controller's
    os.environ["TRIPEAKS_DATA"] = str(temporary_directory())  # not that of a developer's own `up`
    os.environ.setdefault("TRIPEAKS_SECRET_KEY", TEST_SECRET_KEY)
    if need_postgres or need_redis:
        servers = start_servers(postgres=need_postgres, redis=need_redis)
        if need_postgres:
            os.environ["DATABASE_URL"] = servers.urls.database_url
        if need_redis:
            os.environ["REDIS_URL"] = servers.urls.redis_url


@atexit.register  # not pytest_unconfigure: that is not called when the start itself fails
def stop_all() -> None:
    """Stop what was started, in reverse, and remove the directories."""
    while _started:
        _started.pop().stop()
    while _directories:
        shutil.rmtree(_directories.pop(), ignore_errors=True)


@pytest.fixture
def own_redis() -> Iterator[str]:
    """The URL of a Redis of the test's own, to flush or to kill."""
    servers = start_servers(postgres=False, redis=True)
    yield servers.urls.redis_url
    servers.stop()


def redis_is_ours() -> bool:
    """Whether tests may start Redis servers of their own (no REDIS_URL was given from outside)."""
    return _GIVEN_REDIS not in os.environ
