"""The queue's process: it judges at once, outlives kills and restarts, and ends in order."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from django.db import connection, connections, transaction
from procrastinate.contrib.django.models import ProcrastinateJob

from games import clock
from games.models import Attempt, Player
from leaderboards.moderation.models import Case, Exclusion, Judgement, ModeratorAction, Notice
from leaderboards.moderation.tasks import TRIES
from tests.moderation.playing import best_line, competition, jobs, play, queued, somebody
from tests.moderation.test_queue import empty_queue
from tests.moderation.working import until, worker
from tests.processes import database_url, run_manage
from tests.servers import temporary_directory
from tripeaks_site.embedded.servers import Servers

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["empty_queue"]
WAIT = 60.0
"""Seconds: no measure, only an end to waiting."""


def rows(attempt: Attempt) -> int:
    return Judgement.objects.filter(attempt=attempt).count()


class Held:
    """The attempt's row, locked by a transaction of ours until `release`."""

    def __init__(self, attempt: Attempt) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._locked, self._done = threading.Event(), threading.Event()
        self._holding = self._pool.submit(self._hold, attempt.pk)
        assert self._locked.wait(WAIT)

    def _hold(self, pk: int) -> None:
        try:
            with transaction.atomic():
                Attempt.objects.select_for_update().get(pk=pk)
                self._locked.set()
                self._done.wait(2 * WAIT)
        finally:
            connections.close_all()

    def release(self) -> None:
        self._done.set()
        self._holding.result()
        self._pool.shutdown()


def waiting_for_a_lock() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return int(cursor.fetchone()[0])


def test_a_finish_is_judged_within_a_second_and_its_task_is_gone() -> None:
    with worker() as running:

        def seconds() -> float:
            attempt = play(somebody())
            begun = time.monotonic()
            until(lambda: rows(attempt) == 1, WAIT, running.logs)
            return time.monotonic() - begun

        assert any(seconds() < 1 for _ in range(20)), "a machine that does much else is slow now and then, not always"
        until(lambda: not ProcrastinateJob.objects.exists(), WAIT, running.logs)
        assert running.end() == 0
        assert running.logs() == ""


def test_what_was_finished_while_no_worker_ran_is_judged_later() -> None:
    attempts = [play(somebody()) for _ in range(3)]
    assert len(queued()) == 3
    run_manage("worker", "--once", env={"DATABASE_URL": database_url(str(connection.settings_dict["NAME"]))})
    assert all(rows(attempt) == 1 for attempt in attempts)
    assert queued() == []


def test_told_to_end_it_finishes_the_task_at_hand() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        with worker() as running:
            attempt = play(somebody())
            until(lambda attempt=attempt: rows(attempt) == 1, WAIT)  # type: ignore[misc]
            attempt = play(somebody(), ["t20", "t23"])
            held = Held(attempt)
            later = play(somebody())
            until(lambda later=later: rows(later) == 1, WAIT)  # type: ignore[misc]
            held.release()
            assert running.end(number) == 0
            assert not ProcrastinateJob.objects.exists()


def test_killed_in_mid_judgement_another_worker_judges_it_once_and_its_hold_comes_once() -> None:
    line = best_line()
    first_to_play = play(somebody(), line)
    copied = play(somebody(), line, pace_ms=60)  # at machine speed: held for certain
    held = Held(copied)
    with worker() as first:
        until(lambda: waiting_for_a_lock() == 1, WAIT, first.logs)
        until(lambda: len(jobs("doing")) == 1, WAIT, first.logs)
        first.kill()
    until(lambda: waiting_for_a_lock() == 0, WAIT)
    held.release()
    assert (rows(first_to_play), rows(copied)) == (1, 0)
    assert not ModeratorAction.objects.exists()
    with worker() as second:
        until(lambda: rows(copied) == 1, WAIT, second.logs)
        until(lambda: not ProcrastinateJob.objects.exists(), WAIT, second.logs)
        assert second.end() == 0
    assert Judgement.objects.get(attempt=copied).verdict == "hold"
    assert Exclusion.objects.get().attempt_id == copied.pk
    assert (ModeratorAction.objects.count(), Notice.objects.count()) == (1, 1)
    assert Case.objects.filter(attempt=copied).count() == 1


def test_two_workers_share_the_queue_and_judge_each_attempt_once() -> None:
    attempts = [play(somebody()) for _ in range(12)]
    with worker() as one, worker() as other:
        until(lambda: Judgement.objects.count() == 12, WAIT, one.logs)
        until(lambda: not ProcrastinateJob.objects.exists(), WAIT, other.logs)
        assert [one.end(), other.end()] == [0, 0]
        assert one.logs() == other.logs() == ""
    assert all(rows(attempt) == 1 for attempt in attempts)


