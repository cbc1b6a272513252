"""The admin site shows staff what is there to be seen, and nothing that is hidden (R10.1); it deletes nothing."""

from __future__ import annotations

import datetime as dt

import pytest
from django.contrib import admin
from django.test import Client

from games import clock
from games.engine.cards import cards_text
from games.engine.codes import sealed_code
from games.engine.deals import deal_cards
from games.models import Attempt, Credential, Player
from games.services import attempt_start
from games.services.attempts import Competition
from tests.factories import SignedIn, credential, person
from tests.staff import signed_in_moderator

pytestmark = pytest.mark.django_db


@pytest.fixture
def mod() -> Client:
    client = Client()
    signed_in_moderator(client, role="superuser")
    return client


def sealed_attempt(who: SignedIn) -> Attempt:
    now = clock.now()
    competition = Competition("daily-2026-11-29", now + dt.timedelta(hours=1), now + dt.timedelta(hours=2), False, True)
    code = sealed_code("E", bytes(range(16)))
    attempt, _ = attempt_start(
        player_id=who.player.pk, code=code, start_key="k", practice=False, now=now, competition=competition
    )
    return attempt


def pages_of(client: Client, attempt: Attempt, who: SignedIn) -> str:
    paths = [
        "/admin/",
        "/admin/games/attempt/",
        f"/admin/games/attempt/{attempt.pk}/change/",
        "/admin/games/player/",
        f"/admin/games/player/{who.player.pk}/change/",
        "/admin/games/credential/",
        f"/admin/games/credential/{who.credential.pk}/change/",
    ]
    answers = [client.get(path) for path in paths]
    assert [answer.status_code for answer in answers] == [200] * len(paths)
    return "".join(answer.content.decode() for answer in answers)


def test_a_sealed_running_attempt_shows_neither_code_nor_cards(mod: Client) -> None:
    alice = credential(person("alice"))
    attempt = sealed_attempt(alice)
    seen = pages_of(mod, attempt, alice)
    code = sealed_code("E", bytes(range(16)))
    assert code.text not in seen
    assert code.text.split("-")[-1] not in seen
    assert cards_text(deal_cards(code)) not in seen
    assert repr(bytes(deal_cards(code))) not in seen
    assert "sealed" in seen


def test_the_same_pages_show_an_open_code_so_the_search_above_can_fail(mod: Client) -> None:
    alice = credential(person("alice"))
    attempt = sealed_attempt(alice)
    Attempt.objects.update(sealed_until=clock.now() - dt.timedelta(seconds=1))
    assert sealed_code("E", bytes(range(16))).text in pages_of(mod, attempt, alice)


def test_a_search_for_the_code_of_a_sealed_attempt_confirms_nothing(mod: Client) -> None:
    attempt = sealed_attempt(credential(person("alice")))
    found = mod.get("/admin/games/attempt/", {"q": sealed_code("E", bytes(range(16))).text}).content.decode()
    assert attempt.public_id not in found
    assert attempt.public_id in mod.get("/admin/games/attempt/", {"q": attempt.public_id}).content.decode()


def test_no_page_shows_a_credentials_hash(mod: Client) -> None:
    alice = credential(person("alice"))
    seen = pages_of(mod, sealed_attempt(alice), alice)
    assert bytes(alice.credential.token_hash).hex() not in seen
    assert repr(bytes(alice.credential.token_hash)) not in seen
    assert alice.secret not in seen


@pytest.mark.parametrize("model", [Player, Credential, Attempt])
def test_nothing_is_added_changed_or_deleted_here(mod: Client, model: type[Player | Credential | Attempt]) -> None:
    alice = credential(person("alice"))
    attempt = sealed_attempt(alice)
    row = {Player: alice.player, Credential: alice.credential, Attempt: attempt}[model]
    base = f"/admin/games/{model._meta.model_name}"
    for path in (f"{base}/add/", f"{base}/{row.pk}/change/", f"{base}/{row.pk}/delete/"):
        assert mod.post(path, {"post": "yes"}).status_code == 403
    mod.post(f"{base}/", {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert model._default_manager.filter(pk=row.pk).exists()
    assert admin.site._registry[model].actions is None


def test_a_name_is_escaped_wherever_it_is_shown(mod: Client) -> None:
    alice = credential(person("alice"))
    Player.objects.filter(pk=alice.player.pk).update(name="<b onclick=x>")  # not a name one can take
    seen = pages_of(mod, sealed_attempt(alice), alice)
    assert "<b onclick=x>" not in seen
    assert "&lt;b onclick=x&gt;" in seen


def test_players_who_are_not_staff_see_nothing() -> None:
    client = Client()
    client.force_login(person("mallory"))
    assert client.get("/admin/games/attempt/").status_code == 302


def test_superusers_are_made_by_command_also_with_a_name_of_authority() -> None:
    admin_person = Player.objects.create_superuser(name="admin", password="pw")
    assert (admin_person.kind, admin_person.is_superuser) == ("person", True)
    assert Player.objects.get_by_natural_key("Adm1n") == admin_person
    assert Client().login(username="admin", password="pw")
