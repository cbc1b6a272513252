"""Two players of one browser: written down when one's session takes the place of the other's, and by nothing else."""

from __future__ import annotations

import datetime as dt

import psycopg
import pytest
from django.db import connection
from pytest_django import Settings

from games import clock
from games.models import Credential, Player, SharedBrowser
from games.services import account_login, evidence_purge, player_ban, player_delete
from tests.calls import Answer, call, from_our_page
from tests.factories import PASSWORD, credential, person, token

pytestmark = pytest.mark.django_db

DAY = dt.timedelta(days=1)


def login(name: str, cookie: str = "") -> Answer:
    answer = from_our_page("POST", "/login", {"name": name, "password": PASSWORD, "banned_too": True}, cookie=cookie)
    assert answer.status == 200
    return answer


def pairs() -> list[tuple[int, int]]:
    return list(SharedBrowser.objects.order_by("id").values_list("first_id", "second_id"))


def newest() -> Player:
    return Player.objects.latest("id")


def test_whoever_signs_in_over_a_guest_or_an_account_has_used_the_same_browser() -> None:
    alice, bob = person("alice", password=PASSWORD), person("bob", password=PASSWORD)
    visit = from_our_page("POST", "/guests", {})
    looker = newest()
    assert pairs() == []
    signed = login("bob", visit.cookie)
    assert pairs() == [(bob.pk, looker.pk)]
    login("alice", signed.cookie)
    assert pairs() == [(bob.pk, looker.pk), (alice.pk, bob.pk)]


def test_a_new_guest_in_a_banned_player_s_browser_has_used_it_too() -> None:
    alice = person("alice", password=PASSWORD)
    signed = login("alice")
    player_ban(player_id=alice.pk, reason="test", until=None, now=clock.now())
    assert from_our_page("POST", "/guests", {}, cookie=signed.cookie).status == 201
    assert pairs() == [(alice.pk, newest().pk)]
    assert (
        from_our_page("POST", "/guests", {}, cookie=login("alice").cookie).status == 201
    )  # a session that gives nothing
    assert len(pairs()) == 2


def test_a_session_that_was_ended_elsewhere_is_still_of_that_browser() -> None:
    alice, bob = person("alice", password=PASSWORD), person("bob", password=PASSWORD)
    signed = login("alice")
    Credential.objects.update(revoked_at=clock.now())
    login("bob", signed.cookie)
    assert pairs() == [(alice.pk, bob.pk)]


def test_a_claim_links_nobody_and_neither_does_the_same_player_again() -> None:
    visit = from_our_page("POST", "/guests", {})
    claimed = from_our_page("POST", "/account/claim", {"name": "alice", "password": PASSWORD}, cookie=visit.cookie)
    assert claimed.status == 200
    login("alice", visit.cookie)
    assert from_our_page("POST", "/guests", {}, cookie=visit.cookie).status == 200
    assert SharedBrowser.objects.count() == 0
    person("bob", password=PASSWORD)
    login("bob", visit.cookie)  # control
    assert SharedBrowser.objects.count() == 1


def test_whoever_signs_out_first_is_not_linked_and_no_program_is() -> None:
    alice = person("alice", password=PASSWORD)
    person("bob", password=PASSWORD)
    signed = login("alice")
    out = from_our_page("POST", "/logout", cookie=signed.cookie)
    login("bob", out.cookie)
    wanted = {"name": "bob", "password": PASSWORD, "credential": "token"}
    assert call("POST", "/login", wanted, who=credential(alice)).status == 200
    login("bob", token(alice).secret)
    login("bob", "nobody's")
    assert SharedBrowser.objects.count() == 0


def test_a_refused_sign_in_links_nobody() -> None:
    person("alice", password=PASSWORD)
    visit = from_our_page("POST", "/guests", {})
    wrong = from_our_page("POST", "/login", {"name": "alice", "password": "wrong wrong"}, cookie=visit.cookie)
    assert wrong.code == "wrong_login"
    assert SharedBrowser.objects.count() == 0


def test_a_repeat_in_either_order_keeps_one_row_with_the_first_and_the_latest_time() -> None:
    alice, bob = person("alice", password=PASSWORD), person("bob", password=PASSWORD)
    now = clock.now()
    by_cookie = {player: credential(player, via="cookie", now=now).credential for player in (alice, bob)}
    for player, other, days in ((bob, alice, 0), (alice, bob, 3), (bob, alice, 2)):
        browser = bytes(by_cookie[other].token_hash)
        for _ in range(2):
            account_login(name=str(player.name), password=PASSWORD, via="cookie", now=now + days * DAY, browser=browser)
    row = SharedBrowser.objects.get()
    assert (row.first_id, row.second_id, row.first_at, row.at) == (alice.pk, bob.pk, now, now + 3 * DAY)


def test_it_goes_with_either_account_and_none_comes_for_a_deleted_one() -> None:
    person("alice", password=PASSWORD)
    bob = person("bob", password=PASSWORD)
    visit = from_our_page("POST", "/guests", {})
    looker = newest()
    signed = login("alice", visit.cookie)
    login("bob", signed.cookie)
    login("bob", visit.cookie)
    assert len(pairs()) == 3
    player_delete(player_id=looker.pk, now=clock.now())
    assert len(pairs()) == 1
    login("bob", visit.cookie)
    assert len(pairs()) == 1
    player_delete(player_id=bob.pk, now=clock.now())
    assert pairs() == []


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_at_the_door_for_whoever_deletes_the_other_account() -> None:
    """The deletion may be about to wait for the row that the one who signs in has locked (merged accounts)."""
    alice = person("alice", password=PASSWORD)
    visit = from_our_page("POST", "/guests", {})
    with psycopg.connect(**connection.get_connection_params()) as deleting:
        deleting.execute("SELECT FROM games_player WHERE id = %s FOR UPDATE", [newest().pk])
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        login("alice", visit.cookie)
        assert pairs() == []
    login("alice", visit.cookie)
    assert len(pairs()) == 1
    assert Credential.objects.filter(player=alice).count() == 2
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")


def test_it_goes_by_age_with_the_other_evidence(settings: Settings) -> None:
    settings.EVIDENCE_DAYS = 10
    now = clock.now()
    alice = person("alice")
    for days in (2, 9, 11, 30):
        other = person()
        SharedBrowser.objects.create(first=alice, second=other, first_at=now - 40 * DAY, at=now - days * DAY)
    assert evidence_purge(now=now, batch=1) == 2
    assert evidence_purge(now=now, batch=1) == 0
    assert sorted(round((now - row.at) / DAY) for row in SharedBrowser.objects.all()) == [2, 9]
