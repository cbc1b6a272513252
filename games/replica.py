"""Reads that a streaming replica may answer: boards, replays, profiles. The primary is the truth and takes all else.

What leaves from the replica is at most settings.REPLICA_LAG_SECONDS (and a second between two measurements) behind, and
nobody sees less than what he has done or been told of:

- the lag is measured by positions in the primary's log: how long ago was the newest one that the replica has replayed
  the present one? Too far behind, cut off or gone, it is left alone, and asked again a second later;
- whoever has finished an attempt, or taken a name, within that time reads from the primary. What else a player writes
  (settings, bots, appeals, reports) no reading from the replica shows, or it finds nothing and the primary is asked;
- a board that has reached a newer version than the replica has of it is read from the primary.

The last two are noted in Redis when they commit, for every process (`games.replica_notes`); without Redis, or while the
notes may have holes, all is read from the primary. A host that alone does not reach Redis cannot tell the others: it
waits, for WAIT at most, until the replica has what it has committed. Without a replica nothing is noted, measured or
waited for.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, OperationalError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from games.errors import NotFound
from games.redis import redis_available
from games.replica_notes import note, noted

P = ParamSpec("P")
R = TypeVar("R")
ALIAS: Final = "replica"
EVERY: Final = 1.0
"""Seconds between two measurements of a process."""
WAIT: Final = 0.5
"""Seconds that who could not note something waits for the replica; after one that was too slow nobody waits for REST."""
REST: Final = 5.0
_LOOK: Final = 0.01

logger = logging.getLogger(__name__)
_thread = threading.local()


class Behind(Exception):
    """The replica does not have yet what this reader has to see: read from the primary."""


def configured() -> bool:
    """Whether there is a replica."""
    return ALIAS in settings.DATABASES


def reading_from() -> str:
    """The alias of the database that this thread's reads go to now."""
    alias: str = getattr(_thread, "alias", DEFAULT_DB_ALIAS)
    return alias


def reader() -> BaseDatabaseWrapper:
    """The connection for statements of selectors: the replica's inside of `from_replica`, else the primary's."""
    return connections[reading_from()]


class Router:
    """Django's queries of a reading go where its statements go. Writes and migrations know the primary only."""

    def db_for_read(self, model: type[Any], **hints: Any) -> str:
        return reading_from()

    def db_for_write(self, model: type[Any], **hints: Any) -> str:
        return DEFAULT_DB_ALIAS

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool:
        return True  # two names of one database

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db == DEFAULT_DB_ALIAS


