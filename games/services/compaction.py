"""Making logs of attempts closed long ago compact (games.compact): a tenth of the rows' bytes, the same replay and evidence."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from games.compact import Log, log_pack, log_unpack
from games.models import Attempt, CompactLog, Move


@dataclass(frozen=True, slots=True)
class Compacted:
    """What one run has done."""

    attempts: int = 0
    moves: int = 0
    left: int = 0
    """Attempts whose log has no compact form (it breaks off, or its times are no whole milliseconds): they keep their rows."""

    def __add__(self, other: Compacted) -> Compacted:
        return Compacted(self.attempts + other.attempts, self.moves + other.moves, self.left + other.left)


_LOGS = """
SELECT w.id, m.moves, m.at_ms, m.move_ids, coalesce(m.exact, true)
  FROM unnest(%s::bigint[]) AS w (id),
       LATERAL (SELECT array_agg(move ORDER BY ply) AS moves,
                       array_agg((extract(epoch FROM at) * 1000)::bigint ORDER BY ply) AS at_ms,
                       array_agg(move_id ORDER BY ply) AS move_ids,
                       bool_and(date_trunc('milliseconds', at) = at) AND max(ply) = count(*) AS exact
                  FROM games_move WHERE attempt_id = w.id) m"""


def attempts_compact(*, now: dt.datetime, batch: int = 500) -> Iterator[Compacted]:
    """Compact the logs of all attempts closed more than settings.COMPACT_DAYS ago; yields what each batch has done.

    One transaction a batch, under the locks of its attempt rows; rows that somebody holds are left to the next run.
    A closed attempt gets no further move, and whoever reads meanwhile finds the log in exactly one form. Safe to stop
    anywhere and to repeat: what is done is marked in its row.
    """
    before = now - dt.timedelta(days=settings.COMPACT_DAYS)
    last = (dt.datetime.min.replace(tzinfo=dt.UTC), 0)
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                """SELECT closed_at, id FROM games_attempt
                    WHERE closed_at <= %s AND NOT compacted AND closed_at IS NOT NULL AND (closed_at, id) > (%s, %s)
                    ORDER BY closed_at, id LIMIT %s""",
                (before, *last, batch),
            )
            found = cursor.fetchall()
        if not found:
            return
        last = found[-1]
        yield _compact([pk for _, pk in found])


def _compact(ids: list[int]) -> Compacted:
    with transaction.atomic(durable=True):
        rows = Attempt.objects.select_for_update(skip_locked=True, no_key=True).filter(id__in=ids, compacted=False)
        plies = dict(rows.order_by("id").values_list("id", "ply"))
        with connection.cursor() as cursor:
            cursor.execute(_LOGS, (list(plies),))
            logs = cursor.fetchall()
        packed = {pk: _packed(plies[pk], *log) for pk, *log in logs}
        done = [pk for pk, value in packed.items() if value is not None]
        CompactLog.objects.bulk_create([CompactLog(attempt_id=pk, packed=packed[pk]) for pk in done if packed[pk]])
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {Move._meta.db_table} WHERE attempt_id = ANY(%s)", (done,))
            moves = cursor.rowcount
        Attempt.objects.filter(id__in=done).update(compacted=True)
    return Compacted(len(done), moves, len(plies) - len(done))


def _packed(
    ply: int, moves: list[int] | None, at_ms: list[int] | None, move_ids: list[str] | None, exact: bool
) -> bytes | None:
    """The compact form, empty for an attempt without a move; None where the log does not fit it."""
    found: tuple[Any, ...] = (tuple(moves or ()), tuple(at_ms or ()))
    if not exact or len(found[0]) != ply:
        return None
    if ply == 0:
        return b""
    log = Log(*found)
    try:
        value = log_pack(log, move_ids or ())
    except ValueError:
        return None
    return value if log_unpack(value) == log else None  # the rows are about to go: believe nothing
