"""My rank, the rows around me and pages of a daily's board of a million entries or more, with the Redis copy and without.

Also what the copy costs: the time to build it, its memory, and how long a finish takes that comes in beside it.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter, process_time
from typing import Any, Final

import psycopg
from django.db import connection, transaction

from games import clock
from games.engine.codes import numbered_code
from games.engine.deals import deal_cards
from games.engine.ranking import Result, key_bucket, rank_key
from games.models import Attempt, Deal, Player
from games.redis import PATIENT_SECONDS, redis
from leaderboards import standings
from leaderboards.models import Board, Entry
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, board_page
from leaderboards.selectors.boards import cursor_text
from leaderboards.services.entries import entry_record
from leaderboards.standings_check import order_check

from .capacity_rows import without_indexes

ENTRIES: Final = 1_000_000
SAMPLES: Final = 3_000
NEW: Final = 300  # finishes of players who are not on the board yet
SCOPE: Final = "daily-1900-01-01"  # before every real daily
WITHIN_MS: Final = {"with_cache": 10.0, "without_cache": None}  # as the Redis copy is there for
FINISH_WITHIN_MS: Final = 5.0
REBUILD_WITHIN_S: Final = 60.0
PAGE: Final = 50
_SEED: Final = 20_261_129


def random_result(choose: random.Random) -> Result:
    """A daily's result without undo: 7 in 10 win; minutes are spread log-normally around two, none under 20 s."""
    elapsed_ms = int(min(20_000 + choose.lognormvariate(11.5, 0.7), 80_000_000))
    draws = min(23, max(0, round(choose.gauss(16, 5))))
    if choose.random() < 0.7:
        return Result("won", 800 - 28 - draws, 28 + draws, 3, 0, elapsed_ms, 0)
    left = min(28, max(1, round(choose.expovariate(0.15)) + 1))
    peaks = 0 if left > 18 else choose.choice((0, 1, 1, 2, 2))
    moves = 28 - left + 23
    return Result("stuck", 500 - moves + 100 * peaks, moves, peaks, left, elapsed_ms, 0)


def run(*, entries: int = ENTRIES, samples: int = SAMPLES) -> dict[str, Any]:
    """Fill a board, measure, empty it again. Milliseconds of wall time per answer, in this process, unless named otherwise."""
    for left in Board.objects.filter(scope=SCOPE):  # a run that was killed
        _clean(left)
    board = _fill(entries)
    try:
        return _measure(board, entries, samples)
    finally:
        _clean(board)


def _measure(board: Board, entries: int, samples: int) -> dict[str, Any]:
    choose = random.Random(_SEED + 1)
    first = Player.objects.filter(name_key__startswith="bench-rank-").order_by("id").values_list("id", flat=True)[0]
    players = [first + choose.randrange(entries) for _ in range(samples)]
    name, now = parse_board(SCOPE), clock.now()
    floor = _floor(players)
    figure: dict[str, Any] = {
        "name": "rank: my rank and the rows around me",
        "entries": entries,
        "score_buckets": _count("SELECT count(*) FROM leaderboards_scorebucket WHERE board_id = %s", board.pk),
        "samples": samples,
        "floor_p50_ms": _percentile(floor, 50),
        "floor_p99_ms": _percentile(floor, 99),
    }
    figure |= _rebuilt(board)
    cursors = dict(_cursors(board, players))
    answers = {}
    asked: dict[str, Callable[[int], Any]] = {
        "": lambda player: board_me(name, player_id=player),
        "page_": lambda player: _page(name, cursors[player], now),
    }
    for what, ask in asked.items():
        for way in ("with_cache", "without_cache"):
            with _copies(way == "with_cache"):
                for player in players[:100]:
                    ask(player)
                times, answers[what + way] = _timed(ask, players)
            figure[what + way] = _summary(times, floor, WITHIN_MS[way])
    figure["different_answers"] = sum(
        one != other
        for what in ("", "page_")
        for one, other in zip(answers[f"{what}with_cache"], answers[f"{what}without_cache"], strict=True)
    )
    with _copies(True):
        changed = players[: min(500, samples)]
        _finishes.clear()
        times, followed = _timed(lambda player: _after_a_finish(player, choose, name), changed)
    figure["with_cache_after_a_finish"] = _summary(times, floor, WITHIN_MS["with_cache"])
    with _copies(False):
        last = board_me(name, player_id=changed[-1])
    figure["different_answers"] += last != followed[-1]
    figure["finish_bettered"] = _summary(_finishes, floor, FINISH_WITHIN_MS)
    figure["finish_new"] = _summary(
        _new_finishes(range(first + entries, first + entries + NEW)), floor, FINISH_WITHIN_MS
    )
    figure["same_order_everywhere"] = order_check(board.pk) == "same"
    return figure | _dropped(board)


