"""Schemathesis against a real server process: what it answers is what the OpenAPI document says, whatever it is asked."""

from __future__ import annotations

import contextlib
import copy
import json
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from games.api.docs import openapi_document
from tests.processes import ServerProcess, live_server

pytestmark = pytest.mark.slow
OPEN_WIDE = {
    f"TRIPEAKS_THROTTLE_{scope}": "100000/1"
    for scope in ("GUEST", "LOGIN", "NAME", "ACCOUNT", "START", "MOVE", "READ", "REPORT", "EXPORT")
}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]


@dataclass
class Someone:
    """A server, a guest's token on it, and the ids of one running and one finished attempt of that guest."""

    server: ServerProcess
    token: str
    running: str
    finished: str


def post(url: str, body: dict[str, Any], token: str = "") -> Any:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.load(response)


@pytest.fixture(scope="module")
def someone() -> Iterator[Someone]:
    with live_server(env=OPEN_WIDE) as server:
        api = f"{server.url}/api/v1"
        token = post(f"{api}/guests", {"credential": "token"})["token"]
        running = post(f"{api}/attempts", {"key": "a", "code": "TP1-E-AAAAAAB"}, token)["attempt"]["id"]
        finished = post(f"{api}/attempts", {"key": "b", "code": "TP1-E-AAAAAAC"}, token)["attempt"]["id"]
        post(f"{api}/attempts/{finished}/resign", {"move_id": "r"}, token)
        yield Someone(server, token, running, finished)


DOCUMENT = openapi_document()
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
OPERATIONS = [(path, method) for path, methods in DOCUMENT["paths"].items() for method in methods]
QUIET = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)


def hold_to_description(case: Case[Any], someone: Someone) -> int:
    """Send it, compare the answer; its status."""
    headers = {"Authorization": f"Bearer {someone.token}"}
    if case.operation.definition.raw["operationId"] in {"account_delete", "logout"}:
        headers = {}  # the others still need this guest
    response = case.call(base_url=someone.server.url, headers=headers, timeout=20)
    case.validate_response(response, checks=CHECKS)
    status: int = response.status_code
    return status


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=[f"{method} {path}" for path, method in OPERATIONS])
def test_answers_are_as_described(path: str, method: str, someone: Someone) -> None:
    @settings(QUIET, max_examples=15)
    @given(case=SCHEMA[path][method].as_strategy())
    def right_requests(case: Case[Any]) -> None:
        hold_to_description(case, someone)

    @settings(QUIET, max_examples=10)
    @given(case=SCHEMA[path][method].as_strategy(generation_mode=GenerationMode.NEGATIVE))
    def wrong_requests(case: Case[Any]) -> None:
        hold_to_description(case, someone)

    right_requests()
    with contextlib.suppress(Unsatisfiable):  # where nothing can be wrong
        wrong_requests()


@pytest.mark.parametrize(("path", "method"), [entry for entry in OPERATIONS if "/attempts/{public_id}" in entry[0]])
def test_answers_about_attempts_that_are_there_are_as_described(path: str, method: str, someone: Someone) -> None:
    statuses = set()

    @settings(QUIET, max_examples=6)
    @given(case=SCHEMA[path][method].as_strategy())
    def requests(case: Case[Any]) -> None:
        for attempt in (someone.finished, someone.running):
            case.path_parameters = {"public_id": attempt}
            statuses.add(hold_to_description(case, someone))

    requests()
    assert statuses & {200, 400, 409, 422}


def test_the_checks_notice_an_answer_that_is_not_as_described(someone: Someone) -> None:
    wrong = copy.deepcopy(DOCUMENT)
    wrong["components"]["schemas"]["PlayerSchema"]["required"].append("shoe_size")
    case = schemathesis.openapi.from_dict(wrong)["/api/v1/account"]["get"].Case()
    with pytest.raises(FailureGroup):
        hold_to_description(case, someone)