def from_replica(viewer: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator of an outermost selector that may be read from the replica; `viewer` names its argument with the id of
    the player who asks. What the replica does not know, or fails at, is asked of the primary.
    """

    def decorate(fn: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(fn)
        def read(*args: P.args, **kwargs: P.kwargs) -> R:
            who = kwargs.get(viewer) if viewer else None
            if not configured() or reading_from() == ALIAS or not _may(who):
                return fn(*args, **kwargs)
            _thread.alias = ALIAS
            try:
                return fn(*args, **kwargs)
            except (Behind, NotFound):
                pass
            except DatabaseError as problem:
                _lag.failed(problem)
            finally:
                _thread.alias = DEFAULT_DB_ALIAS
            return fn(*args, **kwargs)

        return read

    return decorate


def _may(who: object) -> bool:
    if connections[DEFAULT_DB_ALIAS].in_atomic_block or not redis_available() or not _lag.small_enough():
        return False
    return who is None or noted(_player(who), _kept_ms()) == 0


# --- what has to be seen -------------------------------------------------------------------------------------------


def _player(player_id: object) -> str:
    return f"player:{player_id}"


def _board(scope: str, kind: str, view: str) -> str:
    return f"board:{scope}:{kind}:{view}"


def _kept_ms() -> int:
    return int((settings.REPLICA_LAG_SECONDS + 2 * EVERY) * 1000)


def player_wrote(player_id: int) -> None:
    """Once the transaction commits, this player reads from the primary for a while."""
    if configured():
        transaction.on_commit(lambda: _tell_all(_player(player_id), 1), robust=True)


def board_reached(scope: str, kind: str, view: str, version: int) -> None:
    """Once the transaction commits, this board is read at no older version."""
    if configured():
        transaction.on_commit(lambda: _tell_all(_board(scope, kind, view), version), robust=True)


def _tell_all(what: str, version: int) -> None:
    """Note it; where that fails, go on only when the replica has it, so that nobody needs the note."""
    if not note(what, version, _kept_ms()) and settings.REDIS_URL:
        _lag.wait()


def check_version(scope: str, kind: str, view: str, version: int) -> None:
    """Raise Behind when the board read from the replica has reached a newer version, or may have."""
    if reading_from() != ALIAS:
        return
    newest = noted(_board(scope, kind, view), _kept_ms())
    if newest is None or newest > version:
        raise Behind


# --- lag -----------------------------------------------------------------------------------------------------------


class Lag:
    """How far the replica is behind, as this process measures it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0.0
        self._good_until = 0.0
        """A measurement is believed no longer than this: the next one may hang in a dead link."""
        self._told: bool | None = None
        """What the last line of the log said: whether the replica is read from."""
        self._reached = 0.0
        self._no_wait_until = 0.0
        self._waiting: deque[tuple[float, int]] = deque(maxlen=1000)
        """(when, the primary's position then) of the measurements that the replica has not reached."""

    def small_enough(self) -> bool:
        """Whether the replica may be read from, measured once in EVERY by whoever asks first."""
        now = time.monotonic()
        if now >= self._next and self._lock.acquire(blocking=False):
            try:
                self._next = now + EVERY
                self._measure(now)
            except (OperationalError, InterfaceError) as problem:
                self.failed(problem)
            finally:
                self._lock.release()
        return time.monotonic() < self._good_until

    def _measure(self, now: float) -> None:
        primary = _position(DEFAULT_DB_ALIAS, "pg_current_wal_insert_lsn()")
        replayed = _position(ALIAS, "pg_last_wal_replay_lsn()")
        if primary is None or replayed is None:
            raise OperationalError("the replica is none")
        self._waiting.append((now, primary))
        while self._waiting and self._waiting[0][1] <= replayed:
            self._reached = self._waiting.popleft()[0]
        # What it lacks was written after the last position known to be reached, maybe at once after it.
        behind = now - self._reached
        ok = behind <= settings.REPLICA_LAG_SECONDS
        self._good_until = now + 2 * EVERY if ok else 0.0
        self._tell(ok, "The replica is %.1f s behind: reading from the %s.", behind, ALIAS if ok else "primary")

    def wait(self) -> None:
        """Until the replica has replayed what the primary has by now, or WAIT is over. Never raises for one that is away."""
        now = time.monotonic()
        if now < self._no_wait_until:
            return
        try:
            wanted = _position(DEFAULT_DB_ALIAS, "pg_current_wal_insert_lsn()")
            while wanted is not None and time.monotonic() < now + WAIT:
                replayed = _position(ALIAS, "pg_last_wal_replay_lsn()")
                if replayed is not None and replayed >= wanted:
                    return
                time.sleep(_LOOK)
        except (OperationalError, InterfaceError) as problem:
            self.failed(problem)
        self._no_wait_until = time.monotonic() + REST

    def failed(self, problem: Exception) -> None:
        """It is away, or cancelled a query that stood in its way."""
        self._good_until = 0.0
        self._next = time.monotonic() + EVERY
        self._tell(False, "The replica does not answer (%s): reading from the primary.", type(problem).__name__)
        connections[ALIAS].close()

    def _tell(self, ok: bool, *line: Any) -> None:
        """One line for each change, not one a second."""
        if ok != self._told:
            self._told = ok
            logger.warning(*line)


def _position(alias: str, function: str) -> int | None:
    with connections[alias].cursor() as cursor:
        cursor.execute(f"SELECT ({function} - '0/0')::bigint")
        found: int | None = cursor.fetchone()[0]
        return found


_lag = Lag()
