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
from games.selectors.logs import COLUMNS, log_from, log_join

from .evidence import Line
from .field import Field

KEPT_LINES: Final = 40_000
"""Of all fields of a process together, about 4 kB each; the field used longest ago goes first."""
FIELD_LINES: Final = 20_000
"""A field that is read anew starts with the newest so many."""
LATE: Final = dt.timedelta(seconds=60)
"""A result is dated before its transaction waits for its locks, so it may be seen later than one of a later date."""

# The moves up to the recorded result are what counts: what came after it belongs to no result.
_LINES = f"""
SELECT a.id, a.player_id, a.result_ply, a.result_at, a.undo_allowed, a.ruleset, d.cards,
       (extract(epoch FROM a.started_at) * 1000)::bigint, a.ply, {COLUMNS}
  FROM {{rows}} a JOIN games_deal d ON d.id = a.deal_id {log_join("a.id")}
"""
_OF_ATTEMPTS = _LINES.format(rows="games_attempt") + " WHERE a.id = ANY(%(attempts)s)"
_OF_FIELD = (
    _LINES.format(
        rows="""(SELECT * FROM games_attempt WHERE deal_id = %(deal)s AND result_at > %(after)s AND ruleset = %(ruleset)s
                 ORDER BY result_at DESC, id DESC LIMIT %(most)s)""",
    )
    + " WHERE (a.id, a.result_ply) NOT IN (SELECT * FROM unnest(%(ids)s::bigint[], %(plies)s::int[]))"
    + " ORDER BY a.result_at, a.id"
)


def _fetch(statement: str, **values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _line(row: tuple[Any, ...], ply: int, cards: tuple[Card, ...], ruleset: Ruleset) -> Line | None:
    """The line up to a ply; None when its moves are gone (a deleted account's)."""
    attempt_id, player_id, _result_ply, _result_at, undo_allowed, _, _, started_ms, _ply, *found = row
    log = log_from(*found).upto(ply)
    if not ply or len(log.moves) != ply:
        return None
    times = [started_ms, *log.at_ms]
    return Line(
        attempt_id=attempt_id,
        player_id=player_id,
        ruleset=ruleset,
        cards=cards,
        log=log.moves,
        intervals_ms=tuple(later - earlier for earlier, later in itertools.pairwise(times)),
        started_ms=started_ms,
        ended_ms=times[-1],
        undo_allowed=undo_allowed,
    )


def line_of(*, attempt_id: int, ply: int) -> Line | None:
    """An attempt's log up to a ply, the last of which ends it; None when its moves are gone (a deleted account's)."""
    rows = _fetch(_OF_ATTEMPTS, attempts=[attempt_id])
    return _line(rows[0], ply, tuple(rows[0][6]), find_ruleset(rows[0][5])) if rows else None


def lines_of(attempt_ids: Sequence[int]) -> dict[int, Line]:
    """Whole logs, up to the recorded result where there is one; those without moves are left out."""
    rows = _fetch(_OF_ATTEMPTS, attempts=list(attempt_ids)) if attempt_ids else []
    found = {row[0]: _line(row, row[2] or row[8], tuple(row[6]), find_ruleset(row[5])) for row in rows}
    return {attempt_id: line for attempt_id, line in found.items() if line is not None}


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
            line = _line(row, row[2], cards, ruleset)
            if line is not None:
                kept.field.add(line)
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
