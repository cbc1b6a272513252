"""Throttles: so many acts in so many seconds by key, the same for REST and sockets (settings.THROTTLES).

Each key is a bucket that refills evenly (the generic cell rate algorithm: one number per key, the instant at which it
will be full again). A burst of `requests` passes at once; after that one passes each `seconds / requests`. All keys of
a call are checked and charged together in one round trip, or none is. Redis's own clock counts, so all processes agree.
While Redis is away each process counts by itself. The keys of a scope have a hash tag in common and so one node of a
cluster: a call has keys of a player and of an address, and only one node can check and charge both in one step.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time

from django.conf import settings
from redis.exceptions import NoScriptError

from .errors import TooMany
from .redis import REDIS_ERRORS, redis, redis_available, redis_failed

# KEYS: the buckets. ARGV: the period and the interval between two acts, both in microseconds.
# Answers 0, or the microseconds until the act would pass.
SCRIPT = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local period = tonumber(ARGV[1])
local interval = tonumber(ARGV[2])
local full = {}
local wait = 0
for i = 1, #KEYS do
  local at = tonumber(redis.call('GET', KEYS[i]) or '0')
  if at < now then at = now end
  full[i] = at + interval
  if full[i] - now - period > wait then wait = full[i] - now - period end
end
if wait > 0 then return wait end
for i = 1, #KEYS do
  redis.call('SET', KEYS[i], string.format('%.0f', full[i]), 'PX', math.ceil((full[i] - now) / 1000))
end
return 0
"""
_SHA = hashlib.sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()

_local: dict[str, int] = {}
_local_lock = threading.Lock()
_LOCAL_KEYS = 20_000


def throttle(scope: str, *keys: str) -> None:
    """Count one act of `scope` (a key of settings.THROTTLES) under each of `keys`; raises TooMany when one is full.

    Keys say whose bucket it is, e.g. "player:42" or "address:192.0.2.1"; they share the scope's limit. A refused act
    costs nothing, so waiting `retry_after` seconds is always enough for the next one.
    """
    names, period, interval = _buckets(scope, keys)
    _refuse(scope, _wait(names, period, interval))


def throttle_here(scope: str, *keys: str) -> None:
    """The same, counted by this process alone: a few microseconds and no round trip, for the event loop of the sockets,
    which must not wait for Redis. Who spreads over several processes has the limit in each.
    """
    names, period, interval = _buckets(scope, keys)
    _refuse(scope, _wait_locally(names, period, interval, time.monotonic_ns() // 1000))


def _buckets(scope: str, keys: tuple[str, ...]) -> tuple[list[str], int, int]:
    """The buckets' names, and their period and the interval between two acts in microseconds."""
    requests, seconds = settings.THROTTLES[scope]
    period = seconds * 1_000_000
    return [f"throttle:{{{scope}}}:{key}" for key in keys], period, max(1, period // requests)


def _refuse(scope: str, wait: int) -> None:
    if wait > 0:
        raise TooMany(scope, max(1, math.ceil(wait / 1_000_000)))


def _wait(names: list[str], period: int, interval: int) -> int:
    if redis_available():
        try:
            client = redis()
            try:
                return int(client.execute_command("EVALSHA", _SHA, len(names), *names, period, interval))  # type: ignore[no-untyped-call]
            except NoScriptError:
                return int(client.execute_command("EVAL", SCRIPT, len(names), *names, period, interval))  # type: ignore[no-untyped-call]
        except REDIS_ERRORS as problem:
            redis_failed(problem)
    return _wait_locally(names, period, interval, time.monotonic_ns() // 1000)


def _wait_locally(names: list[str], period: int, interval: int, now: int) -> int:
    with _local_lock:
        if len(_local) > _LOCAL_KEYS:  # forget the buckets that are full again
            for name in [name for name, at in _local.items() if at <= now]:
                del _local[name]
        full = [max(_local.get(name, 0), now) + interval for name in names]
        wait = max(full, default=now) - now - period
        if wait <= 0:
            _local.update(zip(names, full, strict=True))
        return wait
