"""Every failure under /api/ leaves in the one error shape, whoever noticed it: us, DRF, Django or the database."""

from __future__ import annotations

import json
import logging
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response

from games.engine.errors import IllegalMove, InvalidInput
from games.errors import BadInput, Forbidden, GameError, MoveRefused, NotFound, NotSignedIn, TooMany, Unavailable

logger = logging.getLogger(__name__)

_DRF_CODES = {
    400: ("malformed_json", "The body cannot be read."),
    405: ("method_not_allowed", "This address does not know that method."),
    406: ("not_acceptable", "Answers are JSON."),
    415: ("unsupported_media_type", "Send the body as application/json."),
}


def game_error(problem: Exception) -> GameError | None:
    """The refusal that an exception amounts to; None when it is a fault of ours (a 500)."""
    match problem:
        case GameError():
            return problem
        case InvalidInput():
            return BadInput(problem.code, problem.message, **problem.data)
        case IllegalMove():
            return MoveRefused(problem.code, problem.message, **problem.data)
        case Http404() | exceptions.NotFound():
            return NotFound()
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return NotSignedIn()
        case PermissionDenied() | exceptions.PermissionDenied():
            return Forbidden("forbidden", "You may not do that.")
        case exceptions.Throttled():
            return TooMany("requests", int(getattr(problem, "wait", None) or 1))
        case exceptions.APIException():
            code, message = _DRF_CODES.get(problem.status_code, ("bad_request", "The request makes no sense."))
            return GameError(code, problem.status_code, message)
        case RequestDataTooBig():
            return GameError("too_large", 413, "The body is too large.")
        case SuspiciousOperation():
            return BadInput("bad_request", "The request makes no sense.")
        case UnreadablePostError():
            return BadInput("malformed_json", "The body cannot be read.")
        case OperationalError() | InterfaceError():
            logger.warning("The database is away: %s", type(problem).__name__)
            if not connection.in_atomic_block:
                connection.close()  # the next request gets a fresh one
            return Unavailable()
        case _:
            return None


def json_response(data: Any, status: int = 200) -> HttpResponse:
    """Compact JSON, never stored by caches on the way unless the view says otherwise."""
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    response = HttpResponse(body, content_type="application/json", status=status)
    response.headers["Cache-Control"] = "no-store"
    return response


def error_headers(error: GameError) -> dict[str, str]:
    """The HTTP headers that belong to a refusal."""
    match error.status:
        case 401:
            return {"WWW-Authenticate": 'Bearer realm="tripeaks"'}
        case 429:
            return {"Retry-After": str(error.data["retry_after"])}
        case 503:
            return {"Retry-After": "1"}
        case _:
            return {}


def error_response(error: GameError) -> HttpResponse:
    """A refusal as an HTTP answer."""
    response = json_response(error.as_json(), error.status)
    for name, value in error_headers(error).items():
        response.headers[name] = value
    return response


def exception_handler(problem: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's hook, for views that are not ApiViews; None lets a fault of ours go on to `handler500`."""
    del context
    error = game_error(problem)
    if error is None:
        return None
    return Response(error.as_json(), status=error.status, headers=error_headers(error))


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's own refusals: an unknown host, a broken path."""
    if _is_api(request):
        return error_response(game_error(exception) or BadInput("bad_request", "The request makes no sense."))
    return defaults.bad_request(request, exception)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return error_response(Forbidden("forbidden", "You may not do that."))
    return defaults.permission_denied(request, exception)


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return error_response(NotFound())
    return defaults.page_not_found(request, exception)


def handler500(request: HttpRequest) -> HttpResponse:
    """A fault of ours; Django has logged it."""
    if _is_api(request):
        return error_response(GameError("internal_error", 500, "Something broke on our side. It has been noted."))
    return defaults.server_error(request)
