"""Places on a board read from PostgreSQL: windows of the total order and exact ranks without counting the board.

A *place* is (key, finished_ms, attempt id), the total order of a list; equal keys share a rank (R8.4). The rank of a
key is one more than the entries with a smaller key: whole score buckets are summed, only the key's own is counted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from games.engine.ranking import key_bucket
from games.engine.rulesets import RankingName

Place = tuple[int, int, int]
LAST: Place = (2**53, 0, 0)
"""After every possible place."""


@dataclass(frozen=True, slots=True)
class Row:
    """A listed entry. Instants and lengths in milliseconds; `rank` 0 where it is not known yet."""

    key: int
    finished_ms: int
    attempt_id: int
    id: str
    number: int
    player_id: str
    player_name: str | None
    outcome: str
    score: int
    moves: int
    peaks: int
    cards_left: int
    elapsed_ms: int
    rank: int = 0

    @property
    def place(self) -> Place:
        return (self.key, self.finished_ms, self.attempt_id)


@contextlib.contextmanager
def snapshot() -> Iterator[None]:
    """One view of the database for several statements; inside an open transaction, that transaction's own."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


_COLUMNS = """e.key, e.finished_ms, e.attempt_id, a.public_id, a.number, p.public_id, p.name, e.outcome, e.score,
       e.moves, e.peaks, e.cards_left, e.elapsed_ms"""
_PARTS = "key, finished_ms, attempt_id, player_id, outcome, score, moves, peaks, cards_left, elapsed_ms"
_JOINS = "JOIN games_attempt a ON a.id = e.attempt_id JOIN games_player p ON p.id = e.player_id"

_BEFORE = f"""(SELECT {_PARTS} FROM leaderboards_entry
  WHERE board_id = %(board)s AND active AND (key, finished_ms, attempt_id) < (%(key)s, %(ms)s, %(attempt)s)
  ORDER BY key DESC, finished_ms DESC, attempt_id DESC LIMIT %(before)s)"""
_FROM = f"""(SELECT {_PARTS} FROM leaderboards_entry
  WHERE board_id = %(board)s AND active AND (key, finished_ms, attempt_id) >= (%(key)s, %(ms)s, %(attempt)s)
  ORDER BY key, finished_ms, attempt_id LIMIT %(count)s)"""
_AFTER = _FROM.replace(">=", ">")

# The first key's rank and the size of its group: every other rank in the window follows from the positions.
_FIRST_RANK = """
 (SELECT coalesce(sum(count), 0) FROM leaderboards_scorebucket
   WHERE board_id = %(board)s AND bucket < (SELECT key / %(width)s FROM first))
 + (SELECT count(*) FROM leaderboards_entry WHERE board_id = %(board)s AND active
     AND key >= (SELECT key / %(width)s * %(width)s FROM first) AND key < (SELECT key FROM first))
"""
_FIRST_GROUP_TIMED = """(SELECT count(*) FROM leaderboards_entry WHERE board_id = %(board)s AND active
     AND key = (SELECT key FROM first))"""
_FIRST_GROUP_UNTIMED = """(SELECT coalesce(sum(count), 0) FROM leaderboards_scorebucket
   WHERE board_id = %(board)s AND bucket = (SELECT key FROM first))"""


def _statement(window: str, group: str) -> str:
    return f"""
WITH e AS MATERIALIZED ({window}), first AS MATERIALIZED (SELECT min(key) AS key FROM e)
SELECT {_COLUMNS}, {_FIRST_RANK}, {group} FROM e {_JOINS} ORDER BY e.key, e.finished_ms, e.attempt_id"""


