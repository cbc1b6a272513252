"""Signing in and out; cookies count only as cookies, bearer secrets only as such."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.contrib.auth import hashers
from django.utils.crypto import pbkdf2
from pytest_django import Settings

from games import clock
from games.models import Credential
from games.services import player_ban
from games.services.credentials import SESSIONS_AT_MOST, credential_find, session_create
from tests.calls import call, from_our_page
from tests.factories import PASSWORD, bot, credential, person, signed_in
from tests.processes import run_manage

pytestmark = pytest.mark.django_db


def test_a_page_signs_in_by_cookie_and_out_again() -> None:
    person("alice", password=PASSWORD)
    signed = from_our_page("POST", "/login", {"name": "Alice", "password": PASSWORD})
    assert (signed.status, signed.json["player"]["name"]) == (200, "alice")
    assert "token" not in signed.json
    assert from_our_page("GET", "/account", cookie=signed.cookie).status == 200
    out = from_our_page("POST", "/logout", cookie=signed.cookie)
    assert out.status == 200
    assert out.response.cookies["tripeaks"]["max-age"] == 0
    assert from_our_page("GET", "/account", cookie=signed.cookie).code == "not_signed_in"
    assert from_our_page("POST", "/logout", cookie=signed.cookie).status == 200, "a repeat is as good"


def test_a_program_signs_in_by_token() -> None:
    person("alice", password=PASSWORD)
    signed = call("POST", "/login", {"name": "alice", "password": PASSWORD, "credential": "token"})
    account = call("GET", "/account", token=signed.json["token"])
    assert account.json["credential"]["scopes"] == ["manage", "play", "read"]
    assert signed.cookie == ""


def test_the_cookie_is_secure_when_the_site_is(settings: Settings) -> None:
    settings.SECURE_COOKIES, settings.CREDENTIAL_COOKIE = True, "__Host-tripeaks"
    morsel = from_our_page("POST", "/guests", {}).response.cookies["__Host-tripeaks"]
    assert morsel["secure"]
    assert morsel["path"] == "/"
    assert not morsel["domain"]


@pytest.mark.parametrize("name", ["alice", "nobody here", "robot", "..."])
def test_wrong_passwords_and_unknown_names_get_the_same_answer(name: str) -> None:
    bot("robot", owner=person("alice", password=PASSWORD))
    answer = call("POST", "/login", {"name": name, "password": "wrong wrong", "credential": "token"})
    assert (answer.status, answer.code) == (403, "wrong_login")


def test_unknown_names_cost_the_same_work(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: all but a thousandth of a sign-in is these rounds."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    person("alice", password=PASSWORD)
    rounds: list[int] = []

    def counted(password: str, salt: str, iterations: int, *arguments: Any, **named: Any) -> bytes:
        rounds.append(iterations)
        return pbkdf2(password, salt, iterations, *arguments, **named)

    monkeypatch.setattr(hashers, "pbkdf2", counted)
    answers = []
    for name in ("alice", "bob"):
        answers.append(call("POST", "/login", {"name": name, "password": "wrong wrong", "credential": "token"}).code)
    assert answers == ["wrong_login"] * 2
    assert rounds == [hashers.PBKDF2PasswordHasher.iterations] * 2


def test_a_cookie_secret_is_no_bearer_and_a_bearer_secret_no_cookie() -> None:
    alice = person("alice")
    by_cookie, by_bearer = credential(alice, via="cookie"), credential(alice, via="bearer")
    assert call("GET", "/account", token=by_cookie.secret).status == 401
    assert from_our_page("GET", "/account", cookie=by_bearer.secret).status == 401
    assert from_our_page("GET", "/account", cookie=by_cookie.secret).status == 200


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "Bearer  ", "Token abc", "Bearer " + "x" * 5000])
def test_other_authorization_headers_are_401_with_a_challenge(header: str) -> None:
    answer = call("GET", "/account", HTTP_AUTHORIZATION=header)
    assert (answer.status, answer.code) == (401, "not_signed_in")
    assert answer.response.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_session_expires() -> None:
    alice = person("alice")
    old = clock.now() - dt.timedelta(days=401)
    assert call("GET", "/account", who=credential(alice, now=old)).status == 401
    assert call("GET", "/account", who=credential(alice, now=clock.now() - dt.timedelta(days=399))).status == 200


def test_a_banned_player_who_knows_the_password_is_told_so() -> None:
    alice = person("alice", password=PASSWORD)
    player_ban(player_id=alice.pk, reason="test", until=None, now=clock.now())
    right = call("POST", "/login", {"name": "alice", "password": PASSWORD, "credential": "token"})
    wrong = call("POST", "/login", {"name": "alice", "password": "wrong wrong", "credential": "token"})
    assert (right.code, wrong.code) == ("banned", "wrong_login")


def test_last_use_is_noted_at_most_once_an_hour() -> None:
    alice = signed_in("alice")
    call("GET", "/account", who=alice)
    alice.credential.refresh_from_db()
    first = alice.credential.last_used_at
    assert first is not None
    call("GET", "/account", who=alice)
    alice.credential.refresh_from_db()
    assert alice.credential.last_used_at == first
    Credential.objects.update(last_used_at=first - dt.timedelta(hours=2))
    call("GET", "/account", who=alice)
    alice.credential.refresh_from_db()
    assert alice.credential.last_used_at is not None
    assert alice.credential.last_used_at >= first


def test_finding_a_credential_is_one_query(django_assert_num_queries: object) -> None:
    alice = signed_in("alice")
    with django_assert_num_queries(1):  # type: ignore[operator]
        found = credential_find(token_hash=bytes(alice.credential.token_hash), via="bearer", now=clock.now())
    assert found is not None
    assert found.player_id == alice.player.pk


def test_beyond_fifty_sessions_the_oldest_end() -> None:
    alice = person("alice")
    sessions = [session_create(player=alice, via="bearer", now=clock.now())[0] for _ in range(SESSIONS_AT_MOST + 2)]
    live = list(Credential.objects.filter(revoked_at=None).order_by("id").values_list("id", flat=True))
    assert live == [session.pk for session in sessions[2:]]


def test_server_processes_hash_passwords_as_django_does_or_more() -> None:
    """The tests' own processes have cheap hashes (tests.server_settings); these are the real settings."""
    asked = "from django.contrib.auth.hashers import get_hasher; h = get_hasher(); print(h.algorithm, h.iterations)"
    algorithm, iterations = run_manage("shell", "-v", "0", "-c", asked).stdout.split()
    assert algorithm == "pbkdf2_sha256"
    assert int(iterations) >= 1_000_000
