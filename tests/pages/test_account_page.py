"""The page of oneself as the server writes it: what fits who looks, never a secret, nothing that a form could leak."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from games import clock
from games.models import Player
from games.services import bot_create, token_create
from tests.factories import SignedIn, credential, guest, person, token

pytestmark = pytest.mark.django_db(transaction=True)


def seen_by(who: SignedIn | None, address: str = "/account") -> str:
    browser = Client()
    if who is not None:
        browser.cookies["tripeaks"] = who.secret
    answer = browser.get(address)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.content.decode()


def by_cookie(player: Player) -> SignedIn:
    return credential(player, via="cookie")


@pytest.fixture
def alice() -> SignedIn:
    return by_cookie(person("Alice O'Hara"))


def test_a_visitor_is_told_that_no_account_is_needed() -> None:
    html = seen_by(None)
    assert "You need no account to play" in html
    assert 'href="/play/daily"' in html
    assert "Take this name" not in html


def test_a_guest_may_take_a_name() -> None:
    html = seen_by(by_cookie(guest()))
    assert "You play as a guest" in html
    assert 'data-act="claim"' in html
    assert 'data-act="login"' not in html


def test_a_person_sees_what_there_is_and_no_secret(alice: SignedIn) -> None:
    bot = bot_create(owner_id=alice.player.pk, name="alices robot", now=clock.now())
    scopes = ["read"]
    secrets = [
        token_create(player_id=player.pk, name=name, scopes=scopes, now=clock.now())[1]
        for player, name in ((alice.player, "spreadsheet"), (bot, "deep search"))
    ]
    html = seen_by(alice)
    for words in ("Alice O&#x27;Hara", "alices robot", "spreadsheet", "deep search", "This browser"):
        assert words in html
    assert "To be sure, type your name: Alice O&#x27;Hara" in html
    assert not any(secret in html for secret in (alice.secret, *secrets))


def test_others_see_nothing_of_it(alice: SignedIn) -> None:
    token_create(player_id=alice.player.pk, name="spreadsheet", scopes=["read"], now=clock.now())
    html = seen_by(by_cookie(person("mallory")))
    assert "spreadsheet" not in html
    assert "Alice" not in html


def test_a_token_is_not_a_browser(alice: SignedIn) -> None:
    program = token(alice.player)
    html = Client().get("/account", **program.meta).content.decode()  # type: ignore[arg-type]
    assert "You need no account to play" in html


def test_no_form_can_put_a_password_into_an_address_or_be_sent_without_the_script(alice: SignedIn) -> None:
    for who in (None, by_cookie(guest()), alice):
        html = seen_by(who)
        forms = re.findall(r"<form[^>]*data-act[^>]*>.*?</form>", html, re.DOTALL)
        assert forms
        for form in forms:
            assert 'method="post"' in form
            if 'type="password"' in form:
                assert re.search(r'<button[^>]*type="submit"[^>]*disabled', form)
    assert Client().post("/account", {"password": "secret"}).status_code in (403, 405)


def test_every_password_field_tells_password_managers_what_it_is(alice: SignedIn) -> None:
    for who in (None, by_cookie(guest()), alice):
        fields = re.findall(r'<input[^>]*type="password"[^>]*>', seen_by(who))
        assert fields
        assert all(re.search(r'autocomplete="(current|new)-password"', field) for field in fields)


def test_it_leads_on_to_our_own_pages_only(alice: SignedIn) -> None:
    assert 'data-next="/play/daily"' in seen_by(None, "/account?next=/play/daily")
    for elsewhere in ("https://evil.example", "//evil.example", "javascript:alert(1)"):
        assert 'data-next=""' in seen_by(None, f"/account?next={elsewhere}")


def test_ids_are_unique_and_descriptions_lead_somewhere(alice: SignedIn) -> None:
    bot_create(owner_id=alice.player.pk, name="alices robot", now=clock.now())
    for who in (None, by_cookie(guest()), alice):
        html = seen_by(who)
        ids = re.findall(r'\sid="([^"]+)"', html)
        assert len(ids) == len(set(ids))
        told = " ".join(re.findall(r'aria-(?:describedby|labelledby)="([^"]+)"', html)).split()
        assert set(told) <= set(ids)
