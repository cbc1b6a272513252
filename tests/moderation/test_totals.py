"""Everybody's totals: what was checked, and what came of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import clock
from games.models import Attempt
from leaderboards.moderation.actions import action_revert, attempt_clear, attempt_reinstate
from leaderboards.moderation.appeals import appeal_make
from leaderboards.moderation.models import Judgement, ModeratorAction, Notice
from leaderboards.moderation.player_selectors import TOTALS_KEPT, totals_forget, totals_get
from tests.calls import call

from .fair import WHY, disqualified, held, player, result, staff, warned

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
    assert totals()["all"] == (3, 2, 0, 0, 0, 0)
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
    disqualified(attempt, mod)
    ModeratorAction.objects.update(at=old)
    assert totals() == {"month": (0,) * 6, "all": (1, 1, 0, 1, 0, 0)}


def test_they_are_counted_once_a_minute_however_many_ask() -> None:
    now = clock.now()
    before = totals_get(now=now)
    judged(result(player("alice").player), "flag")
    with CaptureQueriesContext(connection) as queries:
        assert totals_get(now=now + TOTALS_KEPT - dt.timedelta(seconds=1)) is before
    assert len(queries) == 0
    assert totals_get(now=now + TOTALS_KEPT)["all"]["flagged"] == 1


def test_anybody_may_read_them_and_nobody_is_named() -> None:
    attempt = result(player("alice").player)
    judged(attempt, "flag")
    answer = call("GET", "/fairplay")
    assert answer.response.headers["Cache-Control"] == "public, max-age=60"
    assert set(answer.json) == {"month", "all", "counted_at"}
    assert set(answer.json["all"]) == set(NAMES)
