"""A server process over the tests' own database and Redis: what the tests write themselves, a second process writes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from tests.processes import ServerProcess, database_url, live_server

QUICK = {
    "TRIPEAKS_SOCKET_HEARTBEAT_SECONDS": "1",
    "TRIPEAKS_THROTTLE_GUEST": "10000/60",
    "TRIPEAKS_THROTTLE_LOGIN": "10000/60",
    "TRIPEAKS_THROTTLE_MOVE": "10000/60",
    "TRIPEAKS_THROTTLE_SOCKET": "10000/60",
}


@pytest.fixture(scope="session")
def live(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ServerProcess]:
    """One server process for all tests here; heartbeats every second."""
    with django_db_blocker.unblock():
        name: Any = connections["default"].settings_dict["NAME"]
    with live_server(env=QUICK, database=database_url(name), redis=os.environ["REDIS_URL"]) as server:
        yield server


@pytest.fixture
def committed(transactional_db: None, live: ServerProcess) -> Iterator[ServerProcess]:
    """The server, for a test whose own rows are really committed (and gone afterwards)."""
    yield live
    quiet = 0
    while quiet < 3:  # the tables are emptied next: a read of the server's in the middle of that would be a deadlock
        time.sleep(0.07)
        with connections["default"].cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
            )
            quiet = quiet + 1 if cursor.fetchone() == (0,) else 0
