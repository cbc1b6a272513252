"""Pages are limited by address: each may cost far more than the answer of an API."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db


def statuses(*paths: str, address: str = "192.0.2.1") -> list[int]:
    client = Client()
    return [client.get(path, REMOTE_ADDR=address).status_code for path in paths]


def test_so_many_pages_an_address_and_then_a_short_answer(settings: Settings) -> None:
    settings.THROTTLES = {**settings.THROTTLES, "page": (3, 60)}
    assert statuses("/boards", "/boards", "/attempts/0000000000000000", "/boards") == [200, 200, 404, 429]
    answer = Client().get("/admin/login/", REMOTE_ADDR="192.0.2.1")
    wait = answer.headers["Retry-After"]
    assert answer.status_code == 429
    assert 10 < int(wait) <= 20  # less what the pages before took
    assert f"In {wait} seconds there is room again." in answer.content.decode()
    assert b'href="/admin/login/"' in answer.content
    finnish = Client().get("/boards", REMOTE_ADDR="192.0.2.1", headers={"accept-language": "fi"})
    assert b'<html lang="fi"' in finnish.content
    assert answer.headers["Content-Security-Policy"]
    assert statuses("/boards", address="192.0.2.2") == [200]


def test_the_api_static_files_and_the_health_check_count_elsewhere(settings: Settings) -> None:
    settings.THROTTLES = {**settings.THROTTLES, "page": (1, 60)}
    paths = ("/boards", "/healthz", "/api/v1/openapi.json", "/static/leaderboards/css/site.css")
    assert statuses(*paths) == [200] * 4
    assert statuses("/boards") == [429]
