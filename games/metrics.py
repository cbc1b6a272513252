"""What a process counts about itself, in the Prometheus client's registry. Whether and where it is served: tripeaks_site.

Every label has a small, fixed set of values of our own making: nothing that a client sends becomes one.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, ParamSpec, TypeVar

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, start_http_server
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from games.errors import GameError

P = ParamSpec("P")
R = TypeVar("R")

_REQUESTS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0)
_SHORT: Final = (0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.02)
_LAGS: Final = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0)

REQUESTS = Counter("tripeaks_requests", "HTTP requests answered", ["route", "method", "status"])
REQUEST_SECONDS = Histogram(
    "tripeaks_request_seconds",
    "From a thread's start on a request to its answer",
    ["route", "method"],
    buckets=_REQUESTS,
)
MOVES = Counter(
    "tripeaks_moves", "Moves asked for: accepted (repeats too), or refused with this code", ["over", "code"]
)
REPLAY_SECONDS = Histogram("tripeaks_replay_seconds", "Replaying the log of an attempt for a move", buckets=_SHORT)
EVENT_LAG_SECONDS = Histogram(
    "tripeaks_event_lag_seconds",
    "From the commit of the oldest change to its event being written to all sockets of this process",
    ["kind"],
    buckets=_LAGS,
)
OPEN_SOCKETS = Gauge("tripeaks_open_sockets", "WebSockets open in this process", ["kind"])
HINTS_DELAYED = Gauge("tripeaks_hints_delayed", "1 while no hints arrive through Redis in this process")
REDIS_FAILURES = Counter("tripeaks_redis_failures", "Times that Redis did not answer and was left alone for a second")
THREAD_WAIT_SECONDS = Histogram(
    "tripeaks_thread_wait_seconds",
    "How long work waited for one of the threads that have a database connection each",
    ["pool"],
    buckets=_REQUESTS,
)


def move_counted(service: Callable[P, R]) -> Callable[P, R]:
    """Around `attempt_move`: counts what came of it. `over`: the transport in `source`, the client kind's last word."""

    @functools.wraps(service)
    def counted(*args: P.args, **kwargs: P.kwargs) -> R:
        client = getattr(kwargs.get("source"), "client", "")
        over = "socket" if client.endswith("socket") else "rest"
        code = "fault"
        try:
            reply = service(*args, **kwargs)
            code = "accepted"
            return reply
        except GameError as refusal:
            code = refusal.code
            raise
        finally:
            MOVES.labels(over, code).inc()

    return counted


def event_written(
    kind: Literal["play", "standings"], committed_at: float | None, written_at: float | None = None
) -> None:
    """An event of this kind has been written to all its sockets, now or then; when its oldest change was committed,
    where that is known.
    """
    if committed_at is not None:
        lag = (written_at or time.time()) - committed_at
        EVENT_LAG_SECONDS.labels(kind).observe(max(0.0, lag))  # below zero where the announcing host's clock is ahead


_WAITS: Final = {pool: THREAD_WAIT_SECONDS.labels(pool) for pool in ("http", "socket")}


def waited(pool: Literal["http", "socket"], work: Callable[[], R]) -> Callable[[], R]:
    """`work`, to be given to a pool of threads now: notes how long it waits there."""
    given = time.perf_counter()
    wait = _WAITS[pool]

    def begun() -> R:
        wait.observe(time.perf_counter() - given)
        return work()

    return begun


class Caches(Collector):
    """Hits and misses of functions under `functools.lru_cache`, which count for themselves."""

    def __init__(self) -> None:
        self._caches: dict[str, Any] = {}

    def watch(self, name: str, cached: Any) -> None:
        """Export the counts of one such function."""
        self._caches[name] = cached

    def collect(self) -> Iterable[CounterMetricFamily]:
        """Called when the metrics are read."""
        hits = CounterMetricFamily("tripeaks_cache_hits", "Found in a cache of this process", labels=["cache"])
        misses = CounterMetricFamily("tripeaks_cache_misses", "Not found in a cache of this process", labels=["cache"])
        for name, cached in self._caches.items():
            info = cached.cache_info()
            hits.add_metric([name], info.hits)
            misses.add_metric([name], info.misses)
        return [hits, misses]


CACHES = Caches()
REGISTRY.register(CACHES)


class MetricsNotServed(Exception):
    """The port for metrics cannot be used; the text names the setting and says why."""


def serve_metrics(address: tuple[str, int] | None) -> None:
    """Serve them over HTTP at this address, in a thread; None: not at all. Raises MetricsNotServed."""
    if address is not None:
        try:
            start_http_server(address[1], address[0])
        except OSError as error:
            raise MetricsNotServed(f"TRIPEAKS_METRICS: the port cannot be used ({error.strerror}).") from error
