"""What one judgement costs, and whether one worker keeps up with a busy daily.

The floor is the exact analysis of the very same attempts, which anybody may ask for when the daily is final. CPU time of
the judging thread counts, not wall time: it hardly depends on what else the machine does.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction

from games import clock
from games.bench.processes import cpu_seconds
from games.engine.rulesets import find_ruleset
from games.models import Attempt
from games.solver import exact
from leaderboards.moderation import verdict
from leaderboards.moderation.evidence import Evidence
from leaderboards.moderation.gather import evidence_of
from leaderboards.moderation.judging import attempt_judge
from leaderboards.moderation.lines import Fields
from leaderboards.moderation.models import Judgement
from leaderboards.moderation.tasks import judging_queue

from .judging_rows import Ground, clean, finish, prepare

SEED: Final = 20_261_130
MEDIAN_MS: Final = 50.0
RATE: Final = 20
"""Finishes a second that one worker has to keep up with."""


def run(*, finishes: int = 400, crowd: int = 2000, samples: int = 100) -> dict[str, Any]:
    """CPU of single judgements on a daily that `finishes`, then `crowd` others have finished; then a worker's lag."""
    ground = prepare(max(crowd + samples, 2 * finishes), SEED)
    try:
        figure: dict[str, Any] = {"name": "judging", "career": 30}
        done = 0
        for others in (finishes, crowd):
            _finish_all(ground, range(done, others))
            figure[f"after_{others}_finishes"] = _single(ground, range(others, others + samples))
            done = others + samples
        clean()
        figure["worker"] = _keeps_up(prepare(finishes, SEED + 1))
        return figure
    finally:
        clean()


def _finish_all(ground: Ground, numbers: Sequence[int]) -> None:
    now = clock.now()
    with transaction.atomic():
        for number in numbers:
            finish(ground, number, now + dt.timedelta(milliseconds=number))


# --- one judgement -------------------------------------------------------------------------------------------------


class _Phases:
    """CPU milliseconds of each phase of each judgement."""

    def __init__(self) -> None:
        self.gather: list[float] = []
        self.judge: list[float] = []
        self.whole: list[float] = []
        self.analysis: list[float] = []


def _single(ground: Ground, numbers: Sequence[int]) -> dict[str, Any]:
    """Gather and judge apart, then all of `attempt_judge`: what remains of it is writing and acting."""
    phases = _Phases()
    fields = Fields()
    found: dict[str, int] = {}
    for number in numbers:
        with transaction.atomic():
            pk = finish(ground, number, clock.now()).pk
        attempt = Attempt.objects.select_related("player", "deal").get(pk=pk)
        if number == numbers[0]:  # the field is read for the first time, the kernels and statements are warm then
            begun = time.thread_time()
            with evidence_of(attempt=attempt, ply=attempt.ply, fields=fields) as gathered:
                first_field_ms = (time.thread_time() - begun) * 1000
                assert gathered is not None
                verdict.judge(gathered.evidence)
        log, ruleset, cards = gathered_log(attempt), find_ruleset("E"), tuple(attempt.deal.cards)
        _timed(phases.analysis, lambda: exact.analyse(ruleset, cards, log, undo_allowed=False))  # noqa: B023

        judged: list[float] = []

        def judge(evidence: Evidence, *, confirm: Any) -> verdict.Judged:
            before = time.thread_time()
            try:
                return verdict.judge(evidence, confirm=confirm)
            finally:
                judged.append((time.thread_time() - before) * 1000)  # noqa: B023

        begun = time.thread_time()
        with evidence_of(attempt=attempt, ply=attempt.ply, fields=fields):
            phases.gather.append((time.thread_time() - begun) * 1000)
        begun = time.thread_time()
        row = attempt_judge(attempt_id=pk, ply=attempt.ply, now=clock.now(), judge=judge, fields=fields)
        phases.whole.append((time.thread_time() - begun) * 1000)
        phases.judge += judged
        assert row is not None
        found[row.verdict] = found.get(row.verdict, 0) + 1
    rest = [
        whole - gather - judge for whole, gather, judge in zip(phases.whole, phases.gather, phases.judge, strict=True)
    ]
    median = statistics.median(phases.whole)
    return {
        "samples": len(numbers),
        "cpu_ms": median,
        "cpu_p95_ms": _percentile(phases.whole, 95),
        "target_ms": MEDIAN_MS,
        "reached": median <= MEDIAN_MS,
        "gather_ms": statistics.median(phases.gather),
        "judge_ms": statistics.median(phases.judge),
        "judge_p95_ms": _percentile(phases.judge, 95),
        "read_lock_write_ms": statistics.median(rest),
        "floor_analysis_ms": statistics.median(phases.analysis),
        "ratio": median / statistics.median(phases.analysis),
        "first_field_ms": first_field_ms,
        **{f"verdict_{name}": count for name, count in sorted(found.items())},
    }


