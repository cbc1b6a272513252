"""Fixtures of all tests. The servers themselves are started by the plugin tests.servers, before settings load."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from pytest_django import Settings
from redis import Redis

from games import throttles
from tests.processes import server

__all__ = ["server"]

# The folders with long files come first: the processes take file by file, and none shall be left with one at the end.
_FIRST = ("browser", "site", "solver", "realtime", "engine", "leaderboards", "concurrency")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In the order of _FIRST, then the other folders; within a folder as collected."""
    places = {name: place for place, name in enumerate(_FIRST)}
    items.sort(key=lambda item: places.get(item.path.parent.name, len(_FIRST)))


@pytest.fixture(autouse=True)
def quick_password_hashes(settings: Settings) -> None:
    """In this process only: a real hash costs a third of a second. Server processes keep the real one."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def forget_throttles() -> None:
    """Empty every throttle, in Redis and in this process."""
    with Redis.from_url(os.environ["REDIS_URL"]) as client:
        for key in client.scan_iter("throttle:*", count=1000):
            client.delete(key)
    throttles._local.clear()


@pytest.fixture(autouse=True)
def empty_throttles() -> Iterator[None]:
    """All tests of a process come from one address: none may find it throttled by the one before."""
    forget_throttles()
    yield
    forget_throttles()