_WINDOWS = {
    (shape, width == 1): _statement(window, _FIRST_GROUP_UNTIMED if width == 1 else _FIRST_GROUP_TIMED)
    for shape, window in {"around": f"{_BEFORE} UNION ALL {_FROM}", "after": _AFTER}.items()
    for width in (1, 2)
}
_TOP = f"""
WITH e AS MATERIALIZED (SELECT {_PARTS} FROM leaderboards_entry WHERE board_id = %(board)s AND active
                         ORDER BY key, finished_ms, attempt_id LIMIT %(count)s)
SELECT {_COLUMNS}, 0, 0 FROM e {_JOINS} ORDER BY e.key, e.finished_ms, e.attempt_id"""
_AT_PLACES = f"""
SELECT {_COLUMNS} FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS w (key, ms, attempt)
  JOIN leaderboards_entry e ON e.board_id = %s AND e.active AND e.key = w.key AND e.finished_ms = w.ms
                           AND e.attempt_id = w.attempt
  {_JOINS} ORDER BY e.key, e.finished_ms, e.attempt_id"""


def _numbered(found: list[tuple[Any, ...]], *, complete_from_start: bool) -> list[Row]:
    """Rows with their ranks. Each found tuple ends with the first key's better count and group size."""
    rows: list[Row] = []
    if not found:
        return rows
    better, group = int(found[0][-2]), int(found[0][-1])
    first_key = found[0][0]
    rank, seen = better + 1, 0  # `seen`: entries of this window after the first key's group
    for values in found:
        if values[0] != first_key:
            seen += 1
            if values[0] != rows[-1].key:
                rank = better + group + seen
        elif complete_from_start:
            group += 1  # the list's very start: the whole group is in the window, or nothing follows it
        rows.append(Row(*(*values[:-2], rank)))
    return rows


def rows_top(board_id: int, count: int) -> list[Row]:
    """The first `count` rows of a board, ranked."""
    with connection.cursor() as cursor:
        cursor.execute(_TOP, {"board": board_id, "count": count})
        return _numbered(cursor.fetchall(), complete_from_start=True)


def rows_after(board_id: int, ranking: RankingName, timed: bool, place: Place, count: int) -> list[Row]:
    """The `count` rows that follow a place (which need not exist any more), ranked."""
    return _window("after", board_id, ranking, timed, place, before=0, count=count)


def rows_around(board_id: int, ranking: RankingName, timed: bool, place: Place, before: int, count: int) -> list[Row]:
    """Up to `before` rows before a place and `count` from it on, ranked."""
    return _window("around", board_id, ranking, timed, place, before=before, count=count)


def _window(
    shape: str, board_id: int, ranking: RankingName, timed: bool, place: Place, *, before: int, count: int
) -> list[Row]:
    width = key_bucket(ranking, timed)
    key, finished_ms, attempt = place
    values = {
        "board": board_id,
        "width": width,
        "key": key,
        "ms": finished_ms,
        "attempt": attempt,
        "before": before,
        "count": count,
    }
    with connection.cursor() as cursor:
        cursor.execute(_WINDOWS[shape, width == 1], values)
        return _numbered(cursor.fetchall(), complete_from_start=False)


def rows_at(board_id: int, places: Sequence[Place]) -> list[Row]:
    """The active entries at exactly these places, in order, without ranks; fewer than asked where one has gone."""
    with connection.cursor() as cursor:
        cursor.execute(
            _AT_PLACES,
            ([place[0] for place in places], [place[1] for place in places], [place[2] for place in places], board_id),
        )
        return [Row(*values) for values in cursor.fetchall()]


def better_count(board_id: int, ranking: RankingName, timed: bool, key: int) -> int:
    """How many active entries of a board have a smaller key."""
    width = key_bucket(ranking, timed)
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT (SELECT coalesce(sum(count), 0) FROM leaderboards_scorebucket
                        WHERE board_id = %s AND bucket < %s)
                    + (SELECT count(*) FROM leaderboards_entry
                        WHERE board_id = %s AND active AND key >= %s AND key < %s)""",
            (board_id, key // width, board_id, key // width * width, key),
        )
        row = cursor.fetchone()
        return int(row[0]) if row else 0