def _rebuilt(board: Board) -> dict[str, Any]:
    """Build the copy; how long that took, and what it holds in memory."""
    before = _redis_memory()
    started, worked = perf_counter(), process_time()
    with _copies(True):
        assert standings.rebuild(board.pk), "the copy was not built"
    seconds = perf_counter() - started
    return {
        "rebuild_s": seconds,
        "rebuild_must_be_under_s": REBUILD_WITHIN_S,
        "rebuild_cpu_s": process_time() - worked,
        "rebuilt_entries_a_second": board.entries / seconds,
        "copy_bytes_an_entry": (_redis_memory() - before) / board.entries,
    }


def _dropped(board: Board) -> dict[str, Any]:
    """Drop the copy; how long Redis takes to free it, and the longest that anybody has to wait for an answer meanwhile."""
    client: Any = redis(PATIENT_SECONDS)
    longest, left, started = 0.0, 1, perf_counter()
    standings.forget(board.pk)
    while left:
        asked = perf_counter()
        left = client.info("memory")["lazyfree_pending_objects"]
        longest = max(longest, perf_counter() - asked)
    return {"freed_s": perf_counter() - started, "freed_longest_wait_ms": longest * 1000}


def _page(name: Any, cursor: str, now: dt.datetime) -> dict[str, Any]:
    page = board_page(name, cursor=cursor, limit=PAGE, now=now)
    return {part: page[part] for part in ("board", "rows", "next")}  # `delayed` is of Redis, not of the answer


def _redis_memory() -> int:
    client: Any = redis(PATIENT_SECONDS)
    return int(client.info("memory")["used_memory"])


