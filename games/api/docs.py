"""The OpenAPI 3.1 description of the API, made from the code, once per process."""

from __future__ import annotations

import functools
import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from games.errors import NotFound

from .base import ApiView
from .schemas import READ_ERRORS

SECURITY_SCHEMES = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token or a program's session. No Origin is needed.",
    },
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "tripeaks",
        "description": "A browser's session (`__Host-tripeaks` over TLS). Writes need an Origin of ours.",
    },
}

WITHOUT_CREDENTIAL = frozenset({"guest_create", "login", "password_recover"})
CREDENTIAL_OPTIONAL = frozenset({"attempt_replay", "attempt_analysis", "logout"})


@functools.cache
def openapi_document() -> dict[str, Any]:
    """The whole description as JSON-able data."""
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return document


@functools.cache
def _openapi_bytes() -> bytes:
    return json.dumps(openapi_document(), ensure_ascii=False, separators=(",", ":")).encode()


def first_of_each(endpoints: list[tuple[str, str, str, Any]], **kwargs: Any) -> list[tuple[str, str, str, Any]]:
    """A drf-spectacular hook: of two patterns for one address only the first is ever reached."""
    del kwargs
    found: dict[tuple[str, str], tuple[str, str, str, Any]] = {}
    for endpoint in endpoints:
        found.setdefault((endpoint[0], endpoint[2]), endpoint)
    return list(found.values())


def describe_security(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """A drf-spectacular hook: how requests are authenticated."""
    del generator, request, public
    result.setdefault("components", {})["securitySchemes"] = SECURITY_SCHEMES
    for operations in result["paths"].values():
        for operation in operations.values():
            if "401" not in operation["responses"] or operation["operationId"] in WITHOUT_CREDENTIAL:
                operation["security"] = []
            else:
                operation["security"] = [{"token": []}, {"cookie": []}]
                if operation["operationId"] in CREDENTIAL_OPTIONAL:
                    operation["security"].append({})
    return result


class OpenApi(ApiView):
    """The description itself."""

    @extend_schema(
        operation_id="openapi_read", responses={(200, "application/json"): dict[str, Any], **READ_ERRORS}, auth=[]
    )
    def get(self, request: Request) -> HttpResponse:
        """This document."""
        response = HttpResponse(_openapi_bytes(), content_type="application/json")
        response.headers["Cache-Control"] = "public, max-age=60"
        return response


class Unknown(ApiView):
    """What answers under /api/ where there is nothing: the one error shape, for every method."""

    schema = None
    throttle_scopes = {}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        from .errors import error_response

        return error_response(NotFound())