def gathered_log(attempt: Attempt) -> list[int]:
    return list(attempt.log.order_by("ply").values_list("move", flat=True))


def _timed(into: list[float], work: Callable[[], Any]) -> None:
    begun = time.thread_time()
    work()
    into.append((time.thread_time() - begun) * 1000)


def _percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


# --- one worker ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _worker() -> Iterator[int]:
    """The process id of a worker that is ready."""
    with tempfile.TemporaryDirectory(prefix="tripeaks-bench-") as folder:
        alive = Path(folder, "alive")
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "worker", "--alive", str(alive)]
        surroundings = {
            **os.environ,
            "DATABASE_URL": _database_url(),
            "REDIS_URL": settings.REDIS_URL,
            "TRIPEAKS_SECRET_KEY": settings.SECRET_KEY,
        }
        process = subprocess.Popen(command, env=surroundings, stdin=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while not alive.exists():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("the benchmark's worker did not start")
                time.sleep(0.05)
            yield process.pid
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _database_url() -> str:
    """Of the database that this process uses, which in a test is not the configured one."""
    base, _, query = settings.DATABASE_URL.partition("?")
    return f"{base.rpartition('/')[0]}/{connection.settings_dict['NAME']}" + (f"?{query}" if query else "")


def _keeps_up(ground: Ground) -> dict[str, Any]:
    """Finish RATE attempts a second at one daily and see when each has been judged, as committed."""
    finished: dict[int, float] = {}
    lags: dict[int, float] = {}
    most = 0
    with _worker() as pid:
        _warm(ground, finished, lags)
        finished.clear()
        lags.clear()
        cpu, begun = cpu_seconds(pid), time.perf_counter()
        for step, number in enumerate(range(1, len(ground.players))):
            due = begun + step / RATE
            while (now := time.perf_counter()) < due:
                _look(finished, lags)
                time.sleep(min(0.005, max(0.0, due - now)))
            _finish_one(ground, number, finished)
            most = max(most, len(finished) - len(lags))
        sent = time.perf_counter() - begun
        deadline = time.perf_counter() + 120
        while len(lags) < len(finished) and time.perf_counter() < deadline:
            _look(finished, lags)
            time.sleep(0.005)
        taken = time.perf_counter() - begun
        cpu = cpu_seconds(pid) - cpu
    waits = [lag * 1000 for lag in lags.values()]
    last = [lag * 1000 for lag in list(lags.values())[-len(lags) // 4 :]]
    return {
        "finishes": len(finished),
        "judged": len(lags),
        "finishes_per_s": len(finished) / sent,
        "lag_p50_ms": _percentile(waits, 50),
        "lag_p99_ms": _percentile(waits, 99),
        "lag_p50_last_quarter_ms": _percentile(last, 50),
        "most_waiting": most,
        "cpu_ms_a_task": cpu / len(lags) * 1000,
        "a_core_does_per_s": len(lags) / cpu,  # whatever else the machine does meanwhile
        "cores": cpu / taken,
        "keeps_up": len(lags) == len(finished) and taken - sent < 2.0,
    }


def _warm(ground: Ground, finished: dict[int, float], lags: dict[int, float]) -> None:
    """One task before the clock runs, so that connections are there."""
    _finish_one(ground, 0, finished)
    deadline = time.monotonic() + 60
    while not lags:
        if time.monotonic() > deadline:
            raise RuntimeError("the benchmark's worker judges nothing")
        _look(finished, lags)
        time.sleep(0.01)


def _finish_one(ground: Ground, number: int, finished: dict[int, float]) -> None:
    with transaction.atomic(durable=True):
        attempt = finish(ground, number, clock.now())
        judging_queue(attempt=attempt)
    finished[attempt.pk] = time.perf_counter()


def _look(finished: dict[int, float], lags: dict[int, float]) -> None:
    waiting = [pk for pk in finished if pk not in lags]
    if waiting:
        now = time.perf_counter()
        for pk in Judgement.objects.filter(attempt_id__in=waiting).values_list("attempt_id", flat=True):
            lags[pk] = now - finished[pk]
