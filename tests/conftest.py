"""Fixtures of all tests. The servers themselves are started by the plugin tests.servers, before settings load."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.test import TransactionTestCase
from django.utils import translation
from pytest_django import Settings
from redis import Redis

from games import throttles
from tests.processes import server, template_database

__all__ = ["server"]

# The folders with long files come first: the processes take file by file, and none shall be left with one at the end.
_FIRST = ("browser", "site", "solver", "realtime", "engine", "leaderboards", "concurrency")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In the order of _FIRST, then the other folders; within a folder as collected."""
    places = {name: place for place, name in enumerate(_FIRST)}
    items.sort(key=lambda item: places.get(item.path.parent.name, len(_FIRST)))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Each process's database is a copy of the migrated one of the whole run: migrating takes four seconds."""
    connection.settings_dict["TEST"]["TEMPLATE"] = template_database()


# What migrations write and no test changes.
_LASTING = ("django_migrations", "django_content_type", "auth_permission", "auth_group", "auth_group_permissions")


@pytest.fixture(scope="session", autouse=True)
def quick_flush() -> None:
    """After a test with transactions of its own, empty the tables that hold anything: Django's own way, all sixty of
    them and all permissions anew, takes a fifth of a second, hundreds of times.
    """

    def empty(self: TransactionTestCase) -> None:
        with connection.cursor() as cursor:
            names = [name for name in connection.introspection.table_names(cursor) if name not in _LASTING]
            cursor.execute(" UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in names))
            filled = [row[0] for row in cursor.fetchall()]
            if filled:
                cursor.execute("SET session_replication_role = replica")  # no foreign keys and triggers meanwhile
                cursor.execute("; ".join(f"DELETE FROM {name}" for name in filled))
                cursor.execute("SET session_replication_role = origin")

    TransactionTestCase._fixture_teardown = empty  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def quick_password_hashes(settings: Settings) -> None:
    """In this process only: a real hash costs a third of a second. Server processes have tests.server_settings."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def begun_at_noon(settings: Settings, tmp_path: Path) -> None:
    """The server's clock shows noon of tomorrow when the test begins: who asks for today's daily twice just before
    midnight (of the official zone, UTC in tests) is told of two days, rightly.
    """
    now = dt.datetime.now(dt.UTC)
    noon = (now + dt.timedelta(days=1)).replace(hour=12, minute=0)
    offset = tmp_path / "clock_offset"
    offset.write_text(str((noon - now).total_seconds()))
    settings.CLOCK_OFFSET_FILE = str(offset)


def forget_throttles() -> None:
    """Empty every throttle, in Redis and in this process."""
    with Redis.from_url(os.environ["REDIS_URL"]) as client:
        for key in client.scan_iter("throttle:*", count=1000):
            client.delete(key)
    throttles._local.clear()


@pytest.fixture(autouse=True)
def no_language_left_over() -> None:
    """A page leaves its visitor's language in the thread, as in production, where the next page sets its own."""
    translation.deactivate()


@pytest.fixture(autouse=True)
def empty_throttles() -> Iterator[None]:
    """All tests of a process come from one address: none may find it throttled by the one before."""
    forget_throttles()
    yield
    forget_throttles()
