"""Calls of the API through Django's test client, as different people and programs make them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.test.client import ClientHandler

from tests.factories import SignedIn

OUR_ORIGIN = "http://testserver"
_handler = ClientHandler(enforce_csrf_checks=False)  # one for all: each would load the middleware anew


@dataclass(frozen=True)
class Answer:
    """Status and parsed body; `code` and `data` are those of the error shape."""

    status: int
    json: Any
    response: Any  # Django's HttpResponse as the test client returns it

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = self.json["error"]["data"]
        return found

    @property
    def cookie(self) -> str:
        """The credential that the answer set, or an empty string."""
        morsel = self.response.cookies.get(settings.CREDENTIAL_COOKIE)
        return morsel.value if morsel is not None else ""


def call(
    method: str,
    path: str,
    body: Any = None,
    *,
    who: SignedIn | None = None,
    token: str = "",
    cookie: str = "",
    origin: str | None = None,
    raw: bytes | None = None,
    content_type: str = "application/json",
    **meta: str,
) -> Answer:
    """One request to /api/v1<path>. `who` and `token` go into the Authorization header; `cookie` into the cookie."""
    client = Client(raise_request_exception=False)
    client.handler = _handler
    headers = dict(meta)
    if who is not None or token:
        headers["HTTP_AUTHORIZATION"] = f"Bearer {who.secret if who is not None else token}"
    if origin is not None:
        headers["HTTP_ORIGIN"] = origin
    if cookie:
        client.cookies[settings.CREDENTIAL_COOKIE] = cookie
    content = raw if raw is not None else (b"" if body is None else json.dumps(body).encode())
    response: Any = client.generic(method, f"/api/v1{path}", content, content_type=content_type, **headers)  # type: ignore[arg-type]
    is_json = response.headers.get("Content-Type", "").startswith("application/json")
    if response.streaming:  # read at once, so that tests find `content` in every answer
        response = HttpResponse(response.getvalue(), status=response.status_code, headers=dict(response.headers))
    return Answer(
        response.status_code, json.loads(response.content) if is_json and response.content else None, response
    )


def from_our_page(method: str, path: str, body: Any = None, *, cookie: str = "") -> Answer:
    """As a page of ours calls: with the cookie and our Origin."""
    return call(method, path, body, cookie=cookie, origin=OUR_ORIGIN)
