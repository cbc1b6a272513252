"""Reports of players and records: who may, about what, how much they weigh, and that a crowd holds nobody."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections
from pytest_django import Settings

from games import clock
from games.models import Player
from leaderboards.models import DailyChallenge
from leaderboards.moderation.actions import case_dismiss
from leaderboards.moderation.models import Case, Exclusion, HiddenPlayer, Report
from leaderboards.moderation.reports import report_points
from leaderboards.services import account_delete, dailies_prepare
from tests.calls import Answer, call
from tests.factories import SignedIn, bot, credential, guest, person, signed_in_guest, token
from tests.leaderboards.cast import finish, places

from .fair import player, result

pytestmark = pytest.mark.django_db(transaction=True)


def report(who: SignedIn | None, **body: Any) -> Answer:
    return call("POST", "/reports", {"reason": "cheating", **body}, who=who)


def test_a_report_opens_a_case_and_says_what_was_taken_down() -> None:
    alice, bob = player("alice"), person("bob")
    attempt = result(bob)
    answer = report(alice, attempt=attempt.public_id, text=" Forty moves in two seconds. ")
    assert answer.status == 200
    told = answer.json["report"]
    assert told.pop("at")
    assert told == {
        "attempt": attempt.public_id,
        "player": None,
        "reason": "cheating",
        "text": "Forty moves in two seconds.",
    }
    case = Case.objects.get()
    assert (case.attempt_id, case.player_id, case.reasons, case.severity) == (attempt.pk, bob.pk, ["report"], 5)
    assert (case.reports, case.closed_at) == (1, None)


def test_a_player_is_reported_beside_the_attempts() -> None:
    alice, bob = player("alice"), person("bob")
    attempt = result(bob)
    report(alice, attempt=attempt.public_id)
    assert report(alice, player=bob.public_id, reason="name").status == 200
    assert {(case.attempt_id, case.severity) for case in Case.objects.all()} == {(attempt.pk, 5), (None, 5)}


def test_a_repeat_gets_the_same_answer_and_weighs_no_more() -> None:
    alice, bob = player("alice"), person("bob")
    first = report(alice, player=bob.public_id, text="a")
    again = report(alice, player=bob.public_id, reason="other", text="b")
    assert (first.status, again.status) == (200, 200)
    kept = Report.objects.get()
    assert (kept.reason_class, kept.text) == ("other", "b")
    case = Case.objects.get()
    assert (case.severity, case.reports) == (5, 1)


def test_a_crowd_brings_it_up_by_twenty_points_and_holds_nobody() -> None:
    bob = person("bob")
    attempt = result(bob)
    for number in range(9):
        assert report(player(f"reporter {number}"), attempt=attempt.public_id).status == 200
    case = Case.objects.get()
    assert (case.severity, case.reports) == (20, 9)
    assert not Exclusion.objects.exists()
    assert places(attempt.code) == [(1, "bob")]


def test_guests_together_weigh_as_much_as_one_account() -> None:
    bob = person("bob")
    for _ in range(7):
        assert report(signed_in_guest(), player=bob.public_id).status == 200
    assert Case.objects.get().severity == 5
    report(player("alice"), player=bob.public_id)
    assert Case.objects.get().severity == 10
    assert [report_points(accounts=a, guests=g) for a, g in ((0, 1), (1, 0), (3, 4), (4, 9), (900, 0))] == [
        1,
        5,
        19,
        20,
        20,
    ]


def test_reports_come_on_top_of_evidence() -> None:
    bob = person("bob")
    attempt = result(bob)
    now = clock.now()
    Case.objects.create(
        player=bob, attempt=attempt, severity=40, reasons=["machine_speed"], opened_at=now, updated_at=now
    )
    report(player("alice"), attempt=attempt.public_id)
    case = Case.objects.get()
    assert (case.severity, case.reasons) == (45, ["machine_speed", "report"])


def test_more_of_the_same_does_not_open_a_case_again_that_was_looked_at() -> None:
    bob = person("bob")
    report(player("alice"), player=bob.public_id)
    case_dismiss(
        player_id=bob.public_id, moderator_id=None, reason_class="other", reason="Nothing in it.", now=clock.now()
    )
    report(player("carol"), player=bob.public_id)
    assert Case.objects.get().closed_at is not None


def test_ones_own_is_refused_with_a_code() -> None:
    alice = player("alice")
    robot = bot("robot", owner=alice.player)
    mine, its = result(alice.player), result(robot)
    for body in (
        {"player": alice.player.public_id},
        {"player": robot.public_id},
        {"attempt": mine.public_id},
        {"attempt": its.public_id},
    ):
        answer = report(alice, **body)
        assert (answer.status, answer.code) == (409, "own_report"), body
    assert not Case.objects.exists()


def sealed() -> dict[str, str]:
    now = clock.now()
    dailies_prepare(now=now)
    daily = DailyChallenge.objects.get(opens_at__lte=now, closes_at__gt=now)
    return {
        "attempt": finish(person("sealed"), 700, at=now, code=daily.code, competition=daily.key).public_id,
    }


def sealed_truly() -> dict[str, str]:
    from games.models import Attempt

    found = sealed()
    daily = DailyChallenge.objects.order_by("date")[0]
    Attempt.objects.filter(public_id=found["attempt"]).update(sealed_until=daily.final_at)
    return found


def running() -> dict[str, str]:
    somebody = player("running")
    started = call("POST", "/attempts", {"key": "k", "code": "TP1-E-AAAAAAB"}, who=somebody)
    return {"attempt": str(started.json["attempt"]["id"])}


def hidden(kind: str) -> dict[str, str]:
    somebody = person("hidden")
    HiddenPlayer.objects.create(player=somebody, since=clock.now())
    return {kind: result(somebody).public_id if kind == "attempt" else somebody.public_id}


def deleted() -> dict[str, str]:
    somebody = person("deleted")
    account_delete(player_id=somebody.pk, now=clock.now())
    return {"player": somebody.public_id}


UNSEEN: dict[str, Callable[[], dict[str, str]]] = {
    "unknown attempt": lambda: {"attempt": "0" * 16},
    "unknown player": lambda: {"player": "0" * 16},
    "no id at all": lambda: {"attempt": "'; --"},
    "a player as an attempt": lambda: {"attempt": person("bob").public_id},
    "running": running,
    "sealed": sealed_truly,
    "hidden player": lambda: hidden("player"),
    "attempt of a hidden player": lambda: hidden("attempt"),
    "guest": lambda: {"player": guest().public_id},
    "deleted": deleted,
}


@pytest.mark.parametrize("what", UNSEEN.values(), ids=list(UNSEEN))
def test_what_one_may_not_see_cannot_be_reported_and_all_is_refused_alike(
    what: Callable[[], dict[str, str]],
) -> None:
    unknown = report(player("alice"), attempt="z" * 16)
    answer = report(player("carol"), **what())
    assert (answer.status, answer.json) == (404, unknown.json)
    assert not Case.objects.exists()


def test_a_guests_public_game_can_be_reported() -> None:
    assert report(player("alice"), attempt=result(guest()).public_id).status == 200


def test_who_is_nobody_or_a_program_does_not_report() -> None:
    bob = person("bob")
    assert report(None, player=bob.public_id).status == 401
    program = report(token(person("alice")), player=bob.public_id)
    assert (program.status, program.code) == (403, "scope_missing")


@pytest.mark.parametrize(
    "body",
    [{}, {"attempt": "a", "player": "b"}, {"player": 7}, {"player": "x", "reason": "spite"},
     {"player": "x", "text": "y" * 1001}, {"player": "x", "text": 1}, {"player": "a\0b"}],
)  # fmt: skip
def test_nonsense_is_refused(body: dict[str, Any]) -> None:
    answer = report(player("alice"), **body)
    assert (answer.status, answer.code) == (400, "bad_field")


def test_so_many_a_day_by_player_and_by_address(settings: Settings) -> None:
    settings.THROTTLES = {**settings.THROTTLES, "report": (2, 86400)}
    alice, bob = player("alice"), person("bob")
    assert [report(alice, player=bob.public_id).status for _ in range(2)] == [200, 200]
    third = report(alice, player=bob.public_id)
    assert (third.status, third.data["limit"]) == (429, "report")
    assert report(player("carol"), player=bob.public_id).status == 429, "another account at the same address"


def test_two_at_once_count_each() -> None:
    bob = person("bob")
    attempt = result(bob)
    reporters = [credential(person(f"racer {number}")) for number in range(4)]
    start = threading.Barrier(len(reporters), timeout=60)

    def send(who: SignedIn) -> None:
        start.wait()
        report(who, attempt=attempt.public_id)
        connections.close_all()

    threads = [threading.Thread(target=send, args=(who,)) for who in reporters for _ in range(1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    case = Case.objects.get()
    assert (case.severity, case.reports, Report.objects.count()) == (20, 4, 4)


def test_what_others_report_is_not_told_to_who_is_reported() -> None:
    bob = player("bob")
    report(player("alice"), player=bob.player.public_id, text="a secret word")
    for path in ("/account/notices", "/account/export", f"/players/{bob.player.public_id}"):
        assert "secret word" not in str(call("GET", path, who=bob).json)
    assert Player.objects.get(pk=bob.player.pk).banned_at is None
