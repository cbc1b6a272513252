"""A guest plays without signing up, and takes a name later without losing anything (R8.6)."""

from __future__ import annotations

from typing import Any

import pytest

from games import clock
from games.engine.cards import parse_cards
from games.engine.codes import composed_code, parse_code
from games.models import Attempt, Credential, Player
from games.services import attempt_move, attempt_start
from games.signals import attempt_finished
from tests.calls import call, from_our_page
from tests.factories import PASSWORD, SignedIn, credential, guest, person, signed_in, signed_in_guest

pytestmark = pytest.mark.django_db

DECK_Z = (
    "4C 5C 6C 4D 3C 2C AC 2D 3D KC QC JC TC 9C 8C 7C 6D 5D 3H 4H 5H 6H 7D 8D 9D TD JD QD 2H 7H 9H JH AD AH AS 2S 3S 4S "
    "5S 6S 7S 8H 8S 9S TH TS JS QH QS KD KH KS"
)
DECK_Z_CLEARED = (*range(18, 28), *range(9, 18), *range(3, 9), 0, 1, 2)


def play_deck_z(who: SignedIn) -> Attempt:
    """A won attempt at a composed open code."""
    code = composed_code("R", parse_cards(DECK_Z))
    attempt, _ = attempt_start(player_id=who.player.pk, code=code, start_key="z", practice=False, now=clock.now())
    for ply, slot in enumerate(DECK_Z_CLEARED):
        attempt_move(
            attempt_id=attempt.public_id,
            token_hash=bytes(who.credential.token_hash),
            via=who.credential.via,
            move=slot,
            expected_ply=ply,
            move_id=f"m{ply}",
            now=clock.now(),
        )
    attempt.refresh_from_db()
    assert attempt.result_outcome == "won"
    return attempt


def test_a_page_gets_its_guest_in_a_cookie_that_scripts_cannot_read() -> None:
    answer = from_our_page("POST", "/guests", {})
    assert answer.status == 201
    assert answer.json["player"]["kind"] == "guest"
    assert "token" not in answer.json
    morsel = answer.response.cookies["tripeaks"]
    assert morsel["httponly"]
    assert morsel["samesite"] == "Lax"
    assert morsel["path"] == "/"
    assert from_our_page("GET", "/account", cookie=answer.cookie).json["player"] == answer.json["player"]


def test_a_program_gets_its_guest_as_a_token_shown_once() -> None:
    answer = call("POST", "/guests", {"credential": "token"})
    assert answer.status == 201
    assert answer.cookie == ""
    account = call("GET", "/account", token=answer.json["token"])
    assert account.json["player"] == answer.json["player"]
    assert answer.json["token"] not in account.response.content.decode()


def test_a_browser_that_is_a_guest_already_stays_the_same_guest() -> None:
    first = from_our_page("POST", "/guests", {})
    again = from_our_page("POST", "/guests", {}, cookie=first.cookie)
    assert (again.status, again.json["player"]) == (200, first.json["player"])
    assert Player.objects.count() == 1


def test_a_dead_cookie_is_replaced_by_a_new_guest() -> None:
    answer = from_our_page("POST", "/guests", {}, cookie="tps_long_gone")
    assert answer.status == 201
    assert answer.cookie


@pytest.mark.parametrize("origin", [None, "https://evil.example", "null"])
def test_no_other_page_can_plant_a_guest_cookie(origin: str | None) -> None:
    answer = call("POST", "/guests", {"credential": "cookie"}, origin=origin)
    assert (answer.status, answer.code) == (403, "origin_refused")
    assert Player.objects.count() == 0


def test_the_secret_is_stored_as_a_hash_only() -> None:
    secret = call("POST", "/guests", {"credential": "token"}).json["token"]
    stored = Credential.objects.values().get()
    assert secret not in repr(stored)
    assert len(bytes(stored["token_hash"])) == 32


def test_claiming_keeps_the_player_and_shows_ten_recovery_codes_once() -> None:
    alice = signed_in_guest()
    answer = call("POST", "/account/claim", {"name": "alice", "password": PASSWORD}, who=alice)
    assert answer.status == 200
    assert answer.json["player"]["id"] == alice.player.public_id
    assert (answer.json["player"]["kind"], answer.json["player"]["name"]) == ("person", "alice")
    assert len(set(answer.json["recovery_codes"])) == 10
    assert call("GET", "/account", who=alice).json["player"]["name"] == "alice"


def test_claiming_ends_the_guests_other_credentials() -> None:
    alice = signed_in_guest()
    other = credential(alice.player)
    assert call("POST", "/account/claim", {"name": "alice", "password": PASSWORD}, who=alice).status == 200
    assert call("GET", "/account", who=alice).status == 200
    assert call("GET", "/account", who=other).status == 401


