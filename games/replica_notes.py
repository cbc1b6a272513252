"""What a replica must not be asked for yet: who has written and what boards have reached, noted for every process.

All notes are one Redis hash, and in it stands since when it has been kept. A flush, a restart, an eviction or a failed
note so takes all of it together, never a note alone: whoever finds no hash begins one, and until it is as old as notes
are kept it answers "unknown", for what was noted before it may have been lost. A process that could not note something
removes the hash as soon as Redis answers it, and takes every answer for "unknown" until then.

One key is one slot of a Redis Cluster; a script on it is the one round trip of a reading. Times are those of the Redis
server, so the clocks of hosts do not matter. Not covered is a Redis that comes back with an older state of its data: it
has to keep nothing over a restart (`save ""`, `appendonly no`), as with `up` and in docker-compose.yml.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Final

from django.conf import settings

from games.redis import REDIS_ERRORS, redis, redis_available, redis_failed, run_script

KEY: Final = "tripeaks:notes"
_RETRY_SECONDS: Final = 0.1

logger = logging.getLogger(__name__)

# ARGV: what, version, milliseconds to keep. A value is "until version". Commits come here in any order, so the highest
# version stays. Notes that nobody needs any more go, all at once and no oftener than they are kept: twice what is
# written in that time is the most there is.
_NOTE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local keep = tonumber(ARGV[3])
redis.call('HSETNX', KEYS[1], 'since', string.format('%.0f', now))
local old, version = redis.call('HGET', KEYS[1], ARGV[1]), tonumber(ARGV[2])
if old then version = math.max(version, tonumber(string.match(old, ' (%d+)$'))) end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f %.0f', now + keep, version))
local swept = redis.call('HGET', KEYS[1], 'swept')
if not swept or tonumber(swept) + keep <= now then
  redis.call('HSET', KEYS[1], 'swept', string.format('%.0f', now))
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    local ends = string.match(all[i + 1], '^(%d+) ')
    if ends and tonumber(ends) <= now then redis.call('HDEL', KEYS[1], all[i]) end
  end
end
"""

# ARGV: what, milliseconds that notes are kept. Reply: its version, 0 without a note, -1 when that is unknown.
_NOTED = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('HMGET', KEYS[1], 'since', ARGV[1])
if not found[1] then redis.call('HSET', KEYS[1], 'since', string.format('%.0f', now)) end
if not found[1] or now < tonumber(found[1]) + ARGV[2] then return -1 end
if not found[2] then return 0 end
local ends, version = string.match(found[2], '^(%d+) (%d+)$')
if tonumber(ends) <= now then return 0 end
return tonumber(version)
"""


def note(what: str, version: int, keep_ms: int) -> bool:
    """Note that `what` has come to `version` (1 or more), for so long. Never raises: what cannot be noted is made good.

    False when it could not be: others may not know of it until Redis answers this process again.
    """
    if not redis_available():
        _missing.more()
        return False
    try:
        run_script(_NOTE, [KEY], [what, version, keep_ms])
    except REDIS_ERRORS as problem:
        redis_failed(problem)
        _missing.more()
        return False
    return True


def noted(what: str, keep_ms: int) -> int | None:
    """The version noted of it, 0 when none is; None when that cannot be known."""
    if _missing.any or not redis_available():
        return None
    try:
        found: int = run_script(_NOTED, [KEY], [what, keep_ms])
    except REDIS_ERRORS as problem:
        redis_failed(problem)
        return None
    return None if found < 0 else found


class _Missing:
    """Notes that this process could not make: others may still reach the Redis that it does not reach."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self.any = False

    def more(self) -> None:
        """One more; a thread sees to it, for no request may come here soon. Without a Redis nobody reads notes."""
        with self._lock:
            self._count += 1
            if self.any or not settings.REDIS_URL:
                return
            self.any = True
        threading.Thread(target=self._make_good, name="replica notes", daemon=True).start()

    def _make_good(self) -> None:
        while True:
            before = self._count
            if redis_available() and self._forget_all():
                with self._lock:
                    if self._count == before:
                        self.any = False
                        return
            time.sleep(_RETRY_SECONDS)

    def _forget_all(self) -> bool:
        try:
            redis().delete(KEY)
        except REDIS_ERRORS as problem:
            redis_failed(problem)
            return False
        logger.info("Notes for readers of the replica were missed: all read from the primary for a moment.")
        return True


_missing = _Missing()
