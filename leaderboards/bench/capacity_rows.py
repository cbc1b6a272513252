"""Ten dailies of the past with millions of finishes, as play would have left them, for `bench capacity`.

Written by INSERT ... SELECT from a few hundred games that were really played, so that logs, results and keys are true to
each other. Indexes that hold no constraint are made after the rows, as a restore does; the schema is that of the migrations.
"""

from __future__ import annotations

import datetime as dt
import itertools
import random
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection, transaction
from django.db.models import Model

from games.compact import Log, log_pack
from games.engine.position import start
from games.engine.ranking import key_bucket, rank_key, result_of
from games.engine.rulesets import find_ruleset
from games.models import Attempt, AttemptClient, CompactLog, Credential, Move, Player
from leaderboards.models import Board, Entry, ScoreBucket
from leaderboards.moderation.foreknowledge import NOTHING
from leaderboards.moderation.models import Judgement
from leaderboards.moderation.signals import VERSION

from .judging_rows import FIRST_DAY, past_daily, played

DAYS: Final = 10
GAMES: Final = 300  # played for each day; the attempts of a day take turns
TABLES: Final = (Player, Attempt, Move, CompactLog, AttemptClient, Judgement, Entry, ScoreBucket)
RECENT: Final = 20_000  # attempts at most whose moves are still rows
_SEED: Final = 20_261_130
_BEGUN: Final = 1 << 40  # a time of six bytes of LEB128, as all of our days are

_PLAYERS = """
INSERT INTO games_player (password, is_superuser, public_id, kind, name, name_key, language, created_at, ban_reason,
                          is_staff, is_active)
SELECT '!', false, 'capap' || lpad(n::text, 11, '0'), 'person', 'capacity ' || n, 'capacity-' || n, '',
       now() - interval '100 days', '', false, true
  FROM generate_series(1, %(players)s) n"""
_ATTEMPTS = """
INSERT INTO games_attempt (public_id, player_id, deal_id, code, ruleset, competition_key, undo_allowed, ranked, number,
       start_key, engine_version, deal_version, ruleset_version, scoring_version, started_at, last_move_at, ply, score,
       moves, run, peaks, cards_left, undos, outcome, finished_at, closed_at, result_outcome, result_score, result_moves,
       result_peaks, result_cards_left, result_undos, result_ply, result_elapsed_ms, result_at, compacted)
SELECT 'capa' || %(day)s || lpad(i.n::text, 11, '0'), %(first)s + i.n - 1, %(deal)s, %(code)s, 'E', %(key)s, false, true, 1,
       %(day)s || '-' || g.n, 1, 1, 1, 1, t.at - interval '1 ms' * g.elapsed, t.at, g.ply, g.score,
       g.moves, g.run, g.peaks, g.cards_left, 0, g.outcome, t.at, t.at, g.outcome, g.score, g.moves,
       g.peaks, g.cards_left, 0, g.ply, g.elapsed, t.at, i.n > %(recent)s
  FROM generate_series(1, %(players)s) AS i (n)
  JOIN LATERAL (SELECT *, times[ply] + floor(500 - 20000 * ln(1 - random()))::bigint AS elapsed FROM capacity_game
                 WHERE capacity_game.n = 1 + (i.n::bigint * 7919 + %(day)s) %% %(games)s) g ON true,
       LATERAL (SELECT %(closes)s::timestamptz - interval '1 ms' * floor(86400000 * random() + 0 * g.elapsed) AS at) t"""
_ENTRIES = """
INSERT INTO leaderboards_entry (board_id, player_id, attempt_id, key, finished_ms, outcome, score, moves, peaks,
       cards_left, elapsed_ms, version, active)
SELECT %(board)s, a.player_id, a.id, g.lead + a.result_elapsed_ms, (extract(epoch FROM a.result_at) * 1000)::bigint,
       a.result_outcome, a.result_score, a.result_moves, a.result_peaks, a.result_cards_left, a.result_elapsed_ms,
       row_number() OVER (), true
  FROM games_attempt a JOIN capacity_game g ON a.start_key = %(day)s || '-' || g.n
 WHERE a.id > %(since)s"""
_BUCKETS = """
INSERT INTO leaderboards_scorebucket (board_id, bucket, count)
SELECT %(board)s, key / %(width)s, count(*) FROM leaderboards_entry WHERE board_id = %(board)s GROUP BY 2"""
# The game's log with the time of its first ply, the third to eighth byte (games.compact), moved to where the attempt ended.
_FIRST_TIME = " || ".join(
    f"lpad(to_hex((ms >> {7 * at} & 127 | {0 if at == 5 else 128})::int), 2, '0')" for at in range(6)
)
_LOGS = f"""
INSERT INTO games_compactlog (attempt_id, packed)
SELECT a.id, overlay(g.packed PLACING decode({_FIRST_TIME}, 'hex') FROM 3 FOR 6)
  FROM games_attempt a JOIN capacity_game g ON a.start_key = %(day)s || '-' || g.n,
       LATERAL (SELECT (extract(epoch FROM a.result_at) * 1000)::bigint - g.times[g.ply] AS ms) t
 WHERE a.id > %(since)s AND a.compacted"""
_MOVES = """
INSERT INTO games_move (attempt_id, ply, move, move_id, at)
SELECT a.id, m.ply, get_byte(g.log, m.ply - 1), md5(a.id::text || m.ply)::uuid::text,
       a.result_at - interval '1 ms' * (g.times[g.ply] - g.times[m.ply])
  FROM games_attempt a JOIN capacity_game g ON a.start_key = %(day)s || '-' || g.n, generate_series(1, g.ply) AS m (ply)
 WHERE a.id > %(since)s AND NOT a.compacted"""
