"""Everybody's totals: what was checked, and what came of it."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator, Sequence

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games import clock
from games.models import Attempt
from games.services import deleted_purge
from leaderboards.moderation.actions import action_revert, attempt_clear, attempt_hold, attempt_reinstate
from leaderboards.moderation.appeals import appeal_make
from leaderboards.moderation.cases import case_raise
from leaderboards.moderation.judging import attempt_judge
from leaderboards.moderation.models import Appeal, Judgement, ModeratorAction, Notice
from leaderboards.moderation.player_selectors import TOTALS_KEPT, totals_forget, totals_get
from leaderboards.moderation.reports import report_make
from leaderboards.moderation.retention import totals_keep
from leaderboards.services import account_delete, accounts_purge
from tests.calls import call

from .fair import WHY, disqualified, held, player, result, staff, warned
from .playing import WON, competition, judging, play, signal, somebody

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = ("checked", "flagged", "held", "disqualified", "reversed", "appeals")


@pytest.fixture(autouse=True)
def counted_anew() -> Iterator[None]:
    totals_forget()
    yield
    totals_forget()


def judged(attempt: Attempt, verdict: str, *, version: int = 1, at: dt.datetime | None = None) -> None:
    Judgement.objects.create(
        attempt=attempt,
        ply=attempt.ply,
        version=version,
        verdict=verdict,
        points=0,
        signals=[],
        judged_at=at or clock.now(),
    )


def case_of(attempt: Attempt, *, at: dt.datetime | None = None) -> None:
    with transaction.atomic():
        case_raise(
            attempt=attempt, player_id=attempt.player_id, severity=30, reasons=["same_line"], now=at or clock.now()
        )


def totals() -> dict[str, tuple[int, ...]]:
    totals_forget()
    found = call("GET", "/fairplay").json
    return {span: tuple(found[span][name] for name in NAMES) for span in ("month", "all")}


def test_before_anything_all_is_nought() -> None:
    assert totals() == {"month": (0,) * 6, "all": (0,) * 6}


def test_each_attempt_counts_once_and_each_decision_that_was_taken_back() -> None:
    alice, mod = player("alice"), staff("mod")
    first, second, third = (result(alice.player, score) for score in (600, 700, 750))
    judged(first, "nothing")
    judged(first, "nothing", version=2)
    judged(second, "flag")
    judged(third, "hold")
    case_of(second)
    assert totals()["all"] == (3, 1, 0, 0, 0, 0)
    held(third)
    attempt_clear(attempt_id=third.public_id, moderator_id=mod.pk, now=clock.now(), **WHY)
    disqualified(second, mod)
    assert totals()["all"] == (3, 2, 1, 1, 0, 0)
    attempt_reinstate(attempt_id=second.public_id, moderator_id=mod.pk, now=clock.now(), **WHY)
    disqualified(second, mod)
    warning = warned(alice.player, mod)
    appeal_make(
        player_id=alice.player.pk,
        notice_id=Notice.objects.get(action=warning).public_id,
        text="No.",
        now=clock.now(),
    )
    action_revert(action_id=warning.public_id, moderator_id=mod.pk, reason="right", words="", now=clock.now())
    assert totals()["all"] == (3, 2, 1, 1, 2, 1)
    assert totals()["month"] == totals()["all"]


def test_what_is_older_than_thirty_days_counts_among_all_only() -> None:
    alice, mod = player("alice"), staff("mod")
    attempt = result(alice.player)
    old = clock.now() - dt.timedelta(days=31)
    judged(attempt, "flag", at=old)
    case_of(attempt, at=old)
    disqualified(attempt, mod)
    ModeratorAction.objects.update(at=old)
    assert totals() == {"month": (0,) * 6, "all": (1, 1, 0, 1, 0, 0)}


def test_flagged_is_what_a_moderator_was_asked_to_look_at() -> None:
    now = clock.now()
    alice, bob = somebody("alice"), somebody("bob")
    given_up = play(alice, WON[:9], competition=competition(now), resign=True)
    attempt_judge(attempt_id=given_up.pk, ply=given_up.ply, now=now, judge=judging("flag", signal()))
    assert totals()["all"] == (1, 0, 0, 0, 0, 0), "without a result nothing is at stake, and nobody looks"
    finished = play(alice, competition=competition(now, "daily-2020-01-02"))
    attempt_judge(attempt_id=finished.pk, ply=finished.ply, now=now, judge=judging("flag", signal()))
    assert totals()["all"] == (2, 1, 0, 0, 0, 0)
    reported = play(alice)
    report_make(reporter_id=bob.player.pk, attempt_id=reported.public_id, reason_class="cheating", text="", now=now)
    report_make(reporter_id=bob.player.pk, player_id=alice.player.public_id, reason_class="name", text="", now=now)
    assert totals()["all"] == (2, 2, 0, 0, 0, 0), "a report of a player is about no game"
    attempt_hold(attempt_id=play(bob).public_id, moderator_id=staff("mod").pk, now=now, **WHY)
    assert totals()["all"] == (2, 3, 1, 0, 0, 0)


def test_what_a_deleted_account_leaves_is_counted_for_good(settings: Settings) -> None:
    settings.DELETED_MOVES_DAYS = 5
    alice, bob, mod = player("alice"), player("bob"), staff("mod")
    now = clock.now()
    attempts = [result(alice.player, score) for score in (600, 700, 750)] + [result(bob.player)]
    for attempt in attempts:
        judged(attempt, "hold", at=now - dt.timedelta(days=40))
        judged(attempt, "hold", version=2)
    for attempt in attempts[1:]:
        held(attempt)
        disqualified(attempt, mod)
    attempt_reinstate(attempt_id=attempts[1].public_id, moderator_id=mod.pk, now=now, **WHY)
    disqualified(attempts[1], mod)
    judged(result(alice.player, 650), "flag", at=now - dt.timedelta(days=40))
    for each in Notice.objects.filter(kind="disqualified", player=alice.player).order_by("-id")[:2]:
        appeal_make(player_id=alice.player.pk, notice_id=each.public_id, text="No.", now=now)
    before = totals()
    assert before == {"month": (4, 3, 3, 3, 1, 2), "all": (5, 3, 3, 3, 1, 2)}
    for _ in range(2):
        account_delete(player_id=alice.player.pk, now=now - dt.timedelta(days=5))
        assert totals() == before
    assert [accounts_purge(now=now), accounts_purge(now=now)] == [4, 0]
    assert (Attempt.objects.count(), Appeal.objects.count()) == (1, 0)
    assert totals() == before
    account_delete(player_id=bob.player.pk, now=now - dt.timedelta(days=5))
    call_command("purge_deleted", stdout=io.StringIO())
    assert (Attempt.objects.count(), totals()) == (0, before), "added to what there was"
    later = now + dt.timedelta(days=32)
    assert totals_get(now=later)["all"] == totals_get(now=now)["all"]
    assert set(totals_get(now=later)["month"].values()) == {0}


def test_a_purge_that_fails_has_counted_nothing(settings: Settings) -> None:
    settings.DELETED_MOVES_DAYS = 0
    alice, now = player("alice"), clock.now()
    judged(result(alice.player), "flag")
    account_delete(player_id=alice.player.pk, now=now)

    def broken(attempt_ids: Sequence[int]) -> None:
        totals_keep(attempt_ids)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        deleted_purge(now=now, on_purge=broken)
    assert totals()["all"][0] == 1
    assert accounts_purge(now=now) == 1
    assert totals()["all"][0] == 1


def test_they_are_counted_once_a_minute_however_many_ask() -> None:
    now = clock.now()
    before = totals_get(now=now)
    judged(result(player("alice").player), "nothing")
    with CaptureQueriesContext(connection) as queries:
        assert totals_get(now=now + TOTALS_KEPT - dt.timedelta(seconds=1)) is before
    assert len(queries) == 0
    assert totals_get(now=now + TOTALS_KEPT)["all"]["checked"] == 1


def test_anybody_may_read_them_and_nobody_is_named() -> None:
    attempt = result(player("alice").player)
    judged(attempt, "flag")
    answer = call("GET", "/fairplay")
    assert answer.response.headers["Cache-Control"] == "public, max-age=60"
    assert set(answer.json) == {"month", "all", "counted_at"}
    assert set(answer.json["all"]) == set(NAMES)
