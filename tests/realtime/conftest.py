"""A server process over the tests' own database and Redis: what the tests write themselves, a second process writes."""

from __future__ import annotations

import os
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
}


@pytest.fixture(scope="session")
def live(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ServerProcess]:
    """One server process for all tests here; heartbeats every second."""
    with django_db_blocker.unblock():
        name: Any = connections["default"].settings_dict["NAME"]
    with live_server(env=QUICK, database=database_url(name), redis=os.environ["REDIS_URL"]) as server:
        yield server


@pytest.fixture
def committed(transactional_db: None, live: ServerProcess) -> ServerProcess:
    """The server, for a test whose own rows are really committed (and gone afterwards)."""
    return live
