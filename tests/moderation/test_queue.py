"""Each finish queues its judgement, in its own transaction and once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob

from games import clock
from games.models import Attempt
from games.signals import attempt_finished
from leaderboards.moderation.tasks import judge_attempt, judging_queue
from tests.factories import credential, guest
from tests.moderation.playing import competition, play, queued, somebody

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def empty_queue(transactional_db: None) -> None:
    """The queue's tables are no models of ours: tests with real transactions leave their rows."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE procrastinate_jobs CASCADE")


def test_a_won_attempt_is_queued_once_with_the_ply_of_its_result() -> None:
    attempt = play(somebody())
    assert attempt.result_ply == 50
    assert queued() == [(attempt.pk, 50)]


def test_an_attempt_that_goes_on_is_not_queued() -> None:
    play(somebody(), ["t20", "t23"])
    assert queued() == []


def test_an_attempt_given_up_is_queued_where_it_was_of_a_competition_only() -> None:
    alice = somebody()
    play(alice, ["t20", "t23"], resign=True)
    assert queued() == []
    given_up = play(alice, ["t20", "t23"], resign=True, competition=competition(clock.now()))
    assert given_up.outcome == "resigned"
    assert queued() == [(given_up.pk, 2)]


def test_practice_is_not_queued_and_a_guest_s_ranked_attempt_is() -> None:
    play(somebody(), practice=True)
    assert queued() == []
    attempt = play(credential(guest()))
    assert queued() == [(attempt.pk, 50)]


def test_a_repeat_of_the_signal_queues_nothing_more() -> None:
    attempt = play(somebody())
    for _ in range(3):
        with transaction.atomic():
            attempt_finished.send(sender=Attempt, attempt=attempt, now=clock.now())
    assert queued() == [(attempt.pk, 50)]


def test_the_task_vanishes_with_its_transaction() -> None:
    attempt = play(somebody())
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    with transaction.atomic():
        judging_queue(attempt=attempt)
        assert queued() == [(attempt.pk, 50)]
        transaction.set_rollback(True)
    assert queued() == []
    with transaction.atomic(durable=True):
        judging_queue(attempt=attempt)
    assert queued() == [(attempt.pk, 50)]


def test_nobody_sees_the_task_before_the_result_is_there() -> None:
    """In a thread with a connection of its own, as HTTP threads have."""
    attempt = play(somebody())

    def seen_from_elsewhere() -> int:
        try:
            return len(queued())
        finally:
            connections.close_all()

    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            judging_queue(attempt=attempt)
            assert other.submit(seen_from_elsewhere).result() == 0
        assert other.submit(seen_from_elsewhere).result() == 1


def test_the_queue_reads_what_is_queued_as_its_own() -> None:
    attempt = play(somebody())
    job = ProcrastinateJob.objects.get()
    assert app.tasks[job.task_name] is judge_attempt
    assert (job.args, job.queue_name) == ({"attempt_id": attempt.pk, "ply": 50}, judge_attempt.queue)
    assert (job.status, job.lock, job.attempts, job.scheduled_at) == ("todo", None, 0, None)
