"""The base of all views of the API: throttle, call, answer. As thin as it can be, for a move passes through it."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.errors import BadInput, GameError, NotFound
from games.throttles import throttle

from .auth import SAFE_METHODS, check_write_origin, client_address, presented_credential
from .errors import error_response, game_error, json_response


class ApiView(APIView):
    """A REST framework view without its negotiation, authentication and rendering: JSON in, JSON out.

    Handlers get a REST framework `Request` (`query_params`, `META`, `COOKIES`; bodies through `games.api.body.Body`)
    and return a `Response` with JSON-able data, or any HttpResponse. Whatever they raise becomes the one error shape.
    Before a handler runs: a write from a foreign origin is refused, and the throttle named for the method in
    `throttle_scopes` counts the client address and, where one is presented, the credential.
    """

    throttle_scopes: ClassVar[dict[str, str]] = {"GET": "read"}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return self._answer(request, args, kwargs)
        except Exception as problem:
            error = game_error(problem)
            if error is None:
                raise  # a fault of ours: Django logs it, handler500 answers
            return error_response(error)

    def _answer(self, request: HttpRequest, args: tuple[Any, ...], kwargs: dict[str, Any]) -> HttpResponseBase:
        method = request.method or ""
        handler = getattr(self, method.lower(), None) if method.lower() in self.http_method_names else None
        if handler is None:
            response = error_response(
                GameError(
                    "method_not_allowed", 405, "This address does not know that method.", allowed=self.allowed_methods
                )
            )
            response.headers["Allow"] = ", ".join(self.allowed_methods)
            return response
        if method == "OPTIONS":
            return HttpResponse(status=204, headers={"Allow": ", ".join(self.allowed_methods)})
        for value in kwargs.values():
            if isinstance(value, str) and "\0" in value:
                raise NotFound
        if "%00" in request.META.get("QUERY_STRING", ""):
            raise BadInput("bad_field", "There is a NUL character in the query.", field="query")
        if method not in SAFE_METHODS:
            check_write_origin(request)
        self.check_rate(request, "GET" if method == "HEAD" else method)
        self.request = Request(request, parsers=(), authenticators=())
        response = handler(self.request, *args, **kwargs)
        if isinstance(response, Response):
            plain = json_response(response.data, response.status_code)
            for name, value in response.headers.items():
                if name != "Content-Type":
                    plain.headers[name] = value
            plain.cookies = response.cookies
            return plain
        assert isinstance(response, HttpResponseBase), f"{type(self).__name__} returned {type(response).__name__}"
        return response

    def check_rate(self, request: HttpRequest, method: str) -> None:
        """The throttle of this method; raises TooMany. Views with keys of their own override it."""
        scope = self.throttle_scopes.get(method)
        if scope is not None:
            keys = [f"address:{client_address(request.META)}"]
            credential = presented_credential(request)
            if credential is not None:
                keys.append(f"credential:{credential.token_hash.hex()[:32]}")
            throttle(scope, *keys)


def cookie_options() -> dict[str, Any]:
    """How the credential cookie is set and deleted."""
    return {"path": "/", "secure": settings.SECURE_COOKIES, "httponly": True, "samesite": "Lax"}