def _cursors(board: Board, players: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Where these players' pages begin: just after their own rows."""
    rows = Entry.objects.filter(board=board, player_id__in=set(players))
    for player, *place in rows.values_list("player_id", "key", "finished_ms", "attempt_id"):
        yield player, cursor_text((place[0], place[1], place[2]))


_finish_seconds = 0.0
_finishes: list[float] = []


def _new_finishes(players: Iterable[int]) -> list[float]:
    """Milliseconds of recording the results of players who have none on the board yet."""
    times = []
    for player in players:
        attempt = Attempt.objects.select_related("player").get(player_id=player)
        started = perf_counter()
        with transaction.atomic():
            entry_record(attempt=attempt, now=clock.now())
        times.append((perf_counter() - started) * 1000)
    return times


def _after_a_finish(player: int, choose: random.Random, name: Any) -> dict[str, Any]:
    """Somebody betters a result, then the player asks: the copy is one version behind at every question."""
    global _finish_seconds
    begun = perf_counter()
    attempt = Attempt.objects.select_related("player").get(player_id=player)
    started = perf_counter()
    with transaction.atomic():
        assert attempt.result_elapsed_ms is not None
        attempt.result_elapsed_ms = max(1, attempt.result_elapsed_ms - choose.randrange(1, 20_000))
        entry_record(attempt=attempt, now=clock.now())
    _finishes.append((perf_counter() - started) * 1000)
    _finish_seconds = perf_counter() - begun
    return board_me(name, player_id=player)


def _timed(ask: Callable[[int], Any], players: Sequence[int]) -> tuple[list[float], list[Any]]:
    global _finish_seconds
    times: list[float] = []
    answers: list[Any] = []
    for player in players:
        _finish_seconds = 0.0
        started = perf_counter()
        answers.append(ask(player))
        times.append((perf_counter() - started - _finish_seconds) * 1000)
    return times, answers


def _floor(players: Sequence[int]) -> list[float]:
    """A bare driver reading one row by its key: as cheap as a question to PostgreSQL can be."""
    connection.ensure_connection()
    driver = connection.connection
    assert isinstance(driver, psycopg.Connection)
    cursor = psycopg.Cursor(driver)

    def ask(player: int) -> Any:
        return cursor.execute("SELECT public_id FROM games_player WHERE id = %s", (player,), prepare=True).fetchone()

    for player in players[:100]:
        ask(player)
    return _timed(ask, players)[0]


def _summary(times: list[float], floor: list[float], within_ms: float | None) -> dict[str, Any]:
    p50, p99 = _percentile(times, 50), _percentile(times, 99)
    found: dict[str, Any] = {
        "samples": len(times),
        "p50_ms": p50,
        "p90_ms": _percentile(times, 90),
        "p99_ms": p99,
        "max_ms": max(times),
        "p50_to_floor": p50 / _percentile(floor, 50),
        "p99_to_floor": p99 / _percentile(floor, 99),
    }
    if within_ms is not None:
        found |= {"p99_must_be_under_ms": within_ms, "reached": p99 < within_ms}
    return found


def _percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


@contextmanager
def _copies(used: bool) -> Any:
    before = standings.CACHED_FROM
    standings.CACHED_FROM = 0 if used else 2**62
    try:
        yield
    finally:
        standings.CACHED_FROM = before


def _count(statement: str, *values: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.fetchone()[0])


# --- the scratch board ---------------------------------------------------------------------------------------------

_FILL = (
    """INSERT INTO games_player (password, is_superuser, public_id, kind, name, name_key, language, created_at,
                                  ban_reason, is_staff, is_active)
       SELECT '!', false, 'benchp' || lpad(n::text, 10, '0'), 'person', 'bench rank ' || n, 'bench-rank-' || n, '',
              now(), '', false, true
         FROM bench_rank ORDER BY n""",
    """UPDATE bench_rank r SET player_id = p.id FROM games_player p WHERE p.name_key = 'bench-rank-' || r.n""",
    """INSERT INTO games_attempt (public_id, player_id, deal_id, code, ruleset, competition_key, undo_allowed, ranked,
              number, start_key, engine_version, deal_version, ruleset_version, scoring_version, started_at,
              last_move_at, ply, score, moves, run, peaks, cards_left, undos, outcome, finished_at, closed_at,
              result_outcome, result_score, result_moves, result_peaks, result_cards_left, result_undos, result_ply,
              result_elapsed_ms, result_at)
       SELECT 'bencha' || lpad(n::text, 10, '0'), player_id, %(deal)s, %(code)s, 'E', %(scope)s, false, true, 1, 'bench',
              1, 1, 1, 1, at, at, moves, score, moves, 0, peaks, cards_left, 0, outcome, at, at,
              outcome, score, moves, peaks, cards_left, 0, moves, elapsed_ms, at
         FROM bench_rank, LATERAL (SELECT to_timestamp(finished_ms / 1000.0) AS at) t ORDER BY n""",
    """INSERT INTO leaderboards_entry (board_id, player_id, attempt_id, key, finished_ms, outcome, score, moves, peaks,
              cards_left, elapsed_ms, version, active)
       SELECT %(board)s, r.player_id, a.id, r.key, r.finished_ms, r.outcome, r.score, r.moves, r.peaks, r.cards_left,
              r.elapsed_ms, r.n, true
         FROM bench_rank r JOIN games_attempt a ON a.player_id = r.player_id WHERE r.n <= %(entries)s ORDER BY r.n""",
    """INSERT INTO leaderboards_scorebucket (board_id, bucket, count)
       SELECT %(board)s, key / %(width)s, count(*) FROM bench_rank WHERE n <= %(entries)s GROUP BY key / %(width)s""",
)


def _fill(entries: int) -> Board:
    """A board of that many accounts' results. The rows are those that play would have left, moves aside."""
    choose = random.Random(_SEED)
    started = clock.milliseconds(dt.datetime(2026, 11, 29, tzinfo=dt.UTC))
    code = numbered_code(50_000)
    now = clock.now()
    with transaction.atomic(), connection.cursor() as cursor:
        _without_foreign_key_checks(cursor)
        deal, _ = Deal.objects.get_or_create(cards=bytes(deal_cards(code)), defaults={"created_at": now})
        board = Board.objects.create(
            scope=SCOPE, kind="people", view="best", ranking="result", timed=True, version=entries, entries=entries
        )
        cursor.execute(
            """CREATE TEMPORARY TABLE bench_rank (n bigint, key bigint, finished_ms bigint, outcome text, score int,
                      moves int, peaks int, cards_left int, elapsed_ms bigint, player_id bigint) ON COMMIT DROP"""
        )
        with cursor.copy(
            "COPY bench_rank (n, key, finished_ms, outcome, score, moves, peaks, cards_left, elapsed_ms) FROM STDIN"
        ) as copy:
            for number in range(1, entries + NEW + 1):
                result = random_result(choose)
                key = rank_key("result", result, timed=True)
                shown = (result.outcome, result.score, result.moves, result.peaks, result.cards_left, result.elapsed_ms)
                copy.write_row((number, key, started + choose.randrange(86_400_000), *shown))
        values: dict[str, Any] = {
            "board": board.pk,
            "deal": deal.pk,
            "code": code.text,
            "scope": SCOPE,
            "entries": entries,
            "width": key_bucket("result", True),
        }
        # Of an empty database nobody misses the indexes meanwhile; made after the rows they take a third of the time.
        later = [] if Player.objects.exists() else without_indexes(cursor, (Player, Attempt, Entry))
        for statement in _FILL:
            cursor.execute(statement, values)
        for statement in later:
            cursor.execute(statement)
    _vacuum()
    return board


def _clean(board: Board) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        _without_foreign_key_checks(cursor)
        cursor.execute("DELETE FROM leaderboards_scorebucket WHERE board_id = %s", (board.pk,))
        cursor.execute("DELETE FROM leaderboards_entry WHERE board_id = %s", (board.pk,))
        cursor.execute("DELETE FROM leaderboards_board WHERE id = %s", (board.pk,))
        cursor.execute("DELETE FROM games_attempt WHERE competition_key = %s", (SCOPE,))
        cursor.execute("DELETE FROM games_player WHERE name_key LIKE 'bench-rank-%%'")
    _vacuum()
    standings.forget(board.pk)
    redis().ping()


def _without_foreign_key_checks(cursor: Any) -> None:
    """A fifth of the time to fill and to empty, where the role may; the rows are right either way."""
    if _superuser(cursor):
        cursor.execute("SET LOCAL session_replication_role = replica")


def _superuser(cursor: Any) -> bool:
    cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    return bool(cursor.fetchone() == (True,))


def _vacuum() -> None:
    """What autovacuum does to a table of this size by itself, now instead of in a minute."""
    with connection.cursor() as cursor:
        for model in (Player, Attempt, Entry):
            cursor.execute(f"VACUUM (ANALYZE) {model._meta.db_table}")
        cursor.execute("VACUUM (ANALYZE) leaderboards_scorebucket")
        if _superuser(cursor):
            cursor.execute("CHECKPOINT")  # or its writing would go on through the measurement
