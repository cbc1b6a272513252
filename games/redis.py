"""The shared Redis client of a process, and whether Redis answers. Redis is a cache and a hint, never the truth."""

from __future__ import annotations

import functools
import logging
import time

import redis as redis_library
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

REDIS_ERRORS: tuple[type[Exception], ...] = (redis_library.RedisError, OSError)
"""What a Redis call may raise when the server is away, loading or restarting."""

TIMEOUT_SECONDS = 0.25
PAUSE_SECONDS = 1.0  # after a failure nobody asks for so long: a dead Redis must not cost every request a timeout

_closed_until = 0.0


@functools.lru_cache(maxsize=4)
def _client(url: str) -> redis_library.Redis:
    return redis_library.Redis.from_url(  # type: ignore[no-any-return, no-untyped-call, unused-ignore]
        url,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 1),  # once more: the kept connection may be one that a restarted Redis has closed
    )


def redis() -> redis_library.Redis:
    """The process's client; bytes in, bytes out. Its calls may raise REDIS_ERRORS: tell `redis_failed` then."""
    return _client(settings.REDIS_URL)


def redis_available() -> bool:
    """False when there is no Redis, or a call has failed within the last second."""
    return bool(settings.REDIS_URL) and time.monotonic() >= _closed_until


def redis_failed(problem: Exception) -> None:
    """Say that a call failed, so that the others do without Redis for a second. Logs at most once in that time."""
    global _closed_until
    if time.monotonic() >= _closed_until:
        _closed_until = time.monotonic() + PAUSE_SECONDS
        logger.warning("Redis does not answer (%s); doing without it for a moment.", type(problem).__name__)
