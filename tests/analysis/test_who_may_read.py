"""The analysis of what is not public is the same 404 for everybody; opening one's own stuck attempt ends it (R3.3)."""

from __future__ import annotations

import datetime as dt

import pytest

from games import clock
from games.models import Attempt
from games.redis import redis
from tests.analysis.cast import EASY, Caller, stuck_log
from tests.calls import call
from tests.factories import credential


def test_running_foreign_and_unknown_attempts_are_the_same_404(alice: Caller, mallory: Caller) -> None:
    running = alice.start()
    alice.hand.play(running, "t20")
    unknown = mallory.analysis("0123456789abcdef")
    assert unknown.status == 404
    for who in (alice, mallory):
        for answer in (who.analysis(running), who.open_analysis(running), who.analysis(str(running.pk))):
            assert (answer.status, answer.json) == (404, unknown.json)
    assert call("GET", f"/attempts/{running.public_id}/analysis").json == unknown.json
    assert call("POST", f"/attempts/{running.public_id}/analysis").status == 401
    alice.hand.resign(running)
    assert mallory.analysis(running).status == 200, "control: once it is over"


def test_a_stuck_attempt_is_ended_by_its_owner_opening_the_analysis(alice: Caller, bob: Caller) -> None:
    attempt = alice.start()
    alice.hand.play_all(attempt, stuck_log())
    for answer in (alice.analysis(attempt), bob.analysis(attempt), bob.open_analysis(attempt)):
        assert answer.status == 404, "still running: its owner could undo; reading never ends it"
    attempt.refresh_from_db()
    assert attempt.closed_at is None

    opened = alice.open_analysis(attempt)
    assert opened.status == 200
    assert (opened.json["attempt"]["outcome"], opened.json["attempt"]["closed"]) == ("stuck", True)
    attempt.refresh_from_db()
    assert attempt.closed_at is not None
    assert attempt.ranked, "its result stands as it was played"
    assert alice.ask("GET", f"/attempts/{attempt.public_id}").json["attempt"]["result"] is not None
    undo = alice.ask(
        "POST", f"/attempts/{attempt.public_id}/moves", {"move": "u", "expected_ply": attempt.ply, "move_id": "x"}
    )
    assert (undo.status, undo.code) == (422, "game_over")

    closed_at = attempt.closed_at
    assert alice.open_analysis(attempt).json == opened.json, "safe to repeat"
    attempt.refresh_from_db()
    assert attempt.closed_at == closed_at
    assert bob.analysis(attempt).json == opened.json


def test_another_ranked_attempt_at_these_cards_keeps_a_stuck_one_open(alice: Caller) -> None:
    stuck = alice.start()
    alice.hand.play_all(stuck, stuck_log())
    other = alice.start("TP1-C-AAAAAAB", "other")
    answer = alice.open_analysis(stuck)
    assert (answer.status, answer.code, answer.data["attempt"]) == (409, "finish_first", other.public_id)
    stuck.refresh_from_db()
    assert stuck.closed_at is None
    alice.hand.resign(other)
    assert alice.open_analysis(stuck).status == 200


def test_a_stuck_attempt_idle_for_a_day_is_public_without_anybody_writing_it_down(alice: Caller, bob: Caller) -> None:
    attempt = alice.start()
    alice.hand.play_all(attempt, stuck_log())
    Attempt.objects.filter(pk=attempt.pk).update(last_move_at=clock.now() - dt.timedelta(hours=25))
    assert bob.analysis(attempt).status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_on_a_foreign_page_exposes_nobody(site: str, alice: Caller) -> None:
    public = alice.finished()
    mallory = credential(alice.hand.player, via="cookie")
    path = f"/attempts/{public.public_id}/analysis"
    refused = call("GET", path, cookie=mallory.secret, HTTP_SEC_FETCH_SITE=site)
    assert (refused.status, refused.code) == (403, "origin_refused")
    assert call("GET", path, cookie=mallory.secret, HTTP_SEC_FETCH_SITE="same-origin").status == 200, "control"
    assert call("GET", path, HTTP_SEC_FETCH_SITE=site).status == 200, "nobody signed in, nobody to harm"


def test_a_kept_analysis_is_the_same_as_a_new_one(alice: Caller) -> None:
    public = alice.finished(EASY, "d d u d d")
    first = alice.analysis(public).json
    names = redis().keys(f"analysis:*:{public.public_id}:*")
    assert len(names) == 1  # type: ignore[arg-type, unused-ignore]
    assert alice.analysis(public).json == first
    redis().delete(*names)  # type: ignore[misc, unused-ignore]
    assert alice.analysis(public).json == first
