"""Reading move logs: the one place that knows of their two forms, rows of `Move` and the compact value of old attempts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from django.db import connection

from games.compact import EMPTY, Log, log_unpack, ply_of_move_id
from games.models import Attempt
from games.replica import reader
from games.statements import execute

COLUMNS = "m.moves, m.at_ms, k.packed"
"""Of `log_join`; `log_from` reads them."""
# Both forms by one statement, so of one moment: a log that is being made compact is seen in exactly one of them.
# Times come as whole milliseconds: Django reads a timestamptz in Python, 15 us each.
_JOIN = """
CROSS JOIN LATERAL (SELECT array_agg(move ORDER BY ply) AS moves,
                           array_agg((extract(epoch FROM at) * 1000)::bigint ORDER BY ply) AS at_ms
                      FROM games_move WHERE attempt_id = {attempt}) m
 LEFT JOIN games_compactlog k ON k.attempt_id = {attempt}
"""
_LOGS = f"SELECT w.id, {COLUMNS} FROM unnest(%s::bigint[]) AS w (id) {_JOIN.format(attempt='w.id')}"
_PACKED = "SELECT packed FROM games_compactlog WHERE attempt_id = %(attempt)s"


def log_join(attempt: str) -> str:
    """The join that brings COLUMNS to a statement in which `attempt` is an attempt's id."""
    return _JOIN.format(attempt=attempt)


def log_from(moves: Sequence[int] | None, at_ms: Sequence[int] | None, packed: bytes | None) -> Log:
    """The log in COLUMNS. ValueError when a compact one is damaged."""
    if moves is not None and at_ms is not None:
        return Log(tuple(moves), tuple(at_ms))
    return EMPTY if packed is None else log_unpack(packed)


def logs_read(attempt_ids: Collection[int]) -> dict[int, Log]:
    """Whole logs as they stand now, empty where there are no moves. Which moves belong to a row read before, its ply tells."""
    if not attempt_ids:
        return {}
    with reader().cursor() as cursor:
        cursor.execute(_LOGS, (list(attempt_ids),))
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return {row[0]: log_from(*row[1:]) for row in rows}


def log_read(attempt: Attempt) -> Log:
    """The log up to the row's own ply: a move that came after the row was read is not of this state."""
    return logs_read([attempt.pk])[attempt.pk].upto(attempt.ply)


class Size(NamedTuple):
    """What the logs of one form take on disk, dead rows that nothing has filled again included."""

    form: str
    logs: int
    table: int
    indexes: int

    @property
    def total(self) -> int:
        return self.table + self.indexes


def logs_sizes() -> list[Size]:
    """Of both forms; counts every attempt."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT 'rows', (SELECT count(*) FROM games_attempt WHERE NOT compacted AND ply > 0),
                      pg_table_size('games_move'), pg_indexes_size('games_move')
               UNION ALL
               SELECT 'compact', (SELECT count(*) FROM games_compactlog),
                      pg_table_size('games_compactlog'), pg_indexes_size('games_compactlog')
                ORDER BY 1 DESC"""
        )
        return [Size(*row) for row in cursor.fetchall()]


def log_compact(attempt_id: int, move_id: str) -> tuple[Log, int | None] | None:
    """A log in its compact form with the ply logged under this move id; None when it has none. For the path of moves."""
    row = execute(_PACKED, {"attempt": attempt_id}).fetchone()
    return None if row is None else (log_unpack(row[0]), ply_of_move_id(row[0], move_id))
