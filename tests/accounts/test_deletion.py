"""A deleted account (C15, its account part): no name, no right, no history for whoever takes the name next."""

from __future__ import annotations

import datetime as dt
import io

import pytest
from django.core.management import call_command
from pytest_django import Settings

from games import clock
from games.models import Attempt, Move, Player, RecoveryCode
from games.services import player_delete
from tests.calls import call
from tests.factories import PASSWORD, SignedIn, bot, credential, person, signed_in_guest, token

pytestmark = pytest.mark.django_db


def one_move(who: SignedIn) -> None:
    started = call("POST", "/attempts", {"key": "k", "code": "TP1-E-AAAAAAB"}, who=who)
    path = f"/attempts/{started.json['attempt']['id']}/moves"
    assert call("POST", path, {"move": "t20", "expected_ply": 0, "move_id": "m1"}, who=who).status == 200


def test_name_password_codes_and_rights_go_with_the_bots() -> None:
    alice = signed_in_guest()
    call("POST", "/account/claim", {"name": "alice", "password": PASSWORD}, who=alice)
    program, robot = token(alice.player), token(bot("robot", owner=alice.player))
    now = clock.now()
    deleted = player_delete(player_id=alice.player.pk, now=now)
    assert deleted == [alice.player.pk, robot.player.pk]
    for who in (alice, program, robot):
        assert call("GET", "/account", who=who).status == 401
        who.player.refresh_from_db()
        assert (who.player.name, who.player.name_key, who.player.deleted_at) == (None, None, now)
    assert not Player.objects.get(pk=alice.player.pk).has_usable_password()
    assert RecoveryCode.objects.count() == 0
    assert call("POST", "/login", {"name": "alice", "password": PASSWORD, "credential": "token"}).code == "wrong_login"


def test_deleting_twice_is_as_good_as_once() -> None:
    alice, first = person("alice"), clock.now()
    player_delete(player_id=alice.pk, now=first)
    assert player_delete(player_id=alice.pk, now=first + dt.timedelta(days=1)) == [alice.pk]
    alice.refresh_from_db()
    assert alice.deleted_at == first


def test_the_name_is_free_again_and_brings_no_history() -> None:
    alice = credential(person("alice"))
    one_move(alice)
    player_delete(player_id=alice.player.pk, now=clock.now())
    successor = signed_in_guest()
    claimed = call("POST", "/account/claim", {"name": "alice", "password": PASSWORD}, who=successor)
    assert claimed.json["player"]["id"] == successor.player.public_id != alice.player.public_id
    assert call("GET", "/attempts", who=successor).json["attempts"] == []


def test_moves_stay_unnamed_for_the_stated_time_and_then_go(settings: Settings) -> None:
    settings.DELETED_MOVES_DAYS = 30
    alice, bob = credential(person("alice")), credential(person("bob"))
    one_move(alice)
    one_move(bob)
    player_delete(player_id=alice.player.pk, now=clock.now() - dt.timedelta(days=29))
    call_command("purge_deleted", stdout=io.StringIO())
    assert (Attempt.objects.count(), Move.objects.count()) == (2, 2)
    Player.objects.filter(pk=alice.player.pk).update(deleted_at=clock.now() - dt.timedelta(days=30))
    out = io.StringIO()
    call_command("purge_deleted", stdout=out)
    assert out.getvalue().startswith("1 attempts")
    assert Attempt.objects.get().player == bob.player
    assert Move.objects.count() == 1
    assert Player.objects.filter(pk=alice.player.pk).exists()
