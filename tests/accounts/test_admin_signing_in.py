"""The admin's form is no way around the throttle of logins."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from tests.calls import call
from tests.factories import PASSWORD, person

pytestmark = pytest.mark.django_db


def sign_in(password: str, *, name: str = "mod", address: str = "192.0.2.1") -> tuple[int, str]:
    body = {"username": name, "password": password, "next": "/admin/"}
    answer = Client().post("/admin/login/", body, REMOTE_ADDR=address)
    return answer.status_code, answer.content.decode()


def test_guesses_at_a_moderators_password_are_counted_with_those_over_the_api(settings: Settings) -> None:
    settings.THROTTLES = {**settings.THROTTLES, "login": (3, 3600)}
    person("mod", password=PASSWORD, is_staff=True)
    assert sign_in(PASSWORD)[0] == 302
    body = {"name": "mod", "password": "wrong wrong", "credential": "token"}
    assert call("POST", "/login", body, REMOTE_ADDR="192.0.2.2").status == 403
    status, page = sign_in("wrong wrong", address="192.0.2.3")
    assert (status, "Please enter the correct" in page) == (200, True)
    status, page = sign_in(PASSWORD, name="M0D", address="192.0.2.4")
    assert (status, "Too many at once" in page) == (200, True)
    assert call("POST", "/login", body, REMOTE_ADDR="192.0.2.5").status == 429
