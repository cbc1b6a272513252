"""CORS: reading is open to every origin, writing to those of settings.CORS_WRITE_ORIGINS. Never with credentials."""

from __future__ import annotations

from corsheaders.middleware import CorsMiddleware
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

WRITE_METHODS = "GET, HEAD, OPTIONS, POST, PATCH, DELETE"


class ApiCorsMiddleware(CorsMiddleware):
    """django-cors-headers with one more rule: which methods a preflight grants depends on the origin.

    The refusal itself is `auth.check_write_origin`, for a page's plain form needs no preflight.
    """

    def add_response_headers(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        answered: HttpResponseBase = super().add_response_headers(request, response)
        may_write = request.META.get("HTTP_ORIGIN") in settings.CORS_WRITE_ORIGINS
        if may_write and answered.has_header("Access-Control-Allow-Methods"):
            answered["Access-Control-Allow-Methods"] = WRITE_METHODS
        return answered
