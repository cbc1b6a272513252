"""Whence the moves of an attempt come: evidence for fair play, kept settings.EVIDENCE_DAYS and shown to moderators only."""

from __future__ import annotations

import datetime as dt
import functools
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, Literal

from django.conf import settings
from django.db import connection, transaction

from games.metrics import CACHES
from games.models import AttemptClient, SharedBrowser
from games.networks import network_hash
from games.statements import execute

Transport = Literal["rest", "socket"]


@dataclass(frozen=True, slots=True)
class Source:
    """Whence a request comes, as far as that is kept."""

    client: str  # an AttemptClient.Client
    network: bytes = field(repr=False)  # reprs end up in logs


@functools.lru_cache(maxsize=4096)
def source_of(via: str, transport: Transport, address: str) -> Source:
    """The source of a request: `via` as its credential was presented, `address` from `games.api.auth.client_address`.

    A cookie is a browser's, so a page; a bearer secret is a program's.
    """
    kinds = AttemptClient.Client
    if via == "cookie":
        kind = kinds.PAGE_SOCKET if transport == "socket" else kinds.PAGE_REST
    else:
        kind = kinds.PROGRAM_SOCKET if transport == "socket" else kinds.PROGRAM_REST
    return Source(str(kind), network_hash(address))


CACHES.watch("sources", source_of)


# --- record --------------------------------------------------------------------------------------------------------

_Key = tuple[int, int, str, bytes]


class Remembered:
    """What this process has written lately; the longest unused is forgotten first. Forgetting costs one statement."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._keys: OrderedDict[_Key, None] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._keys)

    def has(self, key: _Key) -> bool:
        with self._lock:
            if key not in self._keys:
                return False
            self._keys.move_to_end(key)
            return True

    def add(self, key: _Key) -> None:
        with self._lock:
            self._keys[key] = None
            if len(self._keys) > self._most:
                self._keys.popitem(last=False)


_remembered = Remembered(20_000)  # some 6 MB

# The attempt's row is share-locked before anything is written: who holds it (a deletion, an end) and writes the same key
# would otherwise wait for that key while this waits for the row.
_INSERT: Final = """
INSERT INTO games_attemptclient (attempt_id, player_id, credential_id, client, network, first_ply, at)
SELECT a.id, a.player_id, c.id, %(client)s, %(network)s, %(ply)s, %(now)s
  FROM games_attempt a JOIN games_credential c ON c.player_id = a.player_id
 WHERE a.id = %(attempt)s AND c.id = %(credential)s
   FOR KEY SHARE OF a
ON CONFLICT DO NOTHING
"""


def client_record(*, attempt_id: int, credential_id: int, source: Source, ply: int, now: dt.datetime) -> None:
    """Write down that the request for this ply came from there, unless the attempt has that source already.

    A repeat costs this process nothing: it remembers what it has written, once that is committed. Another process
    writes in vain. Joins the caller's transaction where there is one; a credential of anybody but the attempt's own
    player writes nothing.
    """
    key = (attempt_id, credential_id, source.client, source.network)
    if _remembered.has(key):
        return
    values = {
        "attempt": attempt_id,
        "credential": credential_id,
        "client": source.client,
        "network": source.network,
        "ply": ply,
        "now": now,
    }
    execute(_INSERT, values)
    transaction.on_commit(functools.partial(_remembered.add, key))


# --- retention -----------------------------------------------------------------------------------------------------

_PURGE: Final = """
DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE at < %s ORDER BY at LIMIT %s FOR UPDATE SKIP LOCKED)
"""


def evidence_purge(*, now: dt.datetime, batch: int = 5000) -> int:
    """Delete the clients of attempts, and the pairs of one browser, that are older than settings.EVIDENCE_DAYS; how many.

    One short transaction per batch. Safe to stop, to repeat and to run twice at once.
    """
    before = now - dt.timedelta(days=settings.EVIDENCE_DAYS)
    return sum(_purge(model._meta.db_table, before, batch) for model in (AttemptClient, SharedBrowser))


def _purge(table: str, before: dt.datetime, batch: int) -> int:
    statement = _PURGE.format(table=table)
    purged = 0
    while True:
        with transaction.atomic(durable=True), connection.cursor() as cursor:
            cursor.execute(statement, (before, batch))
            gone: int = cursor.rowcount
        purged += gone
        if gone < batch:
            return purged
