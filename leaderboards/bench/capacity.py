"""The queries of boards, replays, own lists and judging over 10,000,000 entries: their plans, pages and times; bytes a row.

    manage.py bench capacity --entries 10000000      about 22 GB and half an hour; a tenth of it tells nearly the same

The plans are PostgreSQL's own (auto_explain) of the very statements that the product sends. What becomes of it with ten
times the rows: bytes grow with the rows; a B-tree grows by a level each time its pages outgrow what the level above can
name, which costs a look-up one page more. Needs a superuser and a database that holds nothing.
"""

from __future__ import annotations

import contextlib
import math
import random
import re
import sys
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, Final

import psycopg
from django.db import connection

from games import clock
from games.models import Attempt, Player
from games.selectors.attempts import attempt_replay, attempts_list
from leaderboards import standings
from leaderboards.models import Board, Entry
from leaderboards.moderation.gather import evidence_of
from leaderboards.moderation.lines import Fields
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, board_page
from leaderboards.selectors.boards import cursor_text

from .capacity_rows import TABLES, Filled, fill

ENTRIES: Final = 10_000_000
SAMPLES: Final = 200
TIMES: Final = 10  # the model: so many times the rows
BLOCK: Final = 8192
FULL: Final = 0.9  # of a page of a B-tree that grows at its end or was made at once
_SEED: Final = 20_261_131
_BUFFERS = re.compile(r"Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?")


def run(*, entries: int = ENTRIES, plans: bool = True) -> dict[str, Any]:
    """Fill, ask, measure. The database is left as it is filled: it is one of the benchmark's own."""
    if Player.objects.exists():
        raise RuntimeError("this needs an empty database: run it without --own")
    started = perf_counter()
    filled = fill(entries, lambda said: sys.stderr.write(f"{said}, {perf_counter() - started:.0f} s\n"))
    figure: dict[str, Any] = {"name": f"capacity: {entries:,} entries", "filled_in_s": perf_counter() - started}
    figure["sizes"] = _sizes(filled)
    figure["queries"] = {}
    with _without_copies():
        for name, ask in _questions(filled).items():
            figure["queries"][name] = _asked(ask, plans=plans)
    return figure


@contextlib.contextmanager
def _without_copies() -> Iterator[None]:
    """Boards are read from PostgreSQL, as while Redis is away."""
    before = standings.CACHED_FROM
    standings.CACHED_FROM = 2**62
    try:
        yield
    finally:
        standings.CACHED_FROM = before


# --- questions -----------------------------------------------------------------------------------------------------


def _questions(filled: Filled) -> dict[str, Callable[[int], Any]]:
    """What is asked, each by a number that chooses one of many."""
    now = clock.now()
    board = parse_board(filled.boards[-1])
    board_id = Board.objects.get(scope=filled.boards[-1]).pk
    attempts = filled.rows["games_attempt"]
    first = Attempt.objects.order_by("id").values_list("id", flat=True)[0]
    recent = Attempt.objects.filter(compacted=False).order_by("id").values_list("id", flat=True)[0]
    kept = Attempt.objects.filter(compacted=False).count()

    def player(number: int) -> int:
        return filled.first_player + number % filled.players

    def middle(number: int) -> str:
        row = Entry.objects.get(board=board_id, player_id=player(number))
        return cursor_text((row.key, row.finished_ms, row.attempt_id))

    def replay(attempt_id: int) -> Any:
        public_id = Attempt.objects.values_list("public_id", flat=True).get(pk=attempt_id)
        return attempt_replay(public_id=public_id, viewer_id=None, now=now)

    def judge(number: int) -> None:
        attempt = Attempt.objects.select_related("deal").get(pk=first + attempts - 1 - number % filled.players)
        with evidence_of(attempt=attempt, ply=attempt.ply, fields=fields):
            pass

    fields = Fields()
    return {
        "board: first page": lambda number: board_page(board, cursor=None, limit=50, now=now),
        "board: a page in the middle": lambda number: board_page(board, cursor=middle(number), limit=50, now=now),
        "board: my rank and the rows around me": lambda number: board_me(board, player_id=player(number)),
        "own list": lambda number: attempts_list(player_id=player(number), cursor=None, now=now),
        "replay: log as one value": lambda number: replay(first + number % (attempts - filled.players)),
        "replay: log as rows": lambda number: replay(recent + number % kept),
        "judging: evidence, the field read before": judge,
    }