def test_a_claim_whose_answer_was_lost_can_be_repeated() -> None:
    alice = signed_in_guest()
    body = {"name": "alice", "password": PASSWORD}
    first, again = (call("POST", "/account/claim", body, who=alice) for _ in range(2))
    assert (first.status, again.status) == (200, 200)
    assert again.json["player"] == first.json["player"]
    stale = call("POST", "/account/recover", {
        "name": "alice", "recovery_code": first.json["recovery_codes"][0], "new_password": "another long one"
    })  # fmt: skip
    assert stale.code == "wrong_recovery", "the codes of the lost answer are void"


@pytest.mark.parametrize(
    "body", [{"name": "alicia", "password": PASSWORD}, {"name": "alice", "password": "something else"}]
)
def test_a_person_cannot_claim_again_under_another_name_or_password(body: dict[str, str]) -> None:
    alice = signed_in_guest()
    call("POST", "/account/claim", {"name": "alice", "password": PASSWORD}, who=alice)
    answer = call("POST", "/account/claim", body, who=alice)
    assert (answer.status, answer.code) == (409, "already_claimed")


@pytest.mark.parametrize("name", ["alice", "ALICE", "a1ice", "al-ice", "álice"])
def test_a_name_that_looks_taken_is_taken(name: str) -> None:
    person("alice")
    answer = call("POST", "/account/claim", {"name": name, "password": PASSWORD}, who=signed_in_guest())
    assert (answer.status, answer.code) == (409, "name_taken")


@pytest.mark.parametrize(
    ("name", "code"),
    [("<img src=x onerror=alert(1)>", "name_characters"), ("al\u202eice", "name_characters"), ("аlice", "name_scripts"),
     ("admin", "name_reserved"), ("x", "name_length")],
)  # fmt: skip
def test_bad_names_are_refused_with_their_reason_and_change_nothing(name: str, code: str) -> None:
    mallory = signed_in_guest()
    answer = call("POST", "/account/claim", {"name": name, "password": PASSWORD}, who=mallory)
    assert (answer.status, answer.code) == (400, code)
    mallory.player.refresh_from_db()
    assert mallory.player.kind == "guest"


@pytest.mark.parametrize("password", ["short", "password", "12345678901"])
def test_weak_passwords_are_refused(password: str) -> None:
    answer = call("POST", "/account/claim", {"name": "alice", "password": password}, who=signed_in_guest())
    assert (answer.status, answer.code) == (400, "password_weak")


def test_a_guests_results_on_open_codes_are_sent_to_the_boards_in_the_claim() -> None:
    alice = signed_in_guest()
    attempt = play_deck_z(alice)
    attempt_start(
        player_id=alice.player.pk, code=parse_code("TP1-E-AAAAAAB"), start_key="r", practice=False, now=clock.now()
    )
    attempt_start(
        player_id=alice.player.pk, code=parse_code("TP1-E-AAAAAAC"), start_key="p", practice=True, now=clock.now()
    )
    heard: list[tuple[str, str | None]] = []

    def hear(*, attempt: Attempt, **kwargs: Any) -> None:
        heard.append((attempt.public_id, attempt.player.name))

    attempt_finished.connect(hear)
    try:
        call("POST", "/account/claim", {"name": "alice", "password": PASSWORD}, who=alice)
    finally:
        attempt_finished.disconnect(hear)
    assert heard == [(attempt.public_id, "alice")]


def test_a_guests_result_on_a_sealed_deal_stays_unranked_for_good() -> None:
    alice = signed_in_guest()
    attempt = play_deck_z(alice)
    Attempt.objects.filter(pk=attempt.pk).update(sealed_until=clock.now())
    heard: list[Attempt] = []

    def hear(*, attempt: Attempt, **kwargs: Any) -> None:
        heard.append(attempt)

    attempt_finished.connect(hear)
    try:
        assert call("POST", "/account/claim", {"name": "alice", "password": PASSWORD}, who=alice).status == 200
    finally:
        attempt_finished.disconnect(hear)
    assert heard == []


def test_logging_in_never_merges_the_guest_that_was_here() -> None:
    person("alice", password=PASSWORD)
    visitor = from_our_page("POST", "/guests", {})
    answer = from_our_page("POST", "/login", {"name": "alice", "password": PASSWORD}, cookie=visitor.cookie)
    assert answer.json["player"]["id"] != visitor.json["player"]["id"]
    assert Player.objects.get(public_id=visitor.json["player"]["id"]).kind == "guest"


def test_only_the_players_own_sessions_manage_the_account() -> None:
    token = credential(guest(), kind="token", name="t")
    answer = call("POST", "/account/claim", {"name": "alice", "password": PASSWORD}, who=token)
    assert (answer.status, answer.code) == (403, "scope_missing")


def test_a_player_field_in_the_body_is_ignored() -> None:
    alice, mallory = signed_in("alice"), signed_in_guest()
    body = {"name": "mallory", "password": PASSWORD, "player": alice.player.public_id, "player_id": alice.player.pk}
    assert call("POST", "/account/claim", body, who=mallory).json["player"]["id"] == mallory.player.public_id
    alice.player.refresh_from_db()
    assert alice.player.name == "alice"
