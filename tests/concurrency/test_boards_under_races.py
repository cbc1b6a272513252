"""Preparing, finishing and deleting at once, by threads with connections of their own and by real processes (C11, C15)."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from django.db import connection, transaction

from games.client import Client
from games.models import Attempt, Player
from games.services.players import player_delete
from leaderboards.models import Board, Entry, ScoreBucket
from leaderboards.services import account_delete, dailies_prepare
from leaderboards.services.entries import entries_refresh
from tests.leaderboards.cast import NOON, RUNS, TEN, finish, person, places, reading_from
from tests.processes import ROOT, fresh_database, live_server

TIMES = 8


def in_threads(*jobs: Callable[[], object]) -> list[object]:
    """Run all at once, each with its own database connection; their results."""

    def run(job: Callable[[], object]) -> object:
        try:
            return job()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return [future.result(30) for future in [pool.submit(run, job) for job in jobs]]


# --- preparing -----------------------------------------------------------------------------------------------------


def test_four_processes_that_prepare_at_once_make_each_daily_once() -> None:
    with fresh_database() as url:
        env = {**os.environ, "DATABASE_URL": url}
        command = [sys.executable, str(ROOT / "manage.py"), "prepare_daily"]
        running = [
            subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(4)
        ]
        said = [process.communicate(timeout=120) for process in running]
        assert [process.returncode for process in running] == [0] * 4, said
        made = [int(out.splitlines()[-1].split()[0]) for out, _err in said]
        assert sorted(made) == [0, 0, 0, 8]
        with psycopg.connect(url) as database:
            found = database.execute(
                "SELECT count(*), count(DISTINCT code), max(number) FROM leaderboards_dailychallenge"
            )
            assert found.fetchone() == (8, 8, 8)


@pytest.mark.django_db(transaction=True)
def test_threads_that_prepare_at_once_make_each_daily_once() -> None:
    made = in_threads(*[lambda: len(dailies_prepare(now=NOON))] * 4)
    assert sorted(made) == [0, 0, 0, 8]  # type: ignore[type-var]


def test_control_looking_first_without_the_lock_is_not_enough() -> None:
    with fresh_database() as url, psycopg.connect(url) as one, psycopg.connect(url) as two:
        for each in (one, two):
            assert each.execute("SELECT count(*) FROM leaderboards_calendar").fetchone() == (0,)
        insert = "INSERT INTO leaderboards_calendar (id, day_one, zone) VALUES (1, '2026-11-29', 'UTC')"
        one.execute(insert)
        one.commit()
        with pytest.raises(psycopg.errors.UniqueViolation):
            two.execute(insert)


# --- finishing -----------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_results_that_come_at_once_raise_the_version_one_by_one_and_lose_no_count() -> None:
    players = [person(f"player {number}") for number in range(TIMES)]
    finish(players[0], 100)  # the cards are there; two who deal them first at once are the attempts' own test

    def several(player: Player) -> Callable[[], None]:
        def play() -> None:
            for score in (200, 210, 210, 190, 220):
                finish(player, score, at=TEN + dt.timedelta(seconds=score))

        return play

    in_threads(*map(several, players))
    board = Board.objects.get(scope=RUNS, view="best")
    assert (board.version, board.entries) == (1 + TIMES * 3, TIMES)
    assert sorted(Entry.objects.filter(board=board).values_list("version", flat=True))[-1] == board.version
    assert list(ScoreBucket.objects.filter(board=board).values_list("count", flat=True)) == [TIMES]
    for way in ("database", "cache"):
        with reading_from(way):
            assert [rank for rank, _name in places()] == [1] * TIMES


def test_control_reading_the_version_and_writing_it_back_loses_one() -> None:
    with fresh_database() as url, psycopg.connect(url) as one, psycopg.connect(url) as two:
        one.execute(
            "INSERT INTO leaderboards_board (scope, kind, view, ranking, timed, version, entries, started, finished)"
            " VALUES ('x', 'people', 'best', 'score', false, 0, 0, 0, 0)"
        )
        one.commit()
        read = [each.execute("SELECT version FROM leaderboards_board").fetchone() for each in (one, two)]
        for each, row in zip((one, two), read, strict=True):
            assert row is not None
            each.execute("UPDATE leaderboards_board SET version = %s", (row[0] + 1,))
            each.commit()
        assert one.execute("SELECT version FROM leaderboards_board").fetchone() == (1,)


# --- deleting ------------------------------------------------------------------------------------------------------


def open_attempt(player: Player) -> Attempt:
    """An attempt that still runs, of a player who has no entry yet."""
    attempt = finish(player, 100, ranked=False)
    Attempt.objects.filter(pk=attempt.pk).update(closed_at=None, outcome="stuck", ranked=True)
    attempt.refresh_from_db()
    return attempt


def finish_slowly(attempt: Attempt, entered: threading.Event, go_on: threading.Event) -> None:
    """A finish whose transaction stays open after its entry is written."""
    with transaction.atomic():
        locked = Attempt.objects.select_for_update().get(pk=attempt.pk)
        finish(locked.player, 300, attempt=locked)
        entered.set()
        assert go_on.wait(10)


@pytest.mark.django_db(transaction=True)
def test_C15_a_finish_that_commits_during_the_deletion_leaves_no_entry() -> None:
    alice = person("alice")
    attempt = open_attempt(alice)
    entered, go_on = threading.Event(), threading.Event()

    def delete() -> int:
        assert entered.wait(10)
        threading.Timer(0.5, go_on.set).start()
        return account_delete(player_id=alice.pk, now=NOON)

    removed = in_threads(lambda: finish_slowly(attempt, entered, go_on), delete)[1]
    assert removed == 2, "best and first, both written by the transaction that the deletion waited for"
    assert Entry.objects.filter(active=True).count() == 0
    assert places() == []


@pytest.mark.django_db(transaction=True)
def test_C15_control_switching_entries_off_without_waiting_misses_the_open_finish() -> None:
    alice = person("alice")
    attempt = open_attempt(alice)
    entered, go_on = threading.Event(), threading.Event()

    def careless() -> None:
        assert entered.wait(10)
        Entry.objects.filter(player=alice).update(active=False)
        go_on.set()

    in_threads(lambda: finish_slowly(attempt, entered, go_on), careless)
    assert Entry.objects.filter(active=True).count() == 2


@pytest.mark.django_db(transaction=True)
def test_C15_a_finish_that_comes_while_the_deletion_commits_enters_nowhere() -> None:
    alice = person("alice")
    attempt = open_attempt(alice)
    deleting, finished = threading.Event(), threading.Event()

    def delete() -> None:
        with transaction.atomic():  # as account_delete does it, with a pause
            list(Attempt.objects.select_for_update().filter(player=alice, closed_at=None))
            gone = player_delete(player_id=alice.pk, now=NOON)
            deleting.set()
            assert not finished.wait(0.5), "the finish did not wait for the deletion"
            entries_refresh(player_ids=gone)

    def play() -> None:
        assert deleting.wait(10)
        with transaction.atomic():
            locked = Attempt.objects.select_for_update().select_related("player").get(pk=attempt.pk)
            finish(locked.player, 300, attempt=locked)
            finished.set()

    in_threads(delete, play)
    assert finished.is_set()
    assert Entry.objects.filter(active=True).count() == 0


# --- two workers over midnight -------------------------------------------------------------------------------------


def play_to_the_end(client: Client, attempt_id: str) -> dict[str, object]:
    state = client.resume(attempt_id)
    while state["legal"]:
        state = client.move(attempt_id, state["legal"][0], state["ply"])["attempt"]
    return dict(state)


def test_C11_two_workers_file_a_game_over_midnight_under_the_day_it_began(tmp_path: Path) -> None:
    offset = tmp_path / "offset"
    offset.write_text("0")
    env = {"TRIPEAKS_CLOCK_OFFSET_FILE": str(offset)}

    def step_to(instant: dt.datetime) -> None:
        offset.write_text(str(instant.timestamp() - time.time()))

    with live_server(env=env) as one, one.another() as two:
        clients = [Client(one.url), Client(two.url)]
        first = clients[0].daily()
        midnight = dt.datetime.fromisoformat(first["closes_at"])
        step_to(midnight - dt.timedelta(seconds=60))
        attempts = []
        for number, client in enumerate(clients):
            client.guest()
            client.claim(f"player {number}", "correct horse battery")
            attempts.append(client.start_daily())
        step_to(midnight + dt.timedelta(seconds=45))
        for client, attempt in zip(clients, attempts, strict=True):
            ended = play_to_the_end(client, attempt["id"])
            assert ended["outcome"] in ("won", "stuck")
            assert ended["competition"] == first["board"]
        boards = [client.board(first["board"]) for client in clients]
        assert boards[0] == boards[1]
        assert {row["player"]["name"] for row in boards[0]["rows"]} == {"player 0", "player 1"}
        assert all(row["elapsed_ms"] > 60_000 for row in boards[0]["rows"])
        following = [client.daily() for client in clients]
        assert [daily["number"] for daily in following] == [first["number"] + 1] * 2
        for client in clients:
            assert client.board(following[0]["board"])["rows"] == []
            state = client.start_daily()
            assert (state["competition"], state["ply"]) == (following[0]["board"], 0)
