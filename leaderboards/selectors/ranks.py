"""Places on a board read from PostgreSQL: windows of the total order and exact ranks without counting the board.

A *place* is (key, finished_ms, attempt id), the total order of a list; equal keys share a rank (R8.4). The rank of a
key is one more than the entries with a smaller key: whole score buckets are summed, only the key's own is counted.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import psycopg
from django.db import transaction
from psycopg.rows import tuple_row

from games.engine.ranking import key_bucket
from games.engine.rulesets import RankingName
from games.replica import reader

T = TypeVar("T")
Place = tuple[int, int, int]


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


class Moved(Exception):
    """A commit has changed the board between two statements of one reading: read again from the start."""


@contextlib.contextmanager
def snapshot() -> Iterator[None]:
    """One view of the database for several statements; inside an open transaction, that transaction's own."""
    connection = reader()
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic(using=connection.alias):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def at_one_version(read: Callable[[], T]) -> T:
    """The outcome of a reading of several statements between which the board did not change.

    The statements carry the board's version and raise Moved; that costs no transaction. Under constant change the
    last try is one.
    """
    for _ in range(3):
        with contextlib.suppress(Moved):
            return read()
    with snapshot():
        return read()


def ask(statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Run a prepared statement on Django's connection: planning these anew each time would cost more than running them."""
    connection = reader()
    connection.ensure_connection()
    driver = connection.connection
    assert isinstance(driver, psycopg.Connection)
    with connection.wrap_database_errors, psycopg.Cursor(driver, row_factory=tuple_row) as cursor:
        return cursor.execute(statement.encode(), values, prepare=True).fetchall()


_COLUMNS = """e.key, e.finished_ms, e.attempt_id, a.public_id, a.number, p.public_id, p.name, e.outcome, e.score,
       e.moves, e.peaks, e.cards_left, e.elapsed_ms"""
_PARTS = "key, finished_ms, attempt_id, player_id, outcome, score, moves, peaks, cards_left, elapsed_ms"
_VERSION = "(SELECT version FROM leaderboards_board WHERE id = %(board)s)"
_JOINS = "JOIN games_attempt a ON a.id = e.attempt_id JOIN games_player p ON p.id = e.player_id"

_BEFORE = f"""(SELECT {_PARTS} FROM leaderboards_entry
  WHERE board_id = %(board)s AND active AND (key, finished_ms, attempt_id) < (%(key)s, %(ms)s, %(attempt)s)
  ORDER BY key DESC, finished_ms DESC, attempt_id DESC LIMIT {{before}})"""
_FROM = f"""(SELECT {_PARTS} FROM leaderboards_entry
  WHERE board_id = %(board)s AND active AND (key, finished_ms, attempt_id) >= (%(key)s, %(ms)s, %(attempt)s)
  ORDER BY key, finished_ms, attempt_id LIMIT {{count}})"""
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


_TOP = f"""(SELECT {_PARTS} FROM leaderboards_entry WHERE board_id = %(board)s AND active
  ORDER BY key, finished_ms, attempt_id LIMIT {{count}})"""
_SHAPES = {"around": f"{_BEFORE} UNION ALL {_FROM}", "after": _AFTER, "top": _TOP}


@functools.lru_cache(maxsize=64)
def _statement(shape: str, width: int, before: int, count: int) -> str:
    """The limits stand in the text: as parameters they would let a generic plan expect a tenth of the table."""
    window = _SHAPES[shape].format(before=int(before), count=int(count))
    group = _FIRST_GROUP_UNTIMED if width == 1 else _FIRST_GROUP_TIMED
    ranks = "0, 0" if shape == "top" else f"{_FIRST_RANK}, {group}"
    return f"""
WITH e AS MATERIALIZED ({window}), first AS MATERIALIZED (SELECT min(key) AS key FROM e)
SELECT {_COLUMNS}, {ranks}, {_VERSION} FROM e {_JOINS} ORDER BY e.key, e.finished_ms, e.attempt_id"""


_AT_PLACES = f"""
SELECT {_COLUMNS} FROM unnest(%(keys)s::bigint[], %(times)s::bigint[], %(attempts)s::bigint[]) AS w (key, ms, attempt)
  JOIN leaderboards_entry e ON e.board_id = %(board)s AND e.active AND e.key = w.key AND e.finished_ms = w.ms
                           AND e.attempt_id = w.attempt
  {_JOINS} ORDER BY e.key, e.finished_ms, e.attempt_id"""
_BETTER = f"""
SELECT (SELECT coalesce(sum(count), 0) FROM leaderboards_scorebucket WHERE board_id = %(board)s AND bucket < %(bucket)s)
     + (SELECT count(*) FROM leaderboards_entry
         WHERE board_id = %(board)s AND active AND key >= %(from)s AND key < %(key)s), {_VERSION}"""


def _numbered(found: list[tuple[Any, ...]], version: int | None, *, complete_from_start: bool) -> list[Row]:
    """Rows with their ranks. Each found tuple ends with the first key's better count, its group's size, the version."""
    rows: list[Row] = []
    if not found:
        return rows
    better, group = int(found[0][-3]), int(found[0][-2])
    if version is not None and found[0][-1] != version:
        raise Moved
    first_key = found[0][0]
    rank, seen = better + 1, 0  # `seen`: entries of this window after the first key's group
    for values in found:
        if values[0] != first_key:
            seen += 1
            if values[0] != rows[-1].key:
                rank = better + group + seen
        elif complete_from_start:
            group += 1  # the list's very start: the whole group is in the window, or nothing follows it
        rows.append(Row(*(*values[:-3], rank)))
    return rows


def rows_top(board_id: int, count: int, *, version: int | None = None) -> list[Row]:
    """The first `count` rows of a board, ranked. Raises Moved where a version is given and passed."""
    found = ask(_statement("top", 1, 0, count), {"board": board_id})
    return _numbered(found, version, complete_from_start=True)


@functools.lru_cache(maxsize=16)
def _tops_statement(counts: tuple[int, ...]) -> str:
    tops = " UNION ALL ".join(
        _TOP.format(count=int(count)).replace("SELECT ", "SELECT board_id, ", 1).replace("%(board)s", f"%(board{at})s")
        for at, count in enumerate(counts)
    )
    return f"""
WITH e AS MATERIALIZED ({tops})
SELECT e.board_id, {_COLUMNS} FROM e {_JOINS} ORDER BY e.board_id, e.key, e.finished_ms, e.attempt_id"""


def rows_tops(counts: dict[int, int]) -> dict[int, list[Row]]:
    """The first rows of several boards, ranked, in one query: board -> how many."""
    if not counts:
        return {}
    boards = {f"board{at}": board for at, board in enumerate(counts)}
    found: dict[int, list[tuple[Any, ...]]] = {board: [] for board in counts}
    for board, *values in ask(_tops_statement(tuple(counts.values())), boards):
        found[board].append((*values, 0, 0, None))
    return {board: _numbered(rows, None, complete_from_start=True) for board, rows in found.items()}


def rows_after(board_id: int, version: int, ranking: RankingName, timed: bool, place: Place, count: int) -> list[Row]:
    """The `count` rows that follow a place (which need not exist any more), ranked. Raises Moved."""
    return _window("after", board_id, version, key_bucket(ranking, timed), place, before=0, count=count)


def rows_around(
    board_id: int, version: int, ranking: RankingName, timed: bool, place: Place, before: int, count: int
) -> list[Row]:
    """Up to `before` rows before a place and `count` from it on, ranked. Raises Moved."""
    return _window("around", board_id, version, key_bucket(ranking, timed), place, before=before, count=count)


def _window(shape: str, board_id: int, version: int, width: int, place: Place, *, before: int, count: int) -> list[Row]:
    key, finished_ms, attempt = place
    values = {
        "board": board_id,
        "width": width,
        "key": key,
        "ms": finished_ms,
        "attempt": attempt,
    }
    found = ask(_statement(shape, width, before, count), values)
    return _numbered(found, version, complete_from_start=False)


def rows_at(board_id: int, places: Sequence[Place], numbers: Sequence[int]) -> list[Row]:
    """The active entries at exactly these places, in order, with these ranks; fewer than asked where one has gone."""
    keys, times, attempts = (list(part) for part in zip(*places, strict=True))
    found = ask(_AT_PLACES, {"keys": keys, "times": times, "attempts": attempts, "board": board_id})
    return [Row(*(*values, rank)) for values, rank in zip(found, numbers, strict=False)]


def better_count(board_id: int, version: int, ranking: RankingName, timed: bool, key: int) -> int:
    """How many active entries of a board have a smaller key. Raises Moved."""
    width = key_bucket(ranking, timed)
    bucket = key // width
    [(count, at)] = ask(_BETTER, {"board": board_id, "bucket": bucket, "from": bucket * width, "key": key})
    if at != version:
        raise Moved
    return int(count)
