"""API tokens: shown once, listed, revocable, scoped. Bots: made by a person, and bots for good."""

from __future__ import annotations

import pytest

from games.models import Player
from games.services.players import BOTS_AT_MOST
from tests.calls import call
from tests.factories import SignedIn, bot, person, signed_in, signed_in_guest, token

pytestmark = pytest.mark.django_db


def new_token(who: SignedIn, path: str = "/account/tokens", **body: object) -> tuple[str, dict[str, object]]:
    answer = call("POST", path, {"name": "laptop", **body}, who=who)
    assert answer.status == 201
    return answer.json["token"], answer.json["credential"]


def test_a_token_is_shown_once_and_listed_without_its_secret() -> None:
    alice = signed_in("alice")
    secret, credential = new_token(alice)
    assert call("GET", "/account", token=secret).json["player"]["name"] == "alice"
    listed = call("GET", "/account/tokens", who=alice)
    assert [one["id"] for one in listed.json["credentials"]] == [credential["id"], alice.credential.public_id]
    assert [one["current"] for one in listed.json["credentials"]] == [False, True]
    assert secret not in listed.response.content.decode()
    assert "hash" not in listed.response.content.decode()


def test_a_revoked_token_gives_no_rights_and_revoking_again_is_as_good() -> None:
    alice = signed_in("alice")
    secret, credential = new_token(alice)
    for _ in range(2):
        assert call("DELETE", f"/account/tokens/{credential['id']}", who=alice).status == 200
    assert call("GET", "/account", token=secret).status == 401
    assert len(call("GET", "/account/tokens", who=alice).json["credentials"]) == 1


def test_somebody_elses_token_is_404_like_an_unknown_one() -> None:
    alice, mallory = signed_in("alice"), signed_in("mallory")
    secret, credential = new_token(alice)
    foreign = call("DELETE", f"/account/tokens/{credential['id']}", who=mallory)
    unknown = call("DELETE", "/account/tokens/0000000000000000", who=mallory)
    assert (foreign.status, foreign.json) == (unknown.status, unknown.json) == (404, foreign.json)
    assert call("GET", "/account", token=secret).status == 200


@pytest.mark.parametrize("scopes", [["manage"], ["read", "manage"], [], "read", [1], ["READ"], {"read": 1}])
def test_scopes_are_read_and_play_only(scopes: object) -> None:
    answer = call("POST", "/account/tokens", {"name": "x", "scopes": scopes}, who=signed_in("alice"))
    assert (answer.status, answer.code, answer.data["field"]) == (400, "bad_field", "scopes")


def test_a_reading_token_does_not_play() -> None:
    alice = person("alice")
    body = {"key": "k", "code": "TP1-E-AAAAAAB"}
    assert call("POST", "/attempts", body, who=token(alice, "read")).code == "scope_missing"
    assert call("POST", "/attempts", body, who=token(alice, "play")).status == 201
    assert call("GET", "/attempts", who=token(alice, "play")).code == "scope_missing"
    assert call("GET", "/attempts", who=token(alice, "read")).status == 200


def test_a_bot_belongs_to_its_owner_and_plays_by_its_own_token() -> None:
    alice = signed_in("alice")
    made = call("POST", "/account/bots", {"name": "robotnik"}, who=alice)
    assert (made.status, made.json["player"]["kind"]) == (201, "bot")
    again = call("POST", "/account/bots", {"name": "robotnik"}, who=alice)
    assert again.json == made.json, "the same name brings the same bot"
    secret, _ = new_token(alice, f"/account/bots/{made.json['player']['id']}/tokens")
    assert call("GET", "/account", token=secret).json["player"] == made.json["player"]
    assert call("GET", "/account/bots", who=alice).json["bots"] == [made.json["player"]]
    assert Player.objects.get(name="robotnik").owner == alice.player


def test_a_bots_token_is_listed_and_revoked_by_its_owner_only() -> None:
    alice, mallory = signed_in("alice"), signed_in("mallory")
    robot = token(bot("robot", owner=alice.player))
    listed = call("GET", "/account/tokens", who=alice).json["credentials"]
    assert listed[0]["player"]["name"] == "robot"
    path = f"/account/tokens/{robot.credential.public_id}"
    assert call("DELETE", path, who=mallory).status == 404
    assert call("DELETE", path, who=alice).status == 200
    assert call("GET", "/account", who=robot).status == 401


def test_nobody_makes_tokens_for_somebody_elses_bot() -> None:
    robot = bot("robot", owner=person("alice"))
    answer = call("POST", f"/account/bots/{robot.public_id}/tokens", {"name": "x"}, who=signed_in("mallory"))
    assert (answer.status, answer.code) == (404, "not_found")


def test_guests_and_bots_have_no_bots() -> None:
    assert call("POST", "/account/bots", {"name": "robot"}, who=signed_in_guest()).code == "persons_only"
    assert call("POST", "/account/bots", {"name": "robot"}, who=token(bot("robby"))).code == "scope_missing"


def test_a_person_has_so_many_bots_and_no_more() -> None:
    alice = signed_in("alice")
    for number in range(BOTS_AT_MOST):
        bot(f"robot {chr(97 + number)}", owner=alice.player)
    assert call("POST", "/account/bots", {"name": "one too many"}, who=alice).code == "too_many_bots"


def test_a_bot_takes_no_name_that_looks_like_a_persons() -> None:
    person("alice")
    assert call("POST", "/account/bots", {"name": "a1ice"}, who=signed_in("bob")).code == "name_taken"
