"""Bad input of every kind at every endpoint gets a coded 4xx in the one error shape; never a 500, never HTML."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from tests.api.endpoints import METHODS, endpoints
from tests.calls import OUR_ORIGIN, Answer, call
from tests.conftest import forget_throttles
from tests.factories import PASSWORD, credential, person, signed_in

pytestmark = pytest.mark.django_db

ALL = [(endpoint, method) for endpoint in endpoints() for method in endpoint.methods]
WRITES = [(endpoint, method) for endpoint, method in ALL if method != "GET"]
NO_BODY = {"/logout", "/account/logout-others", "/attempts/{public_id}/resign", "/account/tokens/{public_id}"}
WITH_BODY = [entry for entry in WRITES if entry[0].pattern not in NO_BODY]


def named(entries: list[Any]) -> dict[str, Any]:
    return {"argvalues": entries, "ids": [f"{method} {endpoint.pattern}" for endpoint, method in entries]}


def assert_error_shape(answer: Answer, *statuses: int) -> None:
    assert answer.status in statuses, answer.response.content[:300]
    assert answer.response.headers["Content-Type"] == "application/json"
    assert set(answer.json) == {"error"}
    assert set(answer.json["error"]) == {"code", "message", "data"}
    assert isinstance(answer.json["error"]["message"], str)
    assert isinstance(answer.json["error"]["data"], dict)
    assert answer.code.isascii()
    assert answer.code == answer.code.lower()


@pytest.fixture(scope="module")
def bodies() -> dict[str, bytes]:
    return {
        "nothing at all": b"",
        "half an object": b'{"name": ',
        "a list": b"[1, 2]",
        "null": b"null",
        "NaN": b'{"name": NaN}',
        "Infinity": b'{"expected_ply": -Infinity}',
        "nesting without end": b"[" * 30_000,
        "objects without end": b'{"a":' * 10_000,
        "a number without end": b'{"expected_ply": ' + b"9" * 30_000 + b"}",
        "an exponent without end": b'{"expected_ply": 1e999999}',
        "no UTF-8": b'{"name": "\xff\xfe"}',
        "UTF-16": '{"name": "x"}'.encode("utf-16"),
        "NUL": rb'{"name": "a\u0000b", "key": "a\u0000b", "move_id": "a\u0000b", "code": "a\u0000b", "password": "a\u0000b"}',
        "a lone surrogate": rb'{"name": "\ud800", "key": "\ud800", "code": "\ud800", "move": "\ud800", "password": "\ud800aaaaaaa"}',
        "wrong types": json.dumps(
            {
                key: {"a": [1]}
                for key in (
                    "name",
                    "password",
                    "old",
                    "new",
                    "new_password",
                    "recovery_code",
                    "credential",
                    "key",
                    "code",
                    "move",
                )
            }
            | {"move_id": 1, "expected_ply": "0", "practice": "no", "scopes": "read", "random": 7, "number": [1]}
        ).encode(),
        "huge numbers": b'{"expected_ply": 99999999999999999999999, "number": 99999999999999999999999, "key": "k!"}',
        "true for 1": b'{"expected_ply": true, "number": true, "key": "k!", "move": "d", "move_id": "m"}',
    }


@pytest.mark.parametrize(("endpoint", "method"), **named(WITH_BODY))
def test_bodies_of_nonsense_are_4xx_everywhere(endpoint: Any, method: str, bodies: dict[str, bytes]) -> None:
    alice = credential(person("alice", password=PASSWORD))
    for name, raw in bodies.items():
        answer = call(method, endpoint.path, who=alice, raw=raw, HTTP_X_CASE=name)
        assert_error_shape(answer, 400, 403, 404, 409, 415, 422)
        forget_throttles()


@pytest.mark.parametrize(("endpoint", "method"), **named(WITH_BODY))
def test_a_form_of_a_foreign_page_is_no_body(endpoint: Any, method: str) -> None:
    alice = signed_in("alice")
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = call(method, endpoint.path, who=alice, raw=b'{"name": "x"}', content_type=content_type)
        assert_error_shape(answer, 404, 415)
        forget_throttles()


@pytest.mark.parametrize(("endpoint", "method"), **named(WITH_BODY))
def test_a_body_that_is_too_large_is_413(endpoint: Any, method: str) -> None:
    answer = call(method, endpoint.path, who=signed_in("alice"), raw=b'{"name": "' + b"x" * 10_000_000 + b'"}')
    assert_error_shape(answer, 404, 413)


@pytest.mark.parametrize(("endpoint", "method"), **named(ALL))
def test_a_wrong_token_is_401_or_as_good_as_none(endpoint: Any, method: str) -> None:
    wrong = call(method, endpoint.path, {}, token="tpk_wrong")
    if wrong.status >= 400:
        assert_error_shape(wrong, 400, 401, 403, 404)
    if wrong.status == 401:
        assert wrong.response.headers["WWW-Authenticate"]


@pytest.mark.parametrize(("endpoint", "method"), **named(WRITES))
def test_a_write_from_a_foreign_origin_is_403(endpoint: Any, method: str) -> None:
    alice = signed_in("alice")
    for who in (alice, None):
        for origin in ("https://evil.example", "null", "http://testserver.evil.example", "http://testserver:81", "x"):
            answer = call(method, endpoint.path, {}, who=who, origin=origin)
            assert_error_shape(answer, 403)
            assert answer.code == "origin_refused"


@pytest.mark.parametrize(("endpoint", "method"), **named(WRITES))
def test_a_write_with_the_cookie_needs_our_origin(endpoint: Any, method: str) -> None:
    missing = call(method, endpoint.path, {}, cookie="tps_whatever")
    assert_error_shape(missing, 403)
    assert missing.code == "origin_refused"
    ours = call(method, endpoint.path, {}, cookie="tps_whatever", origin=OUR_ORIGIN)
    assert ours.status in {200, 201, 400, 401, 404}


@pytest.mark.parametrize("endpoint", endpoints(), ids=lambda endpoint: endpoint.pattern)
def test_other_methods_are_405_and_name_the_right_ones(endpoint: Any) -> None:
    for method in METHODS:
        if method not in endpoint.methods:
            answer = call(method, endpoint.path, {})
            assert_error_shape(answer, 405)
            assert answer.code == "method_not_allowed"
            assert set(endpoint.methods) <= set(answer.response.headers["Allow"].split(", "))


@pytest.mark.parametrize(
    "path", ["/nothing", "/attempts/", "/players/B/games/A", "/", "/../v2/x", "/%00", "/attempts/%00", "/attempts/%ff"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT"])
def test_unknown_addresses_are_404_in_the_same_shape(path: str, method: str, settings: Settings) -> None:
    for debug in (False, True):
        settings.DEBUG = debug
        assert_error_shape(call(method, path, {}), 404, 405, 401)


@pytest.mark.parametrize(("endpoint", "method"), **named([entry for entry in ALL if "{" in entry[0].pattern]))
def test_ids_of_nonsense_are_4xx(endpoint: Any, method: str) -> None:
    alice = signed_in("alice")
    for nonsense in ("%00", "%F0%9F%83%8F", "x" * 5000, "-1", "%ED%A0%80", "..%2F..", "%27%20OR%201=1--", "0", "%0A"):
        path = endpoint.pattern
        for name in ("public_id", "board", "which"):
            path = path.replace(f"{{{name}}}", nonsense)
        answer = call(method, path, {}, who=alice)
        assert_error_shape(answer, 400, 404, 422)
        forget_throttles()


@pytest.mark.parametrize("endpoint", [one for one in endpoints() if "GET" in one.methods], ids=lambda one: one.pattern)
def test_queries_of_nonsense_are_answered_or_4xx(endpoint: Any) -> None:
    alice = signed_in("alice")
    for value in ("%00", "%ff", "-1", "0", "9" * 400, "x" * 3000, "%F0%9F%83%8F", "NaN", "%ED%A0%80"):
        query = "&".join(f"{name}={value}" for name in ("cursor", "limit", "kind", "view"))
        answer = call("GET", f"{endpoint.path}?{query}", who=alice)
        assert answer.status < 500, answer.response.content
        if answer.status >= 400:
            assert_error_shape(answer, 400, 404)
        forget_throttles()


def test_an_unknown_host_is_refused_in_json_under_api_only() -> None:
    client = Client()
    answer = client.get("/api/v1/openapi.json", HTTP_HOST="evil.example")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")
    assert client.get("/", HTTP_HOST="evil.example").status_code == 400


def test_a_fault_of_ours_is_a_500_in_the_same_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**kwargs: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("games.api.accounts.guest_create", broken)
    answer = call("POST", "/guests", {"credential": "token"})
    assert_error_shape(answer, 500)
    assert answer.code == "internal_error"
    assert "secret detail" not in answer.response.content.decode()


def test_private_answers_are_never_stored_on_the_way() -> None:
    for path in ("/account", "/attempts", "/nothing"):
        assert call("GET", path, who=signed_in()).response.headers["Cache-Control"] == "no-store"
