"""No query of play, boards, replays, profiles and judging reads a table from end to end, however large it gets.

PostgreSQL is told to scan a table only where nothing else is possible (`enable_seqscan = off`) and reports the plan of
every statement that the product really sends (auto_explain), so a few rows show what holds for millions. What these
plans cost at ten million entries is for `manage.py bench capacity`.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
import pytest
from django.db import connection, transaction

from games import clock
from games.engine.codes import parse_code
from games.models import Attempt
from games.selectors.attempts import attempt_get, attempt_replay, attempts_list
from games.selectors.own import attempt_unfinished
from games.services import attempt_start, attempts_compact, attempts_expire
from leaderboards.moderation.gather import evidence_of
from leaderboards.moderation.lines import Fields
from leaderboards.moderation.requeueing import judgings_requeue
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, board_page, player_profile
from leaderboards.selectors.boards import board_versions, standings_snapshot
from leaderboards.selectors.numbered import numbered_list
from leaderboards.services.entries import entries_refresh
from tests.moderation.playing import EASY, WON, competition, play, somebody

LARGE: Final = {
    "games_attempt",
    "games_move",
    "games_compactlog",
    "games_deal",
    "games_player",
    "games_credential",
    "games_attemptclient",
    "games_dealexposure",
    "games_sharedbrowser",
    "leaderboards_board",
    "leaderboards_entry",
    "leaderboards_scorebucket",
    "leaderboards_judgement",
    "leaderboards_recordnews",
}


@contextmanager
def plans() -> Iterator[list[dict[str, Any]]]:
    """The plans of all statements inside, each `{"Query Text", "Plan"}`."""
    found: list[dict[str, Any]] = []

    def heard(notice: psycopg.errors.Diagnostic) -> None:
        head, _, plan = (notice.message_primary or "").partition("plan:\n")
        if plan and head.startswith("duration"):
            found.append(json.loads(plan))

    driver = connection.connection
    driver.add_notice_handler(heard)
    with connection.cursor() as cursor:
        cursor.execute("LOAD 'auto_explain'")
        for name, value in {
            "enable_seqscan": "off",
            "client_min_messages": "notice",
            "auto_explain.log_level": "notice",
            "auto_explain.log_format": "json",
            "auto_explain.log_nested_statements": "on",
            "auto_explain.log_min_duration": "0",
        }.items():
            cursor.execute(f"SET {name} = '{value}'")
    try:
        yield found
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SET auto_explain.log_min_duration = -1; RESET enable_seqscan; RESET client_min_messages")
        driver.remove_notice_handler(heard)


def scans(node: dict[str, Any]) -> Iterator[str]:
    """The large tables that a plan reads without asking an index for something."""
    table = node.get("Relation Name", "")
    asked = node.get("Index Cond") or node["Node Type"] in ("Bitmap Heap Scan", "ModifyTable")
    if table in LARGE and not asked:
        yield f"{node['Node Type']} of {table} {node.get('Index Name', '')}".strip()
    for child in node.get("Plans", ()):
        yield from scans(child)


def scanned(call: Callable[[], Any]) -> list[str]:
    """Which statements of a call read a large table from end to end."""
    with plans() as found:
        call()
    assert found
    return [f"{scan}: {' '.join(plan['Query Text'].split())[:300]}" for plan in found for scan in scans(plan["Plan"])]


def atomically(call: Callable[[], Any]) -> None:
    with transaction.atomic():
        call()


def evidence(attempt: Attempt) -> None:
    with evidence_of(attempt=attempt, ply=attempt.ply, fields=Fields()) as gathered:
        assert gathered is not None


@pytest.mark.django_db(transaction=True)
def test_no_hot_query_reads_a_table_from_end_to_end() -> None:
    now = clock.now()
    old = now - dt.timedelta(days=40)
    alice, bob, carol = somebody("alice"), somebody("bob"), somebody("carol")
    won, resigned = play(alice, WON, at=now), play(alice, WON[:5], at=old, resign=True)
    daily = play(bob, WON, at=now, competition=competition(now))
    play(bob, WON, at=now)
    me, board, timed = alice.player.pk, parse_board(EASY), parse_board("daily-2020-01-01")
    after = board_page(board, cursor=None, limit=1, now=now)["next"]
    calls: dict[str, Callable[[], Any]] = {
        "start": lambda: attempt_start(player_id=me, code=parse_code(EASY), start_key="new", practice=False, now=now),
        "play to the end": lambda: play(alice, WON, at=now),
        "play a competition": lambda: play(carol, WON, at=now, competition=competition(now)),
        "own attempt": lambda: attempt_get(public_id=won.public_id, player_id=me, now=now),
        "own list": lambda: attempts_list(player_id=me, cursor=won.public_id, now=now),
        "go on": lambda: attempt_unfinished(player_id=me, code=EASY, now=now),
        "replay": lambda: attempt_replay(public_id=won.public_id, viewer_id=None, now=now),
        "old replay": lambda: attempt_replay(public_id=resigned.public_id, viewer_id=None, now=now),
        "board": lambda: board_page(board, cursor=None, limit=50, now=now),
        "board, on from a place": lambda: board_page(board, cursor=after, limit=50, now=now),
        "my place": lambda: board_me(board, player_id=me),
        "my place on a daily": lambda: board_me(timed, player_id=me),
        "standings": lambda: standings_snapshot(EASY, "people", "best"),
        "versions": lambda: board_versions([(EASY, "people", "best")]),
        "profile": lambda: player_profile(public_id=alice.player.public_id, viewer_id=None, now=now),
        "numbered games": lambda: numbered_list(kind="people", wanted="all", cursor=None, limit=50),
        "evidence": lambda: evidence(won),
        "evidence of a competition": lambda: evidence(daily),
        "a decision": lambda: atomically(lambda: entries_refresh(player_ids=[me])),
        "expire": lambda: attempts_expire(now=now),
        "compact": lambda: list(attempts_compact(now=now)),
        "judge what failed": lambda: judgings_requeue(now=now),
    }
    found = {name: scanned(call) for name, call in calls.items()}
    assert Attempt.objects.get(pk=resigned.pk).compacted
    assert {name: scan for name, scan in found.items() if scan} == {}


@pytest.mark.django_db
def test_a_query_without_an_index_is_noticed() -> None:
    def by_score() -> None:
        list(Attempt.objects.filter(score=500))

    def every_one() -> None:
        list(Attempt.objects.order_by("id"))

    assert scanned(by_score)[0].startswith("Seq Scan of games_attempt")
    assert scanned(every_one)[0].startswith("Index Scan of games_attempt games_attempt_pkey")


@pytest.mark.django_db
def test_entries_are_vacuumed_by_how_many_are_new_however_large_the_table_is() -> None:
    """A rank counts entries in the index alone only where vacuum has been: 12 ms instead of 150 on a crowded board."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT option_name, option_value::real FROM pg_class, pg_options_to_table(reloptions) WHERE oid = %s::regclass",
            ("leaderboards_entry",),
        )
        found = dict(cursor.fetchall())
    assert found["autovacuum_vacuum_insert_scale_factor"] == 0
    assert 1_000 <= found["autovacuum_vacuum_insert_threshold"] <= 50_000
