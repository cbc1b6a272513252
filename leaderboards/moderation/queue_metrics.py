"""How much waits in the queue: asked of the database whenever a worker's metrics are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.db import DatabaseError, InterfaceError, connection
from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from .tasks import QUEUE

_COUNT: Final = "SELECT status::text, count(*) FROM procrastinate_jobs WHERE queue_name = %s GROUP BY status"
_OLDEST: Final = """
SELECT coalesce(extract(epoch FROM now() - min(e.at)), 0)
  FROM procrastinate_jobs j JOIN procrastinate_events e ON e.job_id = j.id AND e.type = 'deferred'
 WHERE j.queue_name = %s AND j.status = 'todo'"""
_STATUSES: Final = ("todo", "doing", "failed")


class Queue(Collector):
    """The same from every worker, so a dashboard takes the maximum. Nothing is said while the database is away."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """The names, without asking the database."""
        return self._families()

    def _families(self) -> list[GaugeMetricFamily]:
        return [
            GaugeMetricFamily("tripeaks_queue_tasks", "Tasks in the queue", labels=["status"]),
            GaugeMetricFamily("tripeaks_queue_oldest_seconds", "How long the oldest task has been waiting", labels=[]),
        ]

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Called in a thread of the metrics' server."""
        tasks, oldest = self._families()
        try:
            with connection.cursor() as cursor:
                cursor.execute(_COUNT, [QUEUE])
                counts = dict(cursor.fetchall())
                cursor.execute(_OLDEST, [QUEUE])
                waited = float(cursor.fetchone()[0])
        except (DatabaseError, InterfaceError):
            return []
        finally:
            connection.close()  # this thread's own, and it ends with this answer
        for status in _STATUSES:
            tasks.add_metric([status], counts.get(status, 0))
        oldest.add_metric([], waited)
        return [tasks, oldest]


def queue_watch() -> None:
    """Add the queue to what this process exports."""
    REGISTRY.register(Queue())
