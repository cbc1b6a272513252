"""Empty throttles for tests of accounts."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from redis import Redis

from games import throttles


def forget_throttles() -> None:
    """Empty every throttle, in Redis and in this process."""
    client = Redis.from_url(os.environ["REDIS_URL"])
    for key in client.scan_iter("throttle:*", count=1000):
        client.delete(key)
    client.close()
    throttles._local.clear()


@pytest.fixture(autouse=True)
def empty_throttles() -> Iterator[None]:
    forget_throttles()
    yield
    forget_throttles()
