"""The queue's tasks, and how they get into it: in the transaction that they are about, so that both commit or neither."""

from __future__ import annotations

import traceback
from typing import Final

from django.db import InterfaceError, OperationalError, connection
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from games import clock
from games.models import Attempt

from .judging import attempt_judge

QUEUE: Final = "fair_play"
TRIES: Final = 6
"""Of one task: the first, and five more after 2, 4, 8, 16 and 32 seconds, where the database was the reason."""

# One statement on Django's own connection. Nobody else can queue the same task meanwhile: they would need the
# attempt's lock, which the transaction of every finish holds.
_QUEUE = """
SELECT procrastinate_defer_jobs_v1(ARRAY[ROW(
           %(queue)s, %(task)s, 0, NULL, %(lock)s, jsonb_build_object('attempt_id', %(attempt)s::bigint, 'ply', %(ply)s::int), NULL
       )::procrastinate_job_to_defer_v1])
 WHERE NOT EXISTS (SELECT FROM procrastinate_jobs WHERE queueing_lock = %(lock)s AND status = 'todo')
"""


class NotJudged(Exception):
    """A task has failed, in words that may be logged: no statement, no row, no card."""


class NotJudgedYet(NotJudged):
    """The database was away or busy; the task is tried again."""


def judging_queue(*, attempt: Attempt) -> None:
    """Queue the judgement of an attempt that has just ended; nothing where there is nothing to judge.

    Judged is what the boards may show, the recorded result; of a competition's attempt without one (resigned, expired)
    what was played: others may have learned from it. Assumes the attempt row's lock and an open transaction. A worker
    hears of the task at the commit.
    """
    competition = attempt.competition_key is not None
    if not (competition or attempt.ranked) or (attempt.result_ply is None and not competition):
        return
    ply = attempt.ply if attempt.result_ply is None else attempt.result_ply
    lock = f"{judge_attempt.name}:{attempt.pk}:{ply}"
    with connection.cursor() as cursor:
        cursor.execute(
            _QUEUE, {"queue": QUEUE, "task": judge_attempt.name, "lock": lock, "attempt": attempt.pk, "ply": ply}
        )


@app.task(
    name="judge_attempt",
    queue=QUEUE,
    retry=RetryStrategy(max_attempts=TRIES - 1, exponential_wait=2, retry_exceptions=[NotJudgedYet]),
)
def judge_attempt(attempt_id: int, ply: int) -> None:
    """Judge one attempt; a repeat changes nothing.

    What goes wrong is told without the error's own words, which may hold a whole row (R10.1).
    """
    try:
        attempt_judge(attempt_id=attempt_id, ply=ply, now=clock.now())
    except (OperationalError, InterfaceError) as problem:
        connection.close()
        raise NotJudgedYet(_told(attempt_id, problem)) from None
    except Exception as problem:
        raise NotJudged(_told(attempt_id, problem)) from None


def _told(attempt_id: int, problem: Exception) -> str:
    """What happened where, in our own code if it was there that it began."""
    frames = traceback.extract_tb(problem.__traceback__)
    where = [frame for frame in frames if "site-packages" not in frame.filename][-1]
    return f"attempt {attempt_id}: {type(problem).__name__} in {where.name}, line {where.lineno} of {where.filename}"
