"""The copy of large boards in Redis: ranks and windows of a million entries in microseconds. PostgreSQL is the truth.

Three keys a board, in one hash slot: a sorted set (score = `Entry.key`, below 2^53 and so exact in a double; member =
finish time and attempt id in fixed-width hexadecimal, so that equal scores order as in the database, C13), a hash from
player to member, and the version copied. Nothing is written here when a result comes in. A reader that finds the copy
behind brings it up to date from the rows changed since, all or nothing by compare-and-set on the version; where there
is no copy it is rebuilt. The number of members must equal the board's entries at that version. A flush, a restart, an
eviction or a lost race therefore only makes a reader use PostgreSQL (or repair the copy), never a wrong answer.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, cast

from django.db import connection

from games.redis import PATIENT_SECONDS, REDIS_ERRORS, redis, redis_available, redis_failed, run_script

from .metrics import COPY_READS, rebuild_counted
from .selectors.ranks import Place, ask, snapshot

log = logging.getLogger(__name__)

CACHED_FROM = 2_000  # entries; PostgreSQL alone answers as fast for smaller boards
INLINE_UP_TO = 5_000  # entries (or changes) that a reader copies itself, in about 30 ms; more is left to a thread
KEEP_SECONDS = 3 * 24 * 3600
REBUILD_SECONDS = 120  # how long the right to rebuild a board is held at most after the last chunk
PAUSE = 4  # times as long as a rebuild took: no reader begins the next before that, should Redis be too small for it
CHUNK = 5_000
AT_ONCE = 250  # entries a command: Redis does one after the other, and everybody else waits for about a millisecond

_Scored = list[tuple[bytes, float]]

# Window of the total order. KEYS z, v. ARGV: version, entries, mode (top, at, after), key, member, before, count.
# Reply: {state} when the copy cannot answer (none, behind, ahead, wrong), or {"ok", from, better, flat rows}.
# Scores stay strings: Lua would print them with 14 digits.
_WINDOW = """
local v = redis.call('GET', KEYS[2])
if not v then return {'none'} end
if v ~= ARGV[1] then
  if tonumber(v) < tonumber(ARGV[1]) then return {'behind', v} end
  return {'ahead', v}
end
if redis.call('ZCARD', KEYS[1]) ~= tonumber(ARGV[2]) then return {'wrong'} end
local from = 0
if ARGV[3] ~= 'top' then
  local lo = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[4])
  local hi = redis.call('ZCOUNT', KEYS[1], '-inf', ARGV[4])
  while lo < hi do
    local mid = math.floor((lo + hi) / 2)
    local member = redis.call('ZRANGE', KEYS[1], mid, mid)[1]
    if member < ARGV[5] or (ARGV[3] == 'after' and member == ARGV[5]) then lo = mid + 1 else hi = mid end
  end
  from = lo - tonumber(ARGV[6])
  if from < 0 then from = 0 end
  lo = lo + tonumber(ARGV[7])
  if lo <= from then return {'ok', from, 0, {}} end
  local rows = redis.call('ZRANGE', KEYS[1], from, lo - 1, 'WITHSCORES')
  local better = 0
  if rows[2] then better = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. rows[2]) end
  return {'ok', from, better, rows}
end
return {'ok', 0, 0, redis.call('ZRANGE', KEYS[1], 0, tonumber(ARGV[7]) - 1, 'WITHSCORES')}
"""

# Changes since the copied version. KEYS z, m, v. ARGV: from, to, keep seconds, then (player, key, member) each;
# an empty member removes. Old members all go first: one may be another player's new one (merged accounts, which share
# an attempt). Reply: members after it, or -1 when the copy is not at `from`.
_APPLY = """
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return -1 end
for i = 4, #ARGV, 3 do
  local old = redis.call('HGET', KEYS[2], ARGV[i])
  if old then
    redis.call('ZREM', KEYS[1], old)
    redis.call('HDEL', KEYS[2], ARGV[i])
  end
