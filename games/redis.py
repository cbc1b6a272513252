"""The shared Redis client of a process, and whether Redis answers. Redis is a cache and a hint, never the truth."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import redis as redis_library
from django.conf import settings
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.commands.core import Script
from redis.exceptions import RedisClusterException
from redis.retry import Retry

from .metrics import REDIS_FAILURES

logger = logging.getLogger(__name__)

REDIS_ERRORS: tuple[type[Exception], ...] = (redis_library.RedisError, RedisClusterException, OSError)
"""What a Redis call may raise when the server is away, loading or restarting, or a part of a cluster is."""

TIMEOUT_SECONDS = 0.25
PATIENT_SECONDS = 5.0  # for work that nobody waits for: a machine that is all busy answers large writes late
PAUSE_SECONDS = 1.0  # after a failure nobody asks for so long: a dead Redis must not cost every request a timeout

_closed_until = 0.0


@functools.lru_cache(maxsize=4)
def _client(url: str, cluster: bool, seconds: float) -> Any:
    options: dict[str, Any] = {
        "socket_timeout": seconds,
        "socket_connect_timeout": seconds,
        "retry": Retry(NoBackoff(), 1),  # once more: the kept connection may be one that a restarted Redis has closed
    }
    if not cluster:
        return redis_library.Redis.from_url(url, **options)
    first, *others = url.split(",")
    nodes = [urlsplit(other) for other in others]
    start: list[Any] = [ClusterNode(node.hostname or "localhost", node.port or 6379) for node in nodes]  # type: ignore[no-untyped-call]
    # A part of the slots without a server is no reason to do without the others.
    return redis_library.RedisCluster.from_url(first, startup_nodes=start, require_full_coverage=False, **options)


def redis(seconds: float = TIMEOUT_SECONDS) -> redis_library.Redis:
    """The process's client; bytes in, bytes out. It and its calls may raise REDIS_ERRORS: tell `redis_failed` then.

    `seconds`: how long a call may take; each length has connections of its own.

    With settings.REDIS_CLUSTER it is a RedisCluster: all keys of one script or transaction must share a {hash tag}.
    """
    return _client(settings.REDIS_URL, settings.REDIS_CLUSTER, seconds)  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=16)
def _script(url: str, cluster: bool, source: str, seconds: float) -> Script:
    return redis(seconds).register_script(source)


def run_script(source: str, keys: list[str], arguments: Sequence[Any], *, seconds: float = TIMEOUT_SECONDS) -> Any:
    """Run a Lua script in Redis, by its hash where Redis knows it. May raise REDIS_ERRORS."""
    return _script(settings.REDIS_URL, settings.REDIS_CLUSTER, source, seconds)(keys=keys, args=arguments)


def redis_available() -> bool:
    """False when there is no Redis, or a call has failed within the last second."""
    return bool(settings.REDIS_URL) and time.monotonic() >= _closed_until


def redis_failed(problem: Exception) -> None:
    """Say that a call failed, so that the others do without Redis for a second. Logs at most once in that time."""
    global _closed_until
    if time.monotonic() >= _closed_until:
        _closed_until = time.monotonic() + PAUSE_SECONDS
        REDIS_FAILURES.inc()
        logger.warning("Redis does not answer (%s); doing without it for a moment.", type(problem).__name__)
