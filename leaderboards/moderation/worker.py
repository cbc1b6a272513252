"""The queue's process (`manage.py worker`): takes tasks as they come, outlives PostgreSQL's restarts, ends in order.

Connections: one for each thread that works and one thread more, two of the queue's own, one that listens.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import psycopg
import psycopg_pool
from procrastinate import App, PsycopgConnector
from procrastinate.contrib.django import app, connector_params
from procrastinate.exceptions import ConnectorException, ProcrastinateException
from procrastinate.job_context import JobContext
from procrastinate.jobs import DeleteJobCondition, Job, Status
from procrastinate.middleware import AsyncCallNext
from procrastinate.worker import Worker

from leaderboards.metrics import TASK_SECONDS, TASKS

from .tasks import QUEUE, TRIES, NotJudged

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS: Final = 2.5
STALLED_SECONDS: Final = 10.0
"""Without a heartbeat for so long a worker is taken for dead, and its tasks are queued again (within 15 s at most)."""
POLL_SECONDS: Final = 2.0
"""New tasks are heard of at once; those that wait for their time (a retry) are looked for so often."""
END_SECONDS: Final = 10.0
"""How long the tasks at hand may take to end when the worker is told to."""
FAILED_DAYS: Final = 30
"""How long failed tasks stay, for somebody to look at. Those that succeed are deleted at once."""
_RETRY_SECONDS: Final = (0.5, 1.0, 2.0, 5.0)
_AWAY: Final = (ProcrastinateException, psycopg.Error, psycopg_pool.PoolTimeout, OSError)


class InOurWords(logging.Filter):
    """Tells a failed task in one line, without the frames of the machinery; leaves out what `work` tells itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, NotJudged):
            record.msg, record.args, record.exc_info = f"{record.getMessage()}: {error}", None, None
        return not isinstance(error, _AWAY)


async def work(*, threads: int, once: bool = False, alive: Path | None = None) -> None:
    """Work until SIGTERM or SIGINT, the tasks at hand included; with `once` until the queue is empty.

    `alive`: a file that is touched every few seconds while the queue can be reached.
    """
    _log_in_our_words()
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    # Tasks run in these threads, and each thread keeps one connection for good. One more, so that a name can be
    # looked up while all are busy.
    loop.set_default_executor(ThreadPoolExecutor(threads + 1, thread_name_prefix="task"))
    failures = 0
    while not stop.is_set():
        begun = time.monotonic()
        try:
            await _session(threads, once, alive, stop)
        except _AWAY as problem:
            if once:
                raise
            if not stop.is_set():
                logger.warning("The queue is out of reach (%s); the next try follows.", type(problem).__name__)
        if once:
            return
        failures = 0 if time.monotonic() - begun > 30 else failures + 1
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _RETRY_SECONDS[min(failures, len(_RETRY_SECONDS)) - 1])


def _log_in_our_words() -> None:
    logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
    for name in ("procrastinate.worker", "procrastinate.worker.worker"):
        logging.getLogger(name).setLevel(logging.ERROR)
        logging.getLogger(name).addFilter(InOurWords())
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)


async def _quick(connection: psycopg.AsyncConnection[Any]) -> None:
    """Each of the queue's questions is one statement, so without BEGIN and COMMIT around it, and not waiting for the disk.

    A crash of PostgreSQL may forget that a task was taken or done. Then it is done once more, which changes nothing.
    """
    await connection.set_autocommit(True)
    await connection.execute("SET synchronous_commit TO off")


async def _session(threads: int, once: bool, alive: Path | None, stop: asyncio.Event) -> None:
    """One life of a worker over one pool; returns when it has ended, by itself or by `stop`."""
    pool: dict[str, Any] = {
        "kwargs": connector_params(),
        "configure": _quick,
        "min_size": 1,
        "max_size": 2,
        "timeout": 5.0,
        "name": "queue",
    }
    with app.replace_connector(PsycopgConnector(**pool)) as queue:
        async with queue.open_async():
            own = _Own()
            working = asyncio.create_task(
                queue.run_worker_async(
                    queues=[QUEUE],
                    concurrency=threads,
                    wait=not once,
                    fetch_job_polling_interval=POLL_SECONDS,
                    shutdown_graceful_timeout=END_SECONDS,
                    delete_jobs=DeleteJobCondition.SUCCESSFUL.value,
                    install_signal_handlers=False,
                    update_heartbeat_interval=HEARTBEAT_SECONDS,
                    stalled_worker_timeout=STALLED_SECONDS,
                    worker_middleware=[own.note],
                )
            )
            beside = [asyncio.create_task(_keep(queue, own, alive)), asyncio.create_task(stop.wait())]
            try:
                done, _ = await asyncio.wait([working, *beside], return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (working, *beside):
                    task.cancel()  # the worker finishes its tasks first
                ends = await asyncio.gather(working, *beside, return_exceptions=True)
            for end in ends:
                if isinstance(end, Exception):  # not a CancelledError: that is what was asked for
                    raise end
            if working in done and not once:  # one of its own tasks beside has failed, and it has ended in order
                raise ConnectorException


class _Own:
    """What this worker is at, and what the queue wrongly takes it to be at."""

    def __init__(self) -> None:
        self.worker_id: int | None = None
        self.running: set[int] = set()
        self._lost: set[int] = set()

    async def note(self, call_next: AsyncCallNext, context: JobContext, worker: Worker) -> Any:
        """Around each task."""
        assert context.job.id is not None
        self.worker_id = worker.worker_id
        self.running.add(context.job.id)
        begun = time.perf_counter()
        outcome = "failed"
        try:
            result = await call_next()
            outcome = "done"
            return result
        finally:
            TASKS.labels(outcome).inc()
            TASK_SECONDS.observe(time.perf_counter() - begun)
            self.running.discard(context.job.id)

    def lost(self, doing: Iterable[Job]) -> list[Job]:
        """Tasks that have ended here seconds ago and whose end the database does not know: it was away at that moment."""
        mine = [job for job in doing if job.worker_id == self.worker_id and job.id not in self.running]
        before, self._lost = self._lost, {job.id for job in mine if job.id is not None}
        return [job for job in mine if job.id in before]


async def _keep(queue: App, own: _Own, alive: Path | None) -> None:
    """Every few seconds: queue what a dead worker has left, say that this one lives; now and then: tidy up."""
    manager = queue.job_manager
    tidied = 0.0
    while True:
        for job in own.lost(await manager.list_jobs_async(queue=QUEUE, status=Status.DOING.value)):
            with contextlib.suppress(ProcrastinateException):
                await manager.retry_job(job)
        for job in await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=STALLED_SECONDS):
            with contextlib.suppress(ProcrastinateException):  # another worker was faster
                if job.attempts + 1 < TRIES:
                    await manager.retry_job(job)
                    logger.warning("Task %s was left by a worker that is gone; it is queued again.", job.id)
                else:
                    await manager.finish_job(job, Status.FAILED, delete_job=False)
                    logger.error("Task %s has ended %s workers; it is given up.", job.id, TRIES)
        if time.monotonic() - tidied > 3600 or not tidied:
            tidied = time.monotonic()
            await manager.delete_old_jobs(
                nb_hours=24 * FAILED_DAYS, include_failed=True, include_cancelled=True, include_aborted=True
            )
        _say_alive(alive)
        await asyncio.sleep(HEARTBEAT_SECONDS)


def _say_alive(alive: Path | None) -> None:
    if alive is not None:
        alive.touch()
