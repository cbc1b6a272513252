"""What players are told of decisions, their one appeal against each, and who answers it."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connections

from games import clock
from games.errors import GameError
from leaderboards.moderation.actions import action_revert, attempt_clear
from leaderboards.moderation.appeals import appeal_answer, appeal_make
from leaderboards.moderation.models import Appeal, Case, ModeratorAction, Notice, Report
from leaderboards.services import account_delete
from tests.calls import Answer, call
from tests.factories import PASSWORD, SignedIn, bot, credential, person, token

from .fair import WHY, banned, disqualified, held, player, result, staff, warned

pytestmark = pytest.mark.django_db(transaction=True)


def notices(who: SignedIn, query: str = "") -> Any:
    answer = call("GET", f"/account/notices{query}", who=who)
    assert answer.status == 200
    return answer.json


def appeal(who: SignedIn, notice_id: str, text: str = "It was my own line.") -> Answer:
    return call("POST", f"/account/notices/{notice_id}/appeal", {"text": text}, who=who)


def answered(
    notice_id: str, by: Any, *, accept: bool = False, answer: str = "We have looked again."
) -> ModeratorAction:
    return appeal_answer(notice_id=notice_id, moderator_id=by.pk, accept=accept, answer=answer, now=clock.now())


# --- notices -------------------------------------------------------------------------------------------------------


def test_a_player_is_told_what_was_decided_and_not_by_whom_nor_the_inner_reason() -> None:
    alice, mod = player("alice"), staff("mod")
    attempt = result(alice.player)
    disqualified(attempt, mod)
    [told] = notices(alice)["notices"]
    assert (told["kind"], told["reason_class"], told["words"]) == ("disqualified", "copied", WHY["words"])
    assert (told["attempt"], told["read"], told["appealable"], told["appeal"]) == (attempt.public_id, False, True, None)
    assert "mod" not in str(told)
    assert WHY["reason"] not in str(told)


def test_the_newest_come_first_page_by_page() -> None:
    alice, mod = player("alice"), staff("mod")
    attempt = result(alice.player)
    held(attempt)
    attempt_clear(attempt_id=attempt.public_id, moderator_id=mod.pk, now=clock.now(), **WHY)
    warned(alice.player, mod)
    first = notices(alice, "?limit=2")
    assert [each["kind"] for each in first["notices"]] == ["warned", "cleared"]
    second = notices(alice, f"?limit=2&cursor={first['next']}")
    assert [each["kind"] for each in second["notices"]] == ["under_review"]
    assert second["next"] is None
    assert call("GET", "/account/notices?cursor=zz", who=alice).code == "bad_cursor"


def test_reading_marks_what_was_seen_and_nothing_newer() -> None:
    alice, mod = player("alice"), staff("mod")
    warned(alice.player, mod)
    seen = notices(alice)["notices"][0]["id"]
    disqualified(result(alice.player), mod)
    for marked in (1, 0):
        answer = call("POST", "/account/notices/read", {"newest": seen}, who=alice)
        assert (answer.status, answer.json) == (200, {"marked": marked})
    after = notices(alice)
    assert ([each["read"] for each in after["notices"]], after["unread"]) == ([False, True], 1)
    stranger = call("POST", "/account/notices/read", {"newest": seen}, who=player("mallory"))
    assert (stranger.status, stranger.code) == (404, "not_found")


def test_what_bots_are_told_their_owners_read() -> None:
    alice, mod = player("alice"), staff("mod")
    robot = bot("robot", owner=alice.player)
    warned(robot, mod)
    [told] = notices(alice)["notices"]
    assert told["player"] == {"id": robot.public_id, "name": "robot"}
    assert appeal(alice, told["id"]).status == 200


def test_notices_are_ones_own_and_no_programs_matter() -> None:
    alice, mod = player("alice"), staff("mod")
    warned(alice.player, mod)
    assert notices(player("bob"))["notices"] == []
    assert call("GET", "/account/notices", who=token(alice.player)).code == "scope_missing"
    assert call("GET", "/account/notices").status == 401


def test_a_decision_that_was_taken_back_says_so_and_cannot_be_appealed() -> None:
    alice, mod = player("alice"), staff("mod")
    action = disqualified(result(alice.player), mod)
    action_revert(action_id=action.public_id, moderator_id=mod.pk, reason="mistake", words="", now=clock.now())
    newer, older = notices(alice)["notices"]
    assert (newer["kind"], older["taken_back"], older["appealable"]) == ("reinstated", True, False)
    assert appeal(alice, older["id"]).code == "taken_back"
    assert appeal(alice, newer["id"]).code == "not_appealable"


# --- appeals -------------------------------------------------------------------------------------------------------


def test_an_appeal_brings_the_case_back_and_has_a_status() -> None:
    alice, mod = player("alice"), staff("mod")
    attempt = result(alice.player)
    disqualified(attempt, mod)
    [told] = notices(alice)["notices"]
    made = appeal(alice, told["id"])
    assert made.status == 200
    assert (made.json["appeal"]["state"], made.json["appeal"]["answer"]) == ("open", "")
    case = Case.objects.get(attempt=attempt)
    assert (case.closed_at, "appeal" in case.reasons) == (None, True)
    assert notices(alice)["notices"][0]["appeal"]["text"] == "It was my own line."


def test_it_can_be_said_once_and_repeated_safely() -> None:
    alice, mod = player("alice"), staff("mod")
    warned(alice.player, mod)
    told = notices(alice)["notices"][0]["id"]
    first, same, other = appeal(alice, told), appeal(alice, told), appeal(alice, told, "And another thing.")
    assert (first.status, same.status, same.json) == (200, 200, first.json)
    assert (other.status, other.code) == (409, "already_appealed")
    assert Appeal.objects.count() == 1


def test_nobody_appeals_for_others() -> None:
    alice, mod = player("alice"), staff("mod")
    warned(alice.player, mod)
    told = notices(alice)["notices"][0]["id"]
    unknown = appeal(player("bob"), "0" * 16)
    foreign = appeal(player("mallory"), told)
    assert (foreign.status, foreign.json) == (404, unknown.json)


def test_what_is_under_review_is_looked_at_without_an_appeal() -> None:
    alice = player("alice")
    held(result(alice.player))
    [told] = notices(alice)["notices"]
    assert (told["kind"], told["appealable"]) == ("under_review", False)
    assert appeal(alice, told["id"]).code == "not_appealable"


@pytest.mark.parametrize("text", ["", "   ", "x" * 2001, 7, None])
def test_an_appeal_has_words(text: Any) -> None:
    alice, mod = player("alice"), staff("mod")
    warned(alice.player, mod)
    answer = call("POST", f"/account/notices/{notices(alice)['notices'][0]['id']}/appeal", {"text": text}, who=alice)
    assert (answer.status, answer.code) == (400, "bad_field")


# --- answers -------------------------------------------------------------------------------------------------------


@pytest.fixture
def appealed() -> dict[str, Any]:
    """Alice has appealed against what mod decided; judy is the other head."""
    alice, mod, judy = player("alice"), staff("mod"), staff("judy")
    attempt = result(alice.player)
    disqualified(attempt, mod)
    notice = Notice.objects.get()
    appeal_make(player_id=alice.player.pk, notice_id=notice.public_id, text="No.", now=clock.now())
    return {"alice": alice, "mod": mod, "judy": judy, "attempt": attempt, "notice": notice.public_id}


def test_another_head_answers_and_the_player_is_told(appealed: dict[str, Any]) -> None:
    action = answered(appealed["notice"], appealed["judy"])
    assert (action.kind, action.reason, action.after["appeal"]["state"]) == (
        "answer",
        "We have looked again.",
        "refused",
    )
    newest, first = notices(appealed["alice"])["notices"]
    assert (newest["kind"], newest["words"]) == ("answered", "We have looked again.")
    assert (first["appeal"]["state"], first["appeal"]["answer"]) == ("refused", "We have looked again.")
    assert first["appeal"]["answered_at"] is not None
    assert Case.objects.get(attempt=appealed["attempt"]).closed_at is not None


def test_accepting_takes_nothing_back_by_itself(appealed: dict[str, Any]) -> None:
    answered(appealed["notice"], appealed["judy"], accept=True)
    assert notices(appealed["alice"])["notices"][1]["taken_back"] is False
    assert Case.objects.get(attempt=appealed["attempt"]).closed_at is None, "until it is done"
    decision = Notice.objects.get(public_id=appealed["notice"]).action
    action_revert(
        action_id=decision.public_id, moderator_id=appealed["judy"].pk, reason="appeal", words="", now=clock.now()
    )
    assert notices(appealed["alice"])["notices"][2]["taken_back"] is True


def test_the_same_answer_again_is_safe_and_another_is_refused(appealed: dict[str, Any]) -> None:
    first = answered(appealed["notice"], appealed["judy"])
    assert answered(appealed["notice"], appealed["judy"]).pk == first.pk
    with pytest.raises(GameError) as refused:
        answered(appealed["notice"], appealed["judy"], accept=True)
    assert refused.value.code == "already_answered"
    assert Notice.objects.filter(kind="answered").count() == 1


def test_nobody_answers_about_their_own_decision_while_there_is_another_head(appealed: dict[str, Any]) -> None:
    with pytest.raises(GameError) as refused:
        answered(appealed["notice"], appealed["mod"])
    assert refused.value.code == "own_decision"
    account_delete(player_id=appealed["judy"].pk, now=clock.now())
    assert answered(appealed["notice"], appealed["mod"]).moderator_id == appealed["mod"].pk


@pytest.mark.parametrize("role", ["moderator", "auditor", ""])
def test_only_heads_answer(appealed: dict[str, Any], role: str) -> None:
    with pytest.raises(GameError) as refused:
        answered(appealed["notice"], staff("carol", role) if role else person("carol"))
    assert refused.value.code == "role_missing"


def test_a_head_does_not_answer_for_a_bot_of_their_own() -> None:
    mod, judy = staff("mod"), staff("judy")
    robot = bot("robot", owner=judy)
    warned(robot, mod)
    notice = Notice.objects.get()
    appeal_make(player_id=judy.pk, notice_id=notice.public_id, text="No.", now=clock.now())
    with pytest.raises(GameError) as refused:
        answered(notice.public_id, judy)
    assert refused.value.code == "own_case"


def test_an_answer_has_words_and_an_appeal_to_answer(appealed: dict[str, Any]) -> None:
    for notice, text, code in ((appealed["notice"], " ", "reason_missing"), ("0" * 16, "x", "not_found")):
        with pytest.raises(GameError) as refused:
            answered(notice, appealed["judy"], answer=text)
        assert refused.value.code == code


# --- while banned --------------------------------------------------------------------------------------------------


def test_a_ban_leaves_notices_the_appeal_the_export_and_the_deletion_and_nothing_else() -> None:
    mod = staff("mod")
    alice = credential(person("alice", password=PASSWORD))
    attempt = result(alice.player)
    until = clock.now() + dt.timedelta(days=3)
    banned(alice.player, mod, until)
    [told] = notices(alice)["notices"]
    assert (told["kind"], told["words"], told["until"]) == ("banned", WHY["words"], clock.iso(until))
    for method, path, body in (
        ("GET", "/account", None),
        ("GET", "/account/tokens", None),
        ("GET", "/attempts", None),
        ("GET", f"/attempts/{attempt.public_id}", None),
        ("POST", "/attempts", {"key": "k", "code": "TP1-E-AAAAAAB"}),
        ("POST", "/daily/today/attempts", {"key": "k"}),
        ("POST", "/account/bots", {"name": "robot"}),
        ("POST", "/account/password", {"old": PASSWORD, "new": "another long one"}),
        ("POST", "/account/logout-others", None),
        ("PATCH", "/account", {"language": "fi"}),
        ("POST", "/reports", {"player": mod.public_id, "reason": "other"}),
    ):
        refused = call(method, path, body, who=alice)
        assert (refused.status, refused.code) == (401, "not_signed_in"), path
    assert call("POST", "/account/notices/read", {"newest": told["id"]}, who=alice).json == {"marked": 1}
    assert appeal(alice, told["id"]).status == 200
    assert call("GET", "/account/export", who=alice).json["account"]["banned_until"] == clock.iso(until)
    assert call("DELETE", "/account", {"password": "wrong one"}, who=alice).code == "wrong_password"
    assert call("DELETE", "/account", {"password": PASSWORD}, who=alice).status == 200
    assert call("GET", "/account/notices", who=alice).status == 401


def test_a_token_and_a_bot_have_nothing_left_of_a_ban() -> None:
    mod = staff("mod")
    owner = person("alice")
    robot = bot("robot", owner=owner)
    held_by = [token(owner), token(robot)]
    banned(owner, mod)
    for who in held_by:
        assert call("GET", "/account/notices", who=who).status == 401
        assert call("GET", "/account/export", who=who).status == 401


def test_who_is_banned_signs_in_only_by_asking_for_it() -> None:
    mod = staff("mod")
    banned(person("alice", password=PASSWORD), mod)
    body = {"name": "alice", "password": PASSWORD, "credential": "token"}
    assert call("POST", "/login", body).code == "banned"
    inside = call("POST", "/login", {**body, "banned_too": True})
    assert (inside.status, inside.json["banned"]) == (200, True)
    secret = inside.json["token"]
    assert call("GET", "/account", token=secret).status == 401
    assert call("GET", "/account/notices", token=secret).status == 200
    assert call("POST", "/logout", token=secret).status == 200
    assert call("GET", "/account/notices", token=secret).status == 401
    wrong = call("POST", "/login", {**body, "password": "wrong wrong", "banned_too": True})
    assert wrong.code == "wrong_login"


def test_who_is_not_banned_signs_in_as_ever() -> None:
    person("alice", password=PASSWORD)
    body = {"name": "alice", "password": PASSWORD, "credential": "token", "banned_too": True}
    answer = call("POST", "/login", body)
    assert "banned" not in answer.json
    assert call("GET", "/account", token=answer.json["token"]).status == 200


def test_with_an_account_its_notices_appeals_and_words_go_and_the_log_stays() -> None:
    alice, mod, bob = player("alice"), staff("mod"), person("bob")
    robot = bot("robot", owner=alice.player)
    warned(alice.player, mod)
    warned(robot, mod)
    appeal(alice, notices(alice)["notices"][0]["id"], "My words.")
    call("POST", "/reports", {"player": bob.public_id, "reason": "other", "text": "My words."}, who=alice)
    account_delete(player_id=alice.player.pk, now=clock.now())
    assert (Notice.objects.count(), Appeal.objects.count()) == (0, 0)
    assert [report.text for report in Report.objects.all()] == [""], "it still counts"
    assert ModeratorAction.objects.count() == 2
    warning = ModeratorAction.objects.get(player=alice.player)
    action_revert(action_id=warning.public_id, moderator_id=mod.pk, reason="-", words="Sorry.", now=clock.now())
    assert Notice.objects.count() == 0, "nobody is left to read it"


def test_an_appeal_a_deletion_and_an_answer_at_once_end_well() -> None:
    """They lock in one order: whoever comes second finds the account, the notice or the appeal gone, or done."""
    mod, judy = staff("mod"), staff("judy")
    for number in range(6):
        alice = player(f"alice {number}")
        warned(alice.player, mod)
        notice = Notice.objects.get(player=alice.player).public_id
        if number % 2:
            appeal_make(player_id=alice.player.pk, notice_id=notice, text="No.", now=clock.now())
        start = threading.Barrier(3, timeout=60)

        def run(act: Callable[[], object], start: threading.Barrier = start) -> str:
            start.wait()
            try:
                act()
            except GameError as refusal:
                return refusal.code
            finally:
                connections.close_all()
            return "done"

        acts: list[Callable[[], object]] = [
            partial(appeal_make, player_id=alice.player.pk, notice_id=notice, text="No.", now=clock.now()),
            partial(answered, notice, judy),
            partial(account_delete, player_id=alice.player.pk, now=clock.now()),
        ]
        with ThreadPoolExecutor(3) as threads:
            ends = list(threads.map(run, acts))
        assert ends[2] == "done"
        assert set(ends[:2]) <= {"done", "not_found"}
        assert not Notice.objects.filter(player=alice.player, kind="warned").exists()
