"""Liveness and readiness, for balancers and service managers."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from games.redis import REDIS_ERRORS, redis, redis_available, redis_failed

from .draining import Draining

ALIVE = {"ok": True}
"""The answer while this process answers at all; a database that is away is no reason to restart it."""

_applied = False  # never taken back while a process runs, so asked for until it is true and then no more


class Probes:
    """The middleware that answers `/healthz` and `/readyz` before anything else: probes name hosts by their address,
    are no visitors to count, and carry no credential.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        match request.path_info:
            case "/healthz":
                return JsonResponse(ALIVE)
            case "/readyz":
                return ready()
            case _:
                return self.get_response(request)


def ready() -> JsonResponse:
    """200 when requests are welcome here: the database answers, its schema is ours, and this process is not ending.

    Redis away is said and no obstacle: what it carries are copies and hints.
    """
    if Draining.begun:
        return _not_ready("draining")
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        if not _migrated():
            return _not_ready("migrations")
    except Exception:  # whatever the driver raises, the answer is the same: not ready
        connection.close()
        return _not_ready("database")
    return JsonResponse({"ok": True, "redis": _redis_answers()})


def _not_ready(why: str) -> JsonResponse:
    return JsonResponse({"ok": False, "why": why}, status=503)


def _migrated() -> bool:
    global _applied
    if not _applied:
        executor = MigrationExecutor(connection)
        _applied = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _applied


def _redis_answers() -> bool:
    if not redis_available():
        return False
    try:
        return bool(redis().ping())
    except REDIS_ERRORS as problem:
        redis_failed(problem)
        return False