_CLIENTS = """
INSERT INTO games_attemptclient (attempt_id, player_id, credential_id, client, network, first_ply, at)
SELECT a.id, a.player_id, %(credential)s, 'page_socket', decode(md5((a.player_id / 2)::text), 'hex'), 0, a.started_at
  FROM games_attempt a WHERE a.id > %(since)s"""
_JUDGEMENTS = """
INSERT INTO leaderboards_judgement (attempt_id, ply, version, verdict, points, signals, knowledge, judged_at)
SELECT a.id, a.ply, %(version)s, 'nothing', 0, '[]', ARRAY(SELECT -0.2 + 0.01 * n FROM generate_series(1, %(worlds)s) n), a.result_at
  FROM games_attempt a WHERE a.id > %(since)s"""


@dataclass(frozen=True)
class Filled:
    """What the questions are about."""

    boards: list[str]
    first_player: int
    players: int
    rows: dict[str, int]
    """By table."""


def fill(entries: int, say: Callable[[str], object]) -> Filled:
    """Fill an empty, migrated database with `entries` entries and all that belongs to them."""
    choose = random.Random(_SEED)
    now = dt.datetime.now(dt.UTC).replace(microsecond=0)  # whole milliseconds, as clocks of logs tell
    players = entries // DAYS
    boards = []
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica; SET synchronous_commit = off; SELECT setseed(0.5)")
        later = without_indexes(cursor, TABLES)
        cursor.execute(_PLAYERS, {"players": players})
        first = Player.objects.order_by("id").values_list("id", flat=True)[0]
        credential = Credential.objects.create(
            player_id=first,
            token_hash=secrets.token_bytes(32),
            kind="session",
            via="cookie",
            scopes=["play"],
            created_at=now,
        )
        values: dict[str, Any] = {"first": first, "credential": credential.pk, "players": players, "games": GAMES}
        values |= {"version": VERSION, "worlds": len(NOTHING), "width": key_bucket("result", True), "since": 0}
        for day in range(DAYS):
            deal, code = past_daily(choose, FIRST_DAY + dt.timedelta(days=day), now)
            key = f"daily-{(FIRST_DAY + dt.timedelta(days=day)).isoformat()}"
            Board.objects.filter(scope=key).update(entries=players, version=players, started=players, finished=players)
            board = Board.objects.get(scope=key)
            values |= {"day": day, "deal": deal.pk, "code": code, "key": key, "board": board.pk}
            values["closes"] = now - dt.timedelta(days=39 - day)
            values["recent"] = min(RECENT, players // 2) if day == DAYS - 1 else 0
            _day(cursor, choose, tuple(deal.cards), values)
            cursor.execute("SELECT max(id) FROM games_attempt")
            values["since"] = cursor.fetchone()[0]
            boards.append(key)
            say(f"day {day + 1} of {DAYS}: {players:,} finishes")
        for statement in later:
            cursor.execute(statement)
        say("indexes made")
        cursor.execute("SET session_replication_role = origin")
        for model in TABLES:
            cursor.execute(f"VACUUM (ANALYZE) {model._meta.db_table}")
        cursor.execute("CHECKPOINT")  # or its writing would go on through the questions
        rows = {}
        for model in TABLES:
            cursor.execute(f"SELECT count(*) FROM {model._meta.db_table}")
            rows[model._meta.db_table] = cursor.fetchone()[0]
    return Filled(boards, first, players, rows)


def _day(cursor: Any, choose: random.Random, cards: tuple[int, ...], values: dict[str, Any]) -> None:
    """All that one daily leaves."""
    opening = start(find_ruleset("E"), cards, undo_allowed=False)
    with transaction.atomic():
        cursor.execute(
            """CREATE TEMPORARY TABLE capacity_game (n bigint PRIMARY KEY, log bytea, packed bytea, outcome text, score int,
                      moves int, peaks int, cards_left int, run int, times bigint[], ply int, lead bigint)
               ON COMMIT DROP"""
        )
        for number in range(1, GAMES + 1):
            end = played(choose, opening)
            log = tuple(end.line)
            times = [0, *itertools.accumulate(int(choose.lognormvariate(7.4, 0.7)) for _ in log[1:])]
            packed = log_pack(
                Log(log, tuple(_BEGUN + at for at in times)), [f"{choose.getrandbits(128):032x}" for _ in log]
            )
            result = result_of(end, 0)
            row = (bytes(log), packed, result.outcome, result.score, result.moves, result.peaks, result.cards_left)
            lead = rank_key("result", result, timed=True)
            cursor.execute(
                "INSERT INTO capacity_game VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                (number, *row, end.run, times, len(log), lead),
            )
        for statement in (_ATTEMPTS, _ENTRIES, _BUCKETS, _LOGS, _MOVES, _CLIENTS, _JUDGEMENTS):
            cursor.execute(statement, values)


def without_indexes(cursor: Any, models: Sequence[type[Model]]) -> list[str]:
    """Drop the indexes that hold no constraint; the statements that make them again."""
    cursor.execute(
        """SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
             FROM pg_index i WHERE i.indrelid = ANY(%s::regclass[]) AND NOT i.indisunique""",
        ([model._meta.db_table for model in models],),
    )
    found = cursor.fetchall()
    for name, _statement in found:
        cursor.execute(f"DROP INDEX {name}")
    return [statement for _name, statement in found]
