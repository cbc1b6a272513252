"""Empty throttles for tests of accounts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games import throttles
from games.redis import redis


def forget_throttles() -> None:
    """Empty every throttle, in Redis and in this process."""
    client = redis()
    for key in client.scan_iter("throttle:*", count=1000):
        client.delete(key)
    throttles._local.clear()


@pytest.fixture(autouse=True)
def empty_throttles() -> Iterator[None]:
    forget_throttles()
    yield
    forget_throttles()
