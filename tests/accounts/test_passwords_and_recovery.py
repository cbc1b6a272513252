"""Changing and recovering passwords: everything that was signed in ends, but for the one that changed it."""

from __future__ import annotations

import pytest

from games.models import RecoveryCode
from tests.calls import call
from tests.factories import PASSWORD, SignedIn, bot, credential, person, signed_in_guest, token

pytestmark = pytest.mark.django_db
NEW = "a much better one"


def alice_signed_in() -> SignedIn:
    return credential(person("alice", password=PASSWORD))


def alice_with_codes() -> tuple[SignedIn, list[str]]:
    alice = signed_in_guest()
    answer = call("POST", "/account/claim", {"name": "alice", "password": PASSWORD}, who=alice)
    return alice, answer.json["recovery_codes"]


def login(password: str) -> int:
    return call("POST", "/login", {"name": "alice", "password": password, "credential": "token"}).status


def recover(code: str, password: str = NEW, name: str = "alice") -> int:
    body = {"name": name, "recovery_code": code, "new_password": password}
    return call("POST", "/account/recover", body).status


def test_a_changed_password_ends_all_other_sessions_and_all_tokens() -> None:
    alice = alice_signed_in()
    laptop, program = credential(alice.player), token(alice.player)
    robot = token(bot("robot", owner=alice.player))
    bob = credential(person("bob"))
    assert call("POST", "/account/password", {"old": PASSWORD, "new": NEW}, who=alice).status == 200
    statuses = [call("GET", "/account", who=who).status for who in (alice, bob, laptop, program, robot)]
    assert statuses == [200, 200, 401, 401, 401]
    assert (login(PASSWORD), login(NEW)) == (403, 200)


def test_a_wrong_old_password_changes_nothing() -> None:
    alice = alice_signed_in()
    answer = call("POST", "/account/password", {"old": "wrong wrong", "new": NEW}, who=alice)
    assert (answer.status, answer.code) == (403, "wrong_password")
    assert login(PASSWORD) == 200


def test_a_password_change_whose_answer_was_lost_can_be_repeated() -> None:
    alice = alice_signed_in()
    body = {"old": PASSWORD, "new": NEW}
    assert [call("POST", "/account/password", body, who=alice).status for _ in range(2)] == [200, 200]


def test_a_guest_has_no_password_to_change_and_no_recovery_codes() -> None:
    guest = signed_in_guest()
    assert call("POST", "/account/password", {"old": "", "new": NEW}, who=guest).code == "bad_field"
    assert call("POST", "/account/password", {"old": "x", "new": NEW}, who=guest).code == "wrong_password"
    assert call("POST", "/account/recovery-codes", {"password": "x"}, who=guest).code == "persons_only"


def test_a_token_never_manages_the_account() -> None:
    program = token(person("alice", password=PASSWORD))
    for path, body in [
        ("/account/password", {"old": PASSWORD, "new": NEW}),
        ("/account/recovery-codes", {"password": PASSWORD}),
        ("/account/tokens", {"name": "more"}),
        ("/account/bots", {"name": "robot"}),
    ]:
        assert call("POST", path, body, who=program).code == "scope_missing"
    assert call("GET", "/account/tokens", who=program).code == "scope_missing"


def test_a_recovery_code_sets_a_new_password_once_and_ends_everything() -> None:
    alice, codes = alice_with_codes()
    program = token(alice.player)
    assert recover(codes[3]) == 200
    assert [call("GET", "/account", who=who).status for who in (alice, program)] == [401, 401]
    assert (login(PASSWORD), login(NEW)) == (403, 200)
    assert recover(codes[3], "yet another one") == 403, "used"
    assert recover(codes[4], "yet another one") == 200


def test_a_recovery_whose_answer_was_lost_can_be_repeated() -> None:
    _, codes = alice_with_codes()
    assert (recover(codes[0]), recover(codes[0])) == (200, 200)
    assert RecoveryCode.objects.filter(used_at=None).count() == 9


def test_recovery_codes_forgive_case_spaces_dashes_and_look_alikes() -> None:
    _, codes = alice_with_codes()
    typed = codes[0].upper().replace("-", " ").replace("1", "I").replace("0", "O")
    assert recover(typed) == 200


@pytest.mark.parametrize("name", ["alice", "nobody here", ""])
def test_unknown_names_and_wrong_codes_are_refused_alike(name: str) -> None:
    alice_with_codes()
    answer = call(
        "POST", "/account/recover", {"name": name or "?", "recovery_code": "0000-0000-0000-0000", "new_password": NEW}
    )
    assert (answer.status, answer.code) == (403, "wrong_recovery")


def test_somebody_elses_code_is_worth_nothing() -> None:
    _, codes = alice_with_codes()
    person("bob", password=PASSWORD)
    assert recover(codes[0], name="bob") == 403


def test_renewed_codes_replace_the_earlier_ones() -> None:
    alice, codes = alice_with_codes()
    assert call("POST", "/account/recovery-codes", {"password": "wrong wrong"}, who=alice).code == "wrong_password"
    renewed = call("POST", "/account/recovery-codes", {"password": PASSWORD}, who=alice).json["recovery_codes"]
    assert not set(renewed) & set(codes)
    assert (recover(codes[0]), recover(renewed[0])) == (403, 200)


def test_codes_are_stored_as_hashes_only() -> None:
    _, codes = alice_with_codes()
    stored = repr(list(RecoveryCode.objects.values()))
    assert not any(code in stored or code.replace("-", "") in stored for code in codes)
