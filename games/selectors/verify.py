"""Holding stored attempts to the engine: what each row says against what its log, in either form, really leads to."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from django.db import connection

from games.clock import from_milliseconds, milliseconds
from games.compact import Log
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.errors import EngineError
from games.engine.position import Position
from games.engine.replay import replay
from games.engine.rulesets import find_ruleset
from games.models import Attempt
from games.selectors.attempts import AttemptFacts, recorded_history

from .logs import COLUMNS, log_from, log_join

BATCH: Final = 1000
"""Attempts that one statement reads: each is seen at one moment, and no statement runs for long."""


class Difference(NamedTuple):
    """Something stored that is not as it should be."""

    what: str
    """`attempt 0f3k…`, `entry of …`, `board …`."""
    code: str
    said: str
    """Stored and found, in numbers: no cards and no codes (R10.1)."""


_POSITION: Final = ("score", "moves", "run", "peaks", "cards_left", "undos")
_RESULT: Final = ("outcome", "score", "moves", "peaks", "cards_left", "undos", "ply", "elapsed_ms", "at")
_ROWS = f"""
SELECT a.id, a.public_id, a.code, a.ruleset, a.undo_allowed, (extract(epoch FROM a.started_at) * 1000)::bigint, a.outcome,
       a.compacted, a.ply, (extract(epoch FROM a.last_move_at) * 1000)::bigint, d.cards,
       {", ".join(f"a.{name}" for name in _POSITION)},
       {", ".join(f"a.result_{name}" for name in _RESULT[:-1])}, (extract(epoch FROM a.result_at) * 1000)::bigint,
       {COLUMNS}
  FROM (SELECT * FROM games_attempt WHERE id > %s AND id <= %s ORDER BY id LIMIT %s) a
  JOIN games_deal d ON d.id = a.deal_id {log_join("a.id")}
 ORDER BY a.id"""
# A restored dump makes the tables anew, with other oids; a restored copy of the data directory goes on in a timeline of
# its own. (A replica has no timeline to tell: it follows.)
_IDENTITY: Final = """
SELECT (SELECT system_identifier FROM pg_control_system()), (SELECT oid FROM pg_database WHERE datname = current_database()),
       'games_attempt'::regclass::oid,
       CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END,
       (SELECT md5(string_agg(app || ' ' || name, ',' ORDER BY app, name)) FROM django_migrations)"""
_AT: Final = 11 + len(_POSITION)
_LOG: Final = _AT + len(_RESULT)


def database_identity() -> dict[str, str]:
    """What changes when the database is another, is brought back from a backup, or has had another migration."""
    with connection.cursor() as cursor:
        cursor.execute(_IDENTITY)
        *database, schema = cursor.fetchone()
    return {"schema": schema, "database": " ".join(map(str, database))}


def attempts_span() -> tuple[int, int]:
    """(highest id, number) of the stored attempts."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(id), 0), count(*) FROM games_attempt")
        highest, count = cursor.fetchone()
        return highest, count


def attempts_verify(after: int, upto: int) -> tuple[int, list[Difference]]:
    """Replay the attempts with after < id <= upto; how many, and what differs. Beside running games."""
    count, found = 0, []
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_ROWS, (after, upto, BATCH))
            rows = cursor.fetchall()
        for row in rows:
            found += [Difference(f"attempt {row[1]}", code, said) for code, said in _differences(row)]
        count += len(rows)
        if len(rows) < BATCH:
            return count, found
        after = rows[-1][0]


def _differences(row: tuple[Any, ...]) -> Iterator[tuple[str, str]]:
    _id, _public_id, code, letters, undo_allowed, started_ms, outcome, compacted, ply, last_ms, raw = row[:11]
    cards = tuple(raw)
    if _cards_of(code) != cards:
        yield "deal", "the code and the deal are different cards"
    moves, _at_ms, packed = row[_LOG:]
    if moves is not None and packed is not None:
        yield "two_logs", "rows of moves beside a compact log"
    elif compacted != (packed is not None) and not (compacted and ply == 0 and moves is None):
        yield "compacted", f"the row says {compacted}, the log is {'one value' if packed is not None else 'rows'}"
    try:
        log = log_from(*row[_LOG:])
    except ValueError:
        yield "log_unreadable", "the compact log is damaged"
        return
    if len(log.moves) != ply:
        yield "ply", f"stored {ply}, in the log {len(log.moves)}"
        return
    try:
        done = replay(find_ruleset(letters), cards, log.moves, undo_allowed=undo_allowed)
    except EngineError as problem:
        yield "unplayable", problem.code
        return
    if done.error is not None:
        yield "refused", f"ply {done.error_ply}: {done.error.code}"
        return
    yield from _against_position(row, done.position, outcome)
    if last_ms != (log.at_ms[-1] if ply else started_ms):
        yield "last_move_at", "not the time of the last ply"
    yield from _against_history(row, cards, log)


def _against_position(row: tuple[Any, ...], position: Position, outcome: str | None) -> Iterator[tuple[str, str]]:
    for name, stored in zip(_POSITION, row[11:_AT], strict=True):
        reached = getattr(position, name)
        if stored != reached:
            yield name, f"stored {stored}, replayed {reached}"
    reached = position.outcome
    allowed = {
        None: (None, Attempt.Outcome.RESIGNED, Attempt.Outcome.EXPIRED),
        "stuck": (Attempt.Outcome.STUCK, Attempt.Outcome.RESIGNED, Attempt.Outcome.EXPIRED),
        "won": (Attempt.Outcome.WON,),
    }[reached]
    if outcome not in allowed:
        yield "outcome", f"stored {outcome}, replayed {reached}"


def _against_history(row: tuple[Any, ...], cards: tuple[int, ...], log: Log) -> Iterator[tuple[str, str]]:
    """The recorded result (R3.3) against the best that the log came by."""
    started = from_milliseconds(row[5])
    assert started is not None
    history = recorded_history(_facts(row, started), cards, log)
    wanted: tuple[Any, ...] = (None,) * len(_RESULT)
    if history:
        best = history[-1]
        wanted = (*(getattr(best, name) for name in _RESULT[:-1]), milliseconds(best.at))
    for name, stored, reached in zip(_RESULT, row[_AT:_LOG], wanted, strict=True):
        if stored != reached:
            yield f"result_{name}", f"stored {stored}, replayed {reached}"


def _facts(row: tuple[Any, ...], started: dt.datetime) -> AttemptFacts:
    return AttemptFacts(row[1], "", None, row[3], True, 1, row[4], started, None, None)


@functools.lru_cache(maxsize=100_000)
def _cards_of(code: str) -> tuple[int, ...] | None:
    try:
        return tuple(deal_cards(parse_code(code)))
    except EngineError:
        return None