end
for i = 4, #ARGV, 3 do
  if ARGV[i + 2] ~= '' then
    redis.call('ZADD', KEYS[1], ARGV[i + 1], ARGV[i + 2])
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2])
  end
end
redis.call('SET', KEYS[3], ARGV[2], 'EX', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return redis.call('ZCARD', KEYS[1])
"""

# A finished rebuild takes the copy's place. KEYS z, m, v, new z, new m. ARGV: version, entries, keep seconds.
_SWAP = """
local entries = tonumber(ARGV[2])
if redis.call('ZCARD', KEYS[4]) ~= entries or redis.call('HLEN', KEYS[5]) ~= entries then
  redis.call('UNLINK', KEYS[4], KEYS[5])
  return 0
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
if entries > 0 then
  redis.call('RENAME', KEYS[4], KEYS[1])
  redis.call('RENAME', KEYS[5], KEYS[2])
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  redis.call('EXPIRE', KEYS[2], ARGV[3])
end
redis.call('SET', KEYS[3], ARGV[1], 'EX', ARGV[3])
return 1
"""


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive places of a board and the rank of each."""

    places: list[Place]
    ranks: list[int]


_PREFIX = "tripeaks:board:"


def _keys(board_id: int) -> tuple[str, str, str]:
    """Sorted set, player-to-member hash, version; the braces make one cluster slot of them."""
    name = f"{_PREFIX}{{{connection.settings_dict['NAME']}:{board_id}}}"
    return f"{name}:z", f"{name}:m", f"{name}:v"


def member_of(finished_ms: int, attempt_id: int) -> str:
    """28 hexadecimal characters that sort as (finished_ms, attempt_id) do."""
    return f"{finished_ms:012x}{attempt_id:016x}"


def place_of(member: bytes, score: bytes) -> Place:
    """The place of a sorted-set member; exact, for scores are integers below 2^53."""
    return int(float(score)), int(member[:12], 16), int(member[12:], 16)


def window_top(board_id: int, version: int, entries: int, count: int) -> Window | None:
    """The first `count` places, or None when the copy cannot say at just this version."""
    return _window(board_id, version, entries, "top", (0, 0, 0), before=0, count=count)


def window_after(board_id: int, version: int, entries: int, place: Place, count: int) -> Window | None:
    """The `count` places that follow `place`, or None when the copy cannot say at just this version."""
    return _window(board_id, version, entries, "after", place, before=0, count=count)


def window_around(board_id: int, version: int, entries: int, place: Place, before: int, count: int) -> Window | None:
    """`before` places before `place` and `count` from it on, or None when the copy cannot say at just this version."""
    return _window(board_id, version, entries, "at", place, before=before, count=count)


def _window(
    board_id: int, version: int, entries: int, mode: str, place: Place, *, before: int, count: int
) -> Window | None:
    if entries < CACHED_FROM or not redis_available():
        return None
    sorted_set, _members, copied = _keys(board_id)
    member = member_of(place[1], place[2])
    arguments = [version, entries, mode, place[0], member, before, count]
    try:
        for attempt in (1, 2):
            reply = run_script(_WINDOW, [sorted_set, copied], arguments)
            COPY_READS.labels("hit" if reply[0] == b"ok" else reply[0].decode()).inc()
            if reply[0] == b"ok":
                return _ranked(int(reply[1]), int(reply[2]), reply[3])
            since = int(reply[1]) if len(reply) > 1 else 0
            if attempt == 2 or not _repair(board_id, reply[0].decode(), since, version, entries):
                return None
    except REDIS_ERRORS as problem:
        COPY_READS.labels("away").inc()
        redis_failed(problem)
    return None


def _ranked(start: int, better: int, flat: list[bytes]) -> Window:
    places = [place_of(flat[index], flat[index + 1]) for index in range(0, len(flat), 2)]
    ranks: list[int] = []
    for index, place in enumerate(places):
        if index == 0:
            ranks.append(better + 1)
        else:
            ranks.append(ranks[-1] if place[0] == places[index - 1][0] else start + index + 1)
    return Window(places, ranks)


def _repair(board_id: int, state: str, since: int, version: int, entries: int) -> bool:
    """Bring the copy to the present version. True when it is worth to ask it once more."""
    if state == "behind":
        return _sync(board_id, since)
    if state == "ahead":
        with connection.cursor() as cursor:
            cursor.execute("SELECT version FROM leaderboards_board WHERE id = %s", (board_id,))
            row = cursor.fetchone()
        if connection.in_atomic_block or (row is not None and row[0] > version):
            return False  # another reader has seen a later commit: the caller's own snapshot is the older one
        forget(board_id)  # the database went back in time (a restored backup): this copy is of another history
    elif state == "wrong":
        forget(board_id)
    if entries <= INLINE_UP_TO:
        return rebuild(board_id)
    rebuild_in_background(board_id)
    return False


def forget(board_id: int) -> None:
    """Drop the copy of a board; the next reader rebuilds it. May raise REDIS_ERRORS."""
    redis().unlink(*_keys(board_id))


def forget_all() -> None:
    """Drop the copies of all boards, of every database that this Redis serves. May raise REDIS_ERRORS."""
    for name in list(redis().scan_iter(match=f"{_PREFIX}*", count=1000)):
        redis().unlink(name)


def sync(board_id: int) -> bool:
    """Apply what has changed since the copied version; False when there is no copy, or too much has changed.

    May raise REDIS_ERRORS.
    """
    since = copied_version(board_id)
    return since is not None and _sync(board_id, since)


# One statement, so one view of the database: the version and every row changed up to it. In the order of the index:
# a plan for any version expects a third of the board, and would read all of it for the few rows that there are.
_CHANGES = f"""
SELECT b.version, b.entries, e.player_id, e.key, e.finished_ms, e.attempt_id, e.active
  FROM leaderboards_board b
  LEFT JOIN LATERAL (SELECT * FROM leaderboards_entry WHERE board_id = b.id AND version > %(since)s
                      ORDER BY version LIMIT {INLINE_UP_TO + 1}) e ON true
 WHERE b.id = %(board)s"""


def _sync(board_id: int, since: int) -> bool:
    changed = ask(_CHANGES, {"board": board_id, "since": since})
    if not changed or changed[0][0] < since:
        return False
    if len(changed) > INLINE_UP_TO:
        rebuild_in_background(board_id)
        return False
    version, entries = changed[0][:2]
    arguments: list[Any] = [since, version, KEEP_SECONDS]
    for _version, _entries, player_id, key, finished_ms, attempt_id, active in changed:
        if player_id is not None:
            arguments += [player_id, key, member_of(finished_ms, attempt_id) if active else ""]
    sorted_set, members, copied = _keys(board_id)
    found = run_script(_APPLY, [sorted_set, members, copied], arguments)
    if found >= 0 and found != entries:
        forget(board_id)  # part of the copy was evicted, or rows were changed by hand
        return False
    return True  # also when another reader was faster: the copy is at least as new as what was read here


@rebuild_counted
def rebuild(board_id: int) -> bool:
    """Copy a whole board from PostgreSQL (about 200,000 entries a second); False when another is at it or it failed.

    The copy is built beside the old one and takes its place in one step: Redis needs room for both, 330 bytes an entry.
    May raise REDIS_ERRORS.
    """
    keys = _keys(board_id)
    client = redis(PATIENT_SECONDS)
    lock = f"{keys[2]}:rebuild"
    token = secrets.token_hex(8)
    if not client.set(lock, token, nx=True, ex=REBUILD_SECONDS):
        return False
    new = (f"{keys[0]}:{token}", f"{keys[1]}:{token}")
    try:
        with snapshot():
            with connection.cursor() as cursor:
                cursor.execute("SELECT version, entries FROM leaderboards_board WHERE id = %s", (board_id,))
                board = cursor.fetchone()
                # Sorted here: what comes in order costs the sorted set a quarter. By a sort, not by rows all over the disk.
                cursor.execute("SET LOCAL work_mem = '64MB'; SET LOCAL cursor_tuple_fraction = 1")
            if board is None:
                return False
            with connection.chunked_cursor() as rows, ThreadPoolExecutor(1) as writer:
                rows.execute(
                    """SELECT player_id, key, finished_ms, attempt_id FROM leaderboards_entry
                        WHERE board_id = %s AND active ORDER BY key, finished_ms, attempt_id""",
                    (board_id,),
                )
                written: Future[None] | None = None  # one chunk is written while the next is read
                while chunk := rows.fetchmany(CHUNK):
                    members = [(row[0], row[1], member_of(row[2], row[3])) for row in chunk]
                    if written is not None:
                        written.result()
                    written = writer.submit(_write, [*new, lock], members)
                if written is not None:
                    written.result()
        return bool(run_script(_SWAP, [*keys, *new], [board[0], board[1], KEEP_SECONDS], seconds=PATIENT_SECONDS))
    except REDIS_ERRORS:
        with contextlib.suppress(*REDIS_ERRORS):
            client.unlink(*new)  # what was written of it may be what has filled the memory
        raise
    finally:
        with contextlib.suppress(*REDIS_ERRORS):
            if client.get(lock) == token.encode():
                client.delete(lock)


def _write(keys: Sequence[str], members: Sequence[tuple[int, int, str]]) -> None:
    """Part of a rebuild: (player, key, member) each into the new sorted set and hash; the lock goes on."""
    sorted_set, by_player, _lock = keys
    with redis(PATIENT_SECONDS).pipeline(transaction=False) as pipe:
        for start in range(0, len(members), AT_ONCE):
            part = members[start : start + AT_ONCE]
            pipe.zadd(sorted_set, {member: key for _player, key, member in part})
            pipe.hset(by_player, mapping={str(player): member for player, _key, member in part})
        for key in keys:
            pipe.expire(key, REBUILD_SECONDS)
        pipe.execute()


_rebuilding: set[int] = set()
_paused_until: dict[int, float] = {}  # the pause of this process, beside Redis's: that goes with a Redis that ends
_rebuilding_lock = threading.Lock()


def rebuild_in_background(board_id: int) -> None:
    """Rebuild in a thread of this process; readers use PostgreSQL meanwhile. Not while it is at it, nor in the pause."""
    with _rebuilding_lock:
        if board_id in _rebuilding or time.monotonic() < _paused_until.get(board_id, 0):
            return
        _rebuilding.add(board_id)
    threading.Thread(target=_rebuild_thread, args=(board_id,), name=f"rebuild-board-{board_id}", daemon=True).start()


def _rebuild_thread(board_id: int) -> None:
    pause = f"{_keys(board_id)[2]}:pause"
    try:
        if not redis().get(pause):
            started = time.monotonic()
            try:
                rebuild(board_id)
            finally:
                seconds = PAUSE * (time.monotonic() - started)
                _paused_until[board_id] = time.monotonic() + seconds
                redis().set(pause, 1, px=1 + int(seconds * 1000))
    except REDIS_ERRORS as problem:
        redis_failed(problem)
    finally:
        with _rebuilding_lock:
            _rebuilding.discard(board_id)
        connection.close()  # this thread's own


def copied_version(board_id: int) -> int | None:
    """The board's version that the copy is at; None without a copy. May raise REDIS_ERRORS."""
    raw = cast("bytes | None", redis().get(_keys(board_id)[2]))
    return None if raw is None else int(raw)


def copied_pages(board_id: int) -> Iterator[_Scored]:
    """(member, score) of the whole copy in its order, page by page and so not of one moment. May raise REDIS_ERRORS."""
    sorted_set, start = _keys(board_id)[0], 0
    while page := cast(_Scored, redis().zrange(sorted_set, start, start + CHUNK - 1, withscores=True)):
        yield page
        start += CHUNK
