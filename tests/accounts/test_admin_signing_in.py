"""The admin's form is no way around the throttle of logins, nor around a ban; and a ban is over when its end has passed."""

from __future__ import annotations

import datetime as dt

import pytest
from django.test import Client
from pytest_django import Settings

from games import clock
from games.services import credential_find, player_ban
from leaderboards.moderation.roles import role_of
from tests.calls import call
from tests.factories import PASSWORD, bot, credential, person, token
from tests.staff import enrolled, fresh_code, signed_in_moderator, staff

pytestmark = pytest.mark.django_db


def sign_in(password: str, *, name: str = "mod", address: str = "192.0.2.1") -> tuple[int, str]:
    body = {"username": name, "password": password, "next": "/admin/"}
    answer = Client().post("/admin/login/", body, REMOTE_ADDR=address)
    return answer.status_code, answer.content.decode()


def test_guesses_at_a_moderators_password_are_counted_with_those_over_the_api(settings: Settings) -> None:
    settings.THROTTLES = {**settings.THROTTLES, "name": (3, 3600)}
    person("mod", password=PASSWORD, is_staff=True)
    assert sign_in(PASSWORD)[0] == 302
    body = {"name": "mod", "password": "wrong wrong", "credential": "token"}
    assert call("POST", "/login", body, REMOTE_ADDR="192.0.2.2").status == 403
    status, page = sign_in("wrong wrong", address="192.0.2.3")
    assert (status, "Please enter the correct" in page) == (200, True)
    status, page = sign_in(PASSWORD, name="M0D", address="192.0.2.4")
    assert (status, "Too many at once" in page) == (200, True)
    assert call("POST", "/login", body, REMOTE_ADDR="192.0.2.5").status == 429


def test_a_password_changed_here_ends_sessions_and_tokens_too() -> None:
    mod = person("mod", password=PASSWORD, is_staff=True)
    held = [credential(mod), token(mod), token(bot("helper", owner=mod)), token(person("alice"))]
    browser = Client()
    signed_in_moderator(browser, player=mod)
    body = {"old_password": "wrong wrong", "new_password1": "a much better one", "new_password2": "a much better one"}

    def alive() -> list[bool]:
        found = [
            credential_find(token_hash=bytes(h.credential.token_hash), via="bearer", now=clock.now()) for h in held
        ]
        return [each is not None for each in found]

    assert browser.post("/admin/password_change/", body).status_code == 200
    assert alive() == [True] * 4
    assert browser.post("/admin/password_change/", body | {"old_password": PASSWORD}).status_code == 302
    assert alive() == [False, False, False, True]
    assert browser.get("/admin/").status_code == 200


def test_a_ban_ends_what_is_open_here_and_its_end_lets_sign_in_again_by_itself() -> None:
    mod, now = staff(password=PASSWORD), clock.now()
    phone = enrolled(mod)
    browser = Client()
    signed_in_moderator(browser, player=mod)
    begun, ends = now - dt.timedelta(days=1), now + dt.timedelta(hours=1)
    player_ban(player_id=mod.pk, reason="-", until=ends, now=begun)
    assert browser.get("/admin/").status_code == 302
    status, page = sign_in(PASSWORD)
    assert (status, "Please enter the correct" in page) == (200, True)
    late = Client()
    late.force_login(mod)  # a sign-in that the ban overtook
    assert late.get("/admin/second-factor/", follow=True).redirect_chain[-1][0].startswith("/admin/login/")

    player_ban(player_id=mod.pk, reason="-", until=now - dt.timedelta(seconds=1), now=begun)
    for session in (browser, late):
        assert session.get("/admin/").status_code == 302, "a session that wakes up"
    body = {"username": "mod", "password": PASSWORD, "next": "/admin/leaderboards/case/"}
    answer = browser.post("/admin/login/", body, follow=True)
    assert answer.redirect_chain[-1][0].startswith("/admin/second-factor/?")
    assert browser.post("/admin/second-factor/", {"code": fresh_code(phone)}).status_code == 302
    assert browser.get("/admin/leaderboards/case/").status_code == 200
    assert role_of(mod) == "moderator"
