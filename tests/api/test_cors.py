"""Other sites' pages: they may read without credentials, and write only where the setting names them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from games.api.auth import origin_allowed
from tests.calls import call
from tests.factories import credential, person, signed_in

pytestmark = pytest.mark.django_db
ELSEWHERE = "https://fans.example"


def preflight(method: str, origin: str = ELSEWHERE) -> Any:
    return Client().options(
        "/api/v1/attempts",
        HTTP_ORIGIN=origin,
        HTTP_ACCESS_CONTROL_REQUEST_METHOD=method,
        HTTP_ACCESS_CONTROL_REQUEST_HEADERS="authorization,content-type",
    )


def test_any_origin_may_read_without_credentials() -> None:
    answer = call("GET", "/openapi.json", origin=ELSEWHERE)
    assert answer.status == 200
    assert answer.response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer.response.headers
    assert "Retry-After" in answer.response.headers["Access-Control-Expose-Headers"]


def test_errors_can_be_read_too() -> None:
    assert call("GET", "/nothing", origin=ELSEWHERE).response.headers["Access-Control-Allow-Origin"] == "*"


def test_a_token_may_read_from_anywhere() -> None:
    assert call("GET", "/account", who=signed_in("alice"), origin=ELSEWHERE).status == 200
    granted = preflight("GET")
    assert granted.status_code == 200
    assert "authorization" in granted.headers["Access-Control-Allow-Headers"]


def test_a_preflight_grants_writing_only_to_the_origins_of_the_setting(settings: Settings) -> None:
    assert preflight("POST").headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"
    settings.CORS_WRITE_ORIGINS = [ELSEWHERE]
    assert "POST" in preflight("POST").headers["Access-Control-Allow-Methods"]
    assert "POST" not in preflight("POST", "https://evil.example").headers["Access-Control-Allow-Methods"]


def test_a_write_passes_from_an_origin_of_the_setting_by_bearer_only(settings: Settings) -> None:
    alice = person("alice")
    body = {"key": "k", "code": "TP1-E-AAAAAAB"}
    assert call("POST", "/attempts", body, who=credential(alice), origin=ELSEWHERE).code == "origin_refused"
    settings.CORS_WRITE_ORIGINS = [ELSEWHERE]
    assert call("POST", "/attempts", body, who=credential(alice), origin=ELSEWHERE).status == 201
    by_cookie = credential(alice, via="cookie")
    assert call("POST", "/attempts", body, cookie=by_cookie.secret, origin=ELSEWHERE).code == "origin_refused"
    assert call("POST", "/guests", {"credential": "token"}, origin=ELSEWHERE).status == 201
    assert call("POST", "/guests", {"credential": "cookie"}, origin=ELSEWHERE).code == "origin_refused"


def test_a_program_needs_no_origin() -> None:
    body = {"key": "k", "code": "TP1-E-AAAAAAB"}
    assert call("POST", "/attempts", body, who=signed_in("alice")).status == 201


def test_pages_outside_the_api_have_no_cors() -> None:
    assert "Access-Control-Allow-Origin" not in Client().get("/healthz", HTTP_ORIGIN=ELSEWHERE).headers


@pytest.mark.parametrize(
    ("origin", "host", "secure", "allowed"),
    [
        ("https://play.example", "play.example", True, True),
        ("https://play.example", "play.example", False, True),  # a proxy ended the TLS
        ("http://play.example", "play.example", True, False),
        ("http://play.example", "play.example", False, True),
        ("http://127.0.0.1:8000", "127.0.0.1:8000", False, True),
        ("http://127.0.0.1:8001", "127.0.0.1:8000", False, False),
        ("https://play.example:443", "play.example", True, True),
        ("https://PLAY.example", "play.example", True, True),
        ("https://play.example.evil.example", "play.example", True, False),
        ("https://evil.example/play.example", "play.example", True, False),
        ("https://play.example@evil.example", "play.example", True, False),
        ("https://evil.example@play.example", "play.example", True, False),
        ("ftp://play.example", "play.example", False, False),
        ("play.example", "play.example", False, False),
        ("null", "play.example", False, False),
        ("https://[", "play.example", False, False),
        ("https://play.example:99999", "play.example", False, False),
        ("", "play.example", False, False),
        (None, "play.example", False, False),
        ("https://www.example", "play.example", True, True),  # of the setting
    ],
)
def test_one_rule_says_which_origins_are_ours(
    settings: Settings, origin: str | None, host: str, secure: bool, allowed: bool
) -> None:
    settings.TRUSTED_ORIGINS = ["https://www.example"]
    assert origin_allowed(origin, host, secure) is allowed
