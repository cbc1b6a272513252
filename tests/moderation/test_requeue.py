"""A judgement whose task has failed for good is queued again by the maintenance, after a while and not for ever."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import connection, connections, transaction
from procrastinate.contrib.django.models import ProcrastinateJob

from games import clock
from games.models import Attempt
from leaderboards.moderation import requeueing
from leaderboards.moderation.judging import attempt_judge
from leaderboards.moderation.models import Judgement
from leaderboards.moderation.requeueing import judgings_requeue
from tests.moderation.playing import STUCK, WON, competition, jobs, judging, play, play_on, queued, refusing, somebody
from tests.moderation.test_queue import empty_queue
from tests.processes import database_url, run_manage

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["empty_queue"]

HOUR = dt.timedelta(hours=1)


def work() -> None:
    """A worker over the queue, once."""
    run_manage("worker", "--once", env={"DATABASE_URL": database_url(str(connection.settings_dict["NAME"]))})


def failed(*attempts: Attempt, ago: dt.timedelta = 2 * HOUR) -> None:
    """Their tasks have failed so long ago, as the queue itself writes it down."""
    ids = [attempt.pk for attempt in attempts]
    with connection.cursor() as cursor:
        for status in ("doing", "failed"):
            cursor.execute(
                "UPDATE procrastinate_jobs SET status = %s::procrastinate_job_status"
                " WHERE (args ->> 'attempt_id')::bigint = ANY(%s)",
                [status, ids],
            )
    age(ago)


def age(by: dt.timedelta) -> None:
    """Let time pass for everything that the queue has written down."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_events SET at = at - make_interval(secs => %s)", [by.total_seconds()])


@pytest.fixture
def no_judgement() -> Iterator[None]:
    """The database takes no judgement."""
    with refusing("leaderboards_judgement"):
        yield


def test_what_has_failed_is_queued_again_after_an_hour_and_judged_once_that_works(no_judgement: None) -> None:
    attempt = play(somebody())
    work()
    assert (len(jobs("failed")), queued()) == (1, [])
    call_command("maintenance", verbosity=0)
    assert queued() == []  # it has just failed
    age(HOUR + dt.timedelta(minutes=1))
    for _ in range(2):
        call_command("maintenance", verbosity=0)
        assert (jobs("failed"), queued()) == ([], [(attempt.pk, 50)])
    work()
    assert len(jobs("failed")) == 1  # still: and one row, however often
    call_command("maintenance", verbosity=0)
    assert queued() == []
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION test_refuse CASCADE")
    age(2 * HOUR)
    call_command("maintenance", verbosity=0)
    work()
    assert Judgement.objects.get().attempt_id == attempt.pk
    assert not ProcrastinateJob.objects.exists()


def test_only_what_was_not_judged_and_ended_within_thirty_days() -> None:
    now = clock.now()
    lost = play(somebody())
    resigned = play(somebody(), ["t20", "t23"], resign=True, competition=competition(now))
    old = play(somebody(), at=now - dt.timedelta(days=requeueing.DAYS, hours=1))
    known = play(somebody())
    attempt_judge(attempt_id=known.pk, ply=50, now=now, judge=judging("nothing"), version=1)
    failed(lost, resigned, old, known)
    assert judgings_requeue(now=now) == 2
    assert sorted(queued()) == sorted([(lost.pk, 50), (resigned.pk, 2)])
    assert {args["attempt_id"] for args in jobs("failed")} == {old.pk, known.pk}
    assert judgings_requeue(now=now) == 0


def test_what_was_played_on_is_judged_by_its_later_task_alone() -> None:
    alice = somebody()
    attempt = play(alice, STUCK)
    failed(attempt)
    play_on(alice, attempt, [*["u"] * len(STUCK), *WON])
    assert queued() == [(attempt.pk, 114)]
    assert judgings_requeue(now=clock.now()) == 0
    assert queued() == [(attempt.pk, 114)]


def test_so_many_in_one_run_those_that_failed_longest_ago_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requeueing, "MOST", 2)
    attempts = [play(somebody()) for _ in range(3)]
    for attempt in reversed(attempts):
        failed(attempt)  # each pushes the earlier ones further back
    now = clock.now()
    assert judgings_requeue(now=now) == 2
    assert {pk for pk, _ in queued()} == {attempts[1].pk, attempts[2].pk}
    assert judgings_requeue(now=now) == 1


def test_an_attempt_that_somebody_holds_is_left_to_the_next_run() -> None:
    attempt = play(somebody())
    failed(attempt)

    def run() -> int:
        try:
            return judgings_requeue(now=clock.now())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            Attempt.objects.select_for_update().get(pk=attempt.pk)
            assert other.submit(run).result(20) == 0
        assert other.submit(run).result(20) == 1