def test_a_task_that_fails_does_not_stop_the_others_and_is_told_without_rows() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT procrastinate_defer_jobs_v1(ARRAY[ROW('fair_play', 'judge_attempt', 0, NULL, 'poison',
                      jsonb_build_object('attempt_id', 'poison', 'ply', 1), NULL)::procrastinate_job_to_defer_v1])"""
        )
    with worker() as running:
        attempt = play(somebody())
        until(lambda: rows(attempt) == 1, WAIT, running.logs)
        until(lambda: [job["attempt_id"] for job in jobs("failed")] == ["poison"], WAIT, running.logs)
        assert running.end() == 0
        assert "attempt poison: ValueError" in running.logs()
        assert "Traceback" not in running.logs()


def test_a_task_that_ends_its_worker_each_time_is_given_up() -> None:
    attempt = play(somebody())
    with connection.cursor() as cursor:  # as left by a worker that is gone, for the last time
        cursor.execute("UPDATE procrastinate_jobs SET status = 'doing', attempts = %s", [TRIES - 1])
    with worker() as running:
        until(lambda: len(jobs("failed")) == 1, WAIT, running.logs)
        running.end()
        assert "given up" in running.logs()
    assert rows(attempt) == 0


def test_a_task_whose_end_the_database_has_forgotten_is_done_once_more() -> None:
    """As after a crash of PostgreSQL: the worker lives, the task is its own, and it is not at it."""
    with worker() as running:
        first = play(somebody())
        until(lambda: rows(first) == 1 and not ProcrastinateJob.objects.exists(), WAIT, running.logs)
        second = play(somebody(), ["t20"], resign=True, competition=competition(clock.now()))
        until(lambda: rows(second) == 1 and not ProcrastinateJob.objects.exists(), WAIT, running.logs)
        with connection.cursor() as cursor:
            cursor.execute(
                """INSERT INTO procrastinate_jobs (queue_name, task_name, args, status, worker_id)
                   SELECT 'fair_play', 'judge_attempt', jsonb_build_object('attempt_id', %s::bigint, 'ply', 1), 'doing', id
                     FROM procrastinate_workers""",
                [second.pk],
            )
        until(lambda: not ProcrastinateJob.objects.exists(), WAIT, running.logs)
        assert running.end() == 0
    assert rows(second) == 1


def test_a_deleted_player_s_task_leaves_no_row_and_no_error() -> None:
    attempt = play(somebody())
    Player.objects.filter(pk=attempt.player_id).update(deleted_at=attempt.started_at, name=None, name_key=None)
    with worker() as running:
        until(lambda: not ProcrastinateJob.objects.exists(), WAIT, running.logs)
        assert running.end() == 0
        assert running.logs() == ""
    assert rows(attempt) == 0


@pytest.fixture
def own() -> Servers:
    """A PostgreSQL of the test's own, watched as under `up`, to be killed."""
    return Servers(temporary_directory(), redis=False)


def test_it_outlives_a_crash_of_postgresql_and_keeps_few_connections(own: Servers, tmp_path: Path) -> None:
    own.start()
    try:
        url = own.urls.database_url
        run_manage("migrate", "--verbosity", "0", env={"DATABASE_URL": url})

        def ask(statement: str) -> int:
            with psycopg.connect(url, autocommit=True) as link:
                row = link.execute(statement).fetchone()
                assert row is not None
                return int(row[0])

        def answers() -> bool:
            try:
                return ask("SELECT 1") == 1
            except psycopg.OperationalError:
                return False

        task = """SELECT cardinality(procrastinate_defer_jobs_v1(ARRAY[ROW('fair_play', 'judge_attempt', 0, NULL, gen_random_uuid()::text,
                         jsonb_build_object('attempt_id', 1, 'ply', 1), NULL)::procrastinate_job_to_defer_v1]))"""
        waiting = "SELECT count(*) FROM procrastinate_jobs"
        open_now = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        with worker(url) as running:
            for _ in range(2):
                os.kill(own.pids()["postgres"], signal.SIGKILL)
                until(answers, WAIT, running.logs)
                assert ask(task) == 1
                until(lambda: ask(waiting) == 0, WAIT, running.logs)
                assert ask(open_now) <= 2 + 1 + 2 + 1
            assert running.process.poll() is None
            assert running.end() == 0
            assert "Traceback" not in running.logs()
    finally:
        own.stop()
