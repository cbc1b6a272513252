"""What a process counts about boards and judging; see games.metrics."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

from prometheus_client import Counter, Histogram

COPY_READS = Counter(
    "tripeaks_board_copy_reads",
    "Windows of large boards asked of their Redis copies: hit, or why PostgreSQL had to answer",
    ["outcome"],
)
COPY_REBUILDS = Counter(
    "tripeaks_board_copy_rebuilds",
    "Copies of large boards made anew: done, left to another process, or failed",
    ["outcome"],
)
COPY_REBUILD_SECONDS = Histogram(
    "tripeaks_board_copy_rebuild_seconds",
    "Making the copy of a large board anew",
    buckets=(0.05, 0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120),
)
TASKS = Counter("tripeaks_tasks", "Tasks of the queue ended in this process: done or failed", ["outcome"])
TASK_SECONDS = Histogram(
    "tripeaks_task_seconds",
    "One task of the queue",
    buckets=(0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15, 60),
)


def rebuild_counted(rebuild: Callable[[int], bool]) -> Callable[[int], bool]:
    """Around a rebuild of a copy: how long it took and what came of it."""

    @functools.wraps(rebuild)
    def counted(board_id: int) -> bool:
        begun = time.perf_counter()
        outcome = "failed"
        try:
            done = rebuild(board_id)
            outcome = "done" if done else "left"
            return done
        finally:
            COPY_REBUILDS.labels(outcome).inc()
            if outcome == "done":
                COPY_REBUILD_SECONDS.observe(time.perf_counter() - begun)

    return counted