def _asked(ask: Callable[[int], Any], *, plans: bool) -> dict[str, Any]:
    choose = random.Random(_SEED)
    numbers = [choose.randrange(2**40) for _ in range(SAMPLES)]
    ask(numbers[0])
    times = []
    for number in numbers[1:]:
        started = perf_counter()
        ask(number)
        times.append((perf_counter() - started) * 1000)
    times.sort()
    told = explained(lambda: ask(choose.randrange(2**40)))
    found: dict[str, Any] = {
        "p50_ms": times[len(times) // 2],
        "p99_ms": times[len(times) * 99 // 100],
        "statements": len(told),
        "pages": sum(_pages(plan) for plan in told),
        "scans_a_large_table": any(_scans(plan) for plan in told),
    }
    if plans:
        found["plans"] = "\n" + "\n".join(told)
    return found


def explained(ask: Callable[[], Any]) -> list[str]:
    """The plans of all statements of a question, as they were executed."""
    connection.ensure_connection()
    driver = connection.connection
    assert isinstance(driver, psycopg.Connection)
    plans: list[str] = []

    def keep(diagnostic: psycopg.errors.Diagnostic) -> None:
        message = diagnostic.message_primary or ""
        if "plan:" in message:
            plans.append(message.partition("plan:\n")[2])

    driver.add_notice_handler(keep)
    with connection.cursor() as cursor:
        cursor.execute(
            """LOAD 'auto_explain'; SET client_min_messages = notice; SET auto_explain.log_level = notice;
               SET auto_explain.log_analyze = on; SET auto_explain.log_buffers = on;
               SET auto_explain.log_min_duration = 0"""
        )
        plans.clear()
        ask()
        found = list(plans)
        cursor.execute("SET auto_explain.log_min_duration = -1; RESET client_min_messages")
    driver.remove_notice_handler(keep)
    return found


def _pages(plan: str) -> int:
    """Pages of 8 kB that the statement looked at: the first line that tells is that of the whole."""
    found = _BUFFERS.search(plan)
    return sum(int(count or 0) for count in found.groups()) if found else 0


def _scans(plan: str) -> bool:
    return any(f"Seq Scan on {model._meta.db_table}" in plan for model in TABLES)


# --- sizes ---------------------------------------------------------------------------------------------------------


def _sizes(filled: Filled) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION IF NOT EXISTS pageinspect")
        for model in TABLES:
            table = model._meta.db_table
            rows = max(1, filled.rows[table])
            cursor.execute(
                "SELECT pg_table_size(%s::regclass), pg_indexes_size(%s::regclass), pg_total_relation_size(%s::regclass)",
                (table, table, table),
            )
            own, indexes, whole = cursor.fetchone()
            found[table] = {
                "rows": filled.rows[table],
                "bytes_a_row": own / rows,
                "index_bytes_a_row": indexes / rows,
                "gb": whole / 2**30,
                f"gb_at_{TIMES}_times": whole * TIMES / 2**30,
                "index_levels": _levels(cursor, table),
            }
        cursor.execute("SELECT pg_database_size(current_database())")
        found["gb_in_all"] = cursor.fetchone()[0] / 2**30
    return found


def _levels(cursor: Any, table: str) -> dict[str, str]:
    """Of each index the levels below the root now, and with TIMES times the rows."""
    cursor.execute(
        """SELECT c.relname, c.reltuples, pg_relation_size(c.oid) / %s, (bt_metap(c.relname)).level
             FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
            WHERE i.indrelid = %s::regclass AND m.amname = 'btree' ORDER BY c.relname""",
        (BLOCK, table),
    )
    return {
        name: f"{level} → {max(level, levels_with(entries * TIMES, pages * TIMES))}"
        for name, entries, pages, level in cursor.fetchall()
        if entries > 0
    }


def levels_with(entries: float, pages: float) -> int:
    """Levels below the root of a B-tree with so many entries on so many pages.

    An inner page names as many pages as its kind of entry fits; suffix truncation makes inner entries no longer than
    those of leaves, 8 bytes of header and pointer aside. Both are taken for equal, which errs towards a level more.
    """
    if pages <= 1:
        return 0
    most = max(2.0, min(entries / pages, BLOCK * FULL / 20))
    return max(1, math.ceil(math.log(pages, most) - 1e-9))
