"""Judgements whose task has failed for good are queued again, now and then: nobody else would think of them."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db import connection, transaction

from games.models import Attempt

from .tasks import QUEUE, judge_attempt, judging_queue

DAYS: Final = 30
"""Finishes of so long ago are left: as long as the worker keeps failed tasks."""
PAUSE: Final = dt.timedelta(hours=1)
"""Since the last failure: what always fails must not keep a worker busy."""
MOST: Final = 300
"""In one run; those that failed longest ago go first, so that no other waits behind what always fails."""

# A task is queued in the transaction of its finish and deleted only when it has succeeded, so whatever is not judged
# and does not wait has failed. These few are found by the queue's index, the rest by primary keys and `judgement_once`,
# however many attempts there are. What has been played on since has a task of its own.
_FAILED: Final = """
SELECT a.id, array_agg(j.id)
  FROM procrastinate_jobs j JOIN games_attempt a ON a.id = (j.args ->> 'attempt_id')::bigint
 WHERE j.queue_name = %(queue)s AND j.task_name = %(task)s AND j.status IN ('failed', 'cancelled', 'aborted')
   AND coalesce(a.result_ply, a.ply) = (j.args ->> 'ply')::int
   AND coalesce(a.result_at, a.finished_at) > %(since)s
   AND NOT EXISTS (SELECT FROM leaderboards_judgement d
                    WHERE d.attempt_id = a.id AND d.ply = coalesce(a.result_ply, a.ply))
   AND NOT EXISTS (SELECT FROM procrastinate_jobs w WHERE w.queueing_lock = j.queueing_lock AND w.status = 'todo')
 GROUP BY a.id
HAVING max((SELECT max(e.at) FROM procrastinate_events e WHERE e.job_id = j.id)) <= %(failed_by)s
 ORDER BY max((SELECT max(e.at) FROM procrastinate_events e WHERE e.job_id = j.id)), a.id
 LIMIT %(most)s
"""
_FORGET: Final = "DELETE FROM procrastinate_jobs WHERE id = ANY(%s) AND status NOT IN ('todo', 'doing')"


def judgings_requeue(*, now: dt.datetime) -> int:
    """Queue again the judgements of the last DAYS that have failed; how many.

    The new task takes the place of the failed one, which is deleted. One transaction each, under the attempt's lock;
    attempts that a move holds are left to the next run. Safe to repeat.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _FAILED,
            {
                "queue": QUEUE,
                "task": judge_attempt.name,
                "since": now - dt.timedelta(days=DAYS),
                "failed_by": now - PAUSE,
                "most": MOST,
            },
        )
        found: list[tuple[int, list[int]]] = cursor.fetchall()
    return sum(_requeue(attempt_pk, job_ids) for attempt_pk, job_ids in found)


def _requeue(attempt_pk: int, job_ids: list[int]) -> bool:
    with transaction.atomic(durable=True):
        attempt = Attempt.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=attempt_pk).first()
        if attempt is None:
            return False
        with connection.cursor() as cursor:
            cursor.execute(_FORGET, [job_ids])
            if not cursor.rowcount:  # another run was faster
                return False
        judging_queue(attempt=attempt)
        return True
