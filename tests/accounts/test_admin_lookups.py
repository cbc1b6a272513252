"""A moderator's address bar asks for no column that the admin site does not show (R10.1): filters answer yes or no."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.accounts.test_admin import sealed_attempt
from tests.factories import SignedIn, credential, person
from tests.staff import signed_in_moderator

pytestmark = pytest.mark.django_db


@pytest.fixture
def mod() -> Client:
    client = Client()
    signed_in_moderator(client, role="superuser")
    return client


@pytest.fixture
def alice() -> SignedIn:
    return credential(person("alice"))


@pytest.mark.parametrize("lookup", ["code", "code__startswith", "code__gt", "deal__cards", "deal", "result_ply__gt"])
def test_attempts_are_not_found_by_what_is_sealed(mod: Client, alice: SignedIn, lookup: str) -> None:
    attempt = sealed_attempt(alice)
    value = "1" if lookup.startswith(("deal", "result")) else attempt.code[:8]
    assert mod.get("/admin/games/attempt/", {lookup: value}).status_code == 400


@pytest.mark.parametrize("lookup", ["code__startswith", "deal__cards", "best_score__gt", "difficulty__gt"])
def test_dailies_are_not_found_by_what_is_sealed(mod: Client, lookup: str) -> None:
    assert mod.get("/admin/leaderboards/dailychallenge/", {lookup: "1"}).status_code == 400


@pytest.mark.parametrize(
    ("model", "lookup"), [("player", "password__startswith"), ("credential", "token_hash"), ("entry", "attempt__code")]
)
def test_rows_are_not_found_by_secrets(mod: Client, alice: SignedIn, model: str, lookup: str) -> None:
    app = "leaderboards" if model == "entry" else "games"
    assert mod.get(f"/admin/{app}/{model}/", {lookup: "p"}).status_code == 400


def test_the_filters_beside_the_list_still_work(mod: Client, alice: SignedIn) -> None:
    attempt = sealed_attempt(alice)
    for query, found in (({"ruleset": "E"}, True), ({"ruleset": "C"}, False), ({"outcome__isnull": "True"}, True)):
        answer = mod.get("/admin/games/attempt/", query)
        assert answer.status_code == 200
        assert (attempt.public_id in answer.content.decode()) is found
    assert mod.get("/admin/leaderboards/board/", {"kind__exact": "bots"}).status_code == 200
    assert mod.get("/admin/games/player/", {"is_staff__exact": "1"}).status_code == 200
