"""The OpenAPI document describes every address and method there is, and nothing else."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from games.api.docs import openapi_document
from tests.api.endpoints import endpoints
from tests.calls import call


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi_document()


def test_every_address_is_described_and_every_description_has_an_address(document: dict[str, Any]) -> None:
    described = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    there = {(f"/api/v1{endpoint.pattern}", method) for endpoint in endpoints() for method in endpoint.methods}
    assert described == there


def test_it_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        validate_schema(document)  # type: ignore[no-untyped-call]


def test_it_was_made_without_warnings(document: dict[str, Any]) -> None:
    del document
    assert not GENERATOR_STATS, str(GENERATOR_STATS._warn_cache) + str(GENERATOR_STATS._error_cache)


def test_every_operation_says_what_it_does_what_it_answers_and_who_may(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            name = f"{method} {path}"
            assert operation.get("description"), name
            assert operation["operationId"].isidentifier(), name
            successes = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
            assert successes, name
            assert all("application/json" in answer["content"] for answer in successes), name
            assert "security" in operation, name
            for status, answer in operation["responses"].items():
                if status >= "4":
                    assert answer["content"]["application/json"]["schema"] == {
                        "$ref": "#/components/schemas/ErrorSchema"
                    }
            assert {"429", "503"} <= set(operation["responses"]), name
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(ids) == len(set(ids))


def test_the_authentication_is_described(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]
    assert {scheme["type"] for scheme in schemes.values()} == {"http", "apiKey"}
    moves = document["paths"]["/api/v1/attempts/{public_id}/moves"]["post"]
    assert moves["security"] == [{"token": []}, {"cookie": []}]
    assert document["paths"]["/api/v1/boards/{board}"]["get"]["security"] == []
    assert document["paths"]["/api/v1/login"]["post"]["security"] == []


@pytest.mark.django_db
def test_it_is_served_as_it_is(document: dict[str, Any]) -> None:
    answer = call("GET", "/openapi.json")
    assert answer.status == 200
    assert answer.json == document
