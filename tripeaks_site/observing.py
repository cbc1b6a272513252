"""The outermost middleware: an id for every request, and what it came to, counted and logged."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from games.metrics import REQUEST_SECONDS, REQUESTS
from games.request_ids import request_id, request_id_of

logger = logging.getLogger("tripeaks.requests")

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Observing:
    """Takes X-Request-ID where it is well-formed, makes one otherwise, and says it in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        begun = time.perf_counter()
        given = request_id.set(request_id_of(request.headers.get("X-Request-ID")))
        try:
            response = self.get_response(request)
            self._note(request, response, time.perf_counter() - begun)
            return response
        finally:
            request_id.reset(given)

    def _note(self, request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
        response.headers["X-Request-ID"] = request_id.get()
        method = request.method if request.method in _METHODS else "other"
        route = route_of(request)
        REQUESTS.labels(route, method, response.status_code).inc()
        REQUEST_SECONDS.labels(route, method).observe(seconds)
        logger.info(
            "%s %s %s",
            method,
            route,
            response.status_code,
            extra={"method": method, "route": route, "status": response.status_code, "ms": round(seconds * 1000, 1)},
        )


def route_of(request: HttpRequest) -> str:
    """The pattern of the address, never the address: that holds codes, names and whatever somebody typed."""
    match = request.resolver_match
    if match is not None:
        return match.route
    return "static" if request.path_info.startswith("/static/") else "none"
