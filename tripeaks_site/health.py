"""Liveness for load balancers and `up`."""

from __future__ import annotations

from django.db import connection
from django.http import HttpRequest, JsonResponse


def healthz(request: HttpRequest) -> JsonResponse:
    """200 when this process answers and reaches the database, else 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Exception:  # whatever the driver raises, the answer is the same: not healthy
        connection.close()
        return JsonResponse({"ok": False}, status=503)
    return JsonResponse({"ok": True})
