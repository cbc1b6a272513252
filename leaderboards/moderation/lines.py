"""Moves and their times, row by row, as `evidence.Line`; and the fields of earlier finishes that a process keeps."""

from __future__ import annotations

import datetime as dt
import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from django.db import connection

from games.engine.cards import Card
from games.engine.rulesets import Ruleset, find_ruleset

from .evidence import Line
from .field import Field

KEPT_LINES: Final = 40_000
"""Of all fields of a process together, about 4 kB each; the field used longest ago goes first."""
FIELD_LINES: Final = 20_000
"""A field that is read anew starts with the newest so many."""
LATE: Final = dt.timedelta(seconds=60)
"""A result is dated before its transaction waits for its locks, so it may be seen later than one of a later date."""

# The moves up to the recorded result: what came after it belongs to no result. Times as in games.services.attempt_rows.
_LINES = """
SELECT a.id, a.player_id, a.result_ply, a.result_at, a.undo_allowed, a.ruleset, d.cards,
       (extract(epoch FROM a.started_at) * 1000)::bigint, m.log, m.at
  FROM {rows} a JOIN games_deal d ON d.id = a.deal_id,
       LATERAL (SELECT array_agg(move ORDER BY ply) AS log,
                       array_agg((extract(epoch FROM at) * 1000)::bigint ORDER BY ply) AS at
                  FROM games_move WHERE attempt_id = a.id AND ply <= {ply}) m
"""
_OF_ATTEMPT = _LINES.format(rows="games_attempt", ply="%(ply)s") + " WHERE a.id = %(attempt)s"
_WHOLE = _LINES.format(rows="games_attempt", ply="coalesce(a.result_ply, a.ply)") + " WHERE a.id = ANY(%(attempts)s)"
_OF_FIELD = (
    _LINES.format(
        rows="""(SELECT * FROM games_attempt WHERE deal_id = %(deal)s AND result_at > %(after)s AND ruleset = %(ruleset)s
                 ORDER BY result_at DESC, id DESC LIMIT %(most)s)""",
        ply="a.result_ply",
    )
    + " WHERE (a.id, a.result_ply) NOT IN (SELECT * FROM unnest(%(ids)s::bigint[], %(plies)s::int[]))"
    + " ORDER BY a.result_at, a.id"
)


def _fetch(statement: str, **values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _line(row: tuple[Any, ...], cards: tuple[Card, ...], ruleset: Ruleset) -> Line:
    attempt_id, player_id, *_, undo_allowed, _, _, started_ms, log, at = row
    times = [started_ms, *(at or ())]
    return Line(
        attempt_id=attempt_id,
        player_id=player_id,
        ruleset=ruleset,
        cards=cards,
        log=tuple(log or ()),
        intervals_ms=tuple(later - earlier for earlier, later in itertools.pairwise(times)),
        started_ms=started_ms,
        ended_ms=times[-1],
        undo_allowed=undo_allowed,
    )


def line_of(*, attempt_id: int, ply: int) -> Line | None:
    """An attempt's log up to a ply, the last of which ends it; None when its moves are gone (a deleted account's)."""
    rows = _fetch(_OF_ATTEMPT, attempt=attempt_id, ply=ply)
    if not rows or len(rows[0][8] or ()) != ply:
        return None
    return _line(rows[0], tuple(rows[0][6]), find_ruleset(rows[0][5]))


def lines_of(attempt_ids: Sequence[int]) -> dict[int, Line]:
    """Whole logs, up to the recorded result where there is one; those without moves are left out."""
    rows = _fetch(_WHOLE, attempts=list(attempt_ids)) if attempt_ids else []
    return {row[0]: _line(row, tuple(row[6]), find_ruleset(row[5])) for row in rows if row[8]}


class _Kept:
    """One field and what of it has been read. Its lock is held while it is extended or judged by."""

    def __init__(self) -> None:
        self.field = Field()
        self.lock = threading.Lock()
        self.newest = dt.datetime.min.replace(tzinfo=dt.UTC)
        self.recent: OrderedDict[tuple[int, int], dt.datetime] = OrderedDict()
        """(attempt, ply) of the lines dated within LATE of the newest."""


class Fields:
    """The fields of a process, by cards and ruleset: read once, then extended by what has been finished since."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str], _Kept] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, *, deal_id: int, cards: tuple[Card, ...], ruleset: Ruleset) -> Iterator[Field]:
        """The field as committed by now, for this thread alone while the block lasts."""
        key = (deal_id, ruleset.letters)
        with self._lock:
            kept = self._kept.setdefault(key, _Kept())
            self._kept.move_to_end(key)
        with kept.lock:
            try:
                self._extend(kept, deal_id, cards, ruleset)
            except BaseException:
                with self._lock:  # half read: the next one reads it anew
                    self._kept.pop(key, None)
                raise
            self._make_room(key)
            yield kept.field

    def _extend(self, kept: _Kept, deal_id: int, cards: tuple[Card, ...], ruleset: Ruleset) -> None:
        known = list(kept.recent)
        rows = _fetch(
            _OF_FIELD,
            deal=deal_id,
            ruleset=ruleset.letters,
            after=kept.newest - LATE if known else kept.newest,
            most=FIELD_LINES,
            ids=[attempt_id for attempt_id, _ in known],
            plies=[ply for _, ply in known],
        )
        for row in rows:
            if row[8] and len(row[8]) == row[2]:
                kept.field.add(_line(row, cards, ruleset))
            kept.recent[row[0], row[2]] = row[3]
            kept.newest = max(kept.newest, row[3])
        for key in [key for key, at in kept.recent.items() if at <= kept.newest - LATE]:
            del kept.recent[key]

    def _make_room(self, but: tuple[int, str]) -> None:
        with self._lock:
            lines = sum(len(kept.field) for kept in self._kept.values())
            for key in [key for key in self._kept if key != but]:
                if lines <= KEPT_LINES:
                    break
                lines -= len(self._kept.pop(key).field)
