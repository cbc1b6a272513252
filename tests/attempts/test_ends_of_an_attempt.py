"""R3.3, R3.4, R9.2: stuck and undone, resigned, expired; what stands and what is closed."""

from __future__ import annotations

import dataclasses
import datetime as dt

import pytest

from games.errors import MoveRefused, NotFound
from games.models import Attempt
from games.selectors import attempt_get, attempt_replay
from games.services import attempts_expire
from games.signals import attempt_finished
from tests.attempts.hand import DAILY, Z_LINE, Hand, deck_code


def state(hand: Hand, attempt: Attempt) -> dict[str, object]:
    return attempt_get(public_id=attempt.public_id, player_id=hand.player.pk, now=hand.at)


def stuck(hand: Hand, key: str = "k1") -> Attempt:
    attempt = hand.start(deck_code("V", "RC"), key)
    hand.play_all(attempt, ["d"] * 23)
    return attempt


def test_R3_3_being_stuck_records_the_result_and_undo_reopens_the_attempt(alice: Hand) -> None:
    attempt = stuck(alice)
    assert (state(alice, attempt)["outcome"], state(alice, attempt)["closed"]) == ("stuck", False)
    alice.wait(seconds=1)
    alice.play(attempt, "u")
    now = state(alice, attempt)
    assert (now["outcome"], now["finished_at"]) == (None, None)
    assert now["result"] is not None
    row = Attempt.objects.get(pk=attempt.pk)
    assert (row.result_outcome, row.result_ply, row.outcome) == ("stuck", 23, None)


def test_R3_3_a_worse_second_end_leaves_the_first_result(alice: Hand) -> None:
    attempt = stuck(alice)
    first = state(alice, attempt)["result"]
    alice.wait(seconds=1)
    again = alice.play_all(attempt, "u d")[-1]  # the same end with one more move on the counter
    assert again["result"] == state(alice, attempt)["result"] == first


def test_R3_3_resigning_or_expiring_later_does_not_erase_the_result(alice: Hand) -> None:
    attempt = stuck(alice)
    recorded = state(alice, attempt)["result"]
    alice.play(attempt, "u")
    alice.resign(attempt)
    after = state(alice, attempt)
    assert (after["outcome"], after["closed"], after["result"]) == ("resigned", True, recorded)
    with pytest.raises(MoveRefused) as refused:
        alice.play(attempt, "d")
    assert refused.value.code == "game_over"


def test_R3_3_a_stuck_attempt_closes_after_24_idle_hours_whether_or_not_anything_ran(alice: Hand) -> None:
    attempt = stuck(alice)
    alice.wait(hours=23, minutes=59)
    assert state(alice, attempt)["closed"] is False
    alice.wait(minutes=1)
    assert (state(alice, attempt)["closed"], state(alice, attempt)["legal"]) == (True, [])
    with pytest.raises(MoveRefused) as refused:
        alice.play(attempt, "u")
    assert (refused.value.code, refused.value.data["attempt"]) == ("game_over", state(alice, attempt))
    assert attempts_expire(now=alice.at) == 1
    assert attempts_expire(now=alice.at) == 0
    row = Attempt.objects.get(pk=attempt.pk)
    assert (row.outcome, row.closed_at) == ("stuck", alice.at)


def test_R3_3_an_undone_attempt_goes_on_however_long_it_rests_and_its_result_stands(alice: Hand, bob: Hand) -> None:
    attempt = stuck(alice)
    recorded = state(alice, attempt)["result"]
    alice.wait(hours=23)
    alice.play(attempt, "u")
    alice.wait(hours=25)
    assert attempts_expire(now=alice.at) == 0
    now = state(alice, attempt)
    assert (now["outcome"], now["closed"], now["legal"], now["result"]) == (None, False, ["d", "u"], recorded)
    with pytest.raises(NotFound):
        attempt_replay(public_id=attempt.public_id, viewer_id=bob.player.pk, now=alice.at)
    assert alice.play(attempt, "d").attempt["outcome"] == "stuck"
    alice.wait(hours=24)  # stuck again: 24 hours from now
    assert (state(alice, attempt)["closed"], state(alice, attempt)["result"]) == (True, recorded)
    with pytest.raises(MoveRefused):
        alice.resign(attempt)
    assert attempts_expire(now=alice.at) == 1


def test_a_won_attempt_takes_no_undo(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    alice.play_all(attempt, Z_LINE)
    with pytest.raises(MoveRefused) as refused:
        alice.play(attempt, "u")
    assert refused.value.code == "game_over"


def test_resigning_is_safe_to_repeat_and_does_not_undo_a_win(alice: Hand) -> None:
    given_up = alice.start(deck_code("Z", "R"), "a")
    first = alice.resign(given_up)
    alice.wait(minutes=3)
    assert alice.resign(given_up) == first
    won = alice.start(deck_code("Z", "R"), "b")
    alice.play_all(won, Z_LINE)
    with pytest.raises(MoveRefused):
        alice.resign(won)
    assert state(alice, won)["outcome"] == "won"


def test_R9_2_a_competition_attempt_has_no_undo_and_stuck_closes_it(alice: Hand) -> None:
    attempt = alice.start(deck_code("V", "RC"), competition=DAILY)
    alice.play(attempt, "d")
    with pytest.raises(MoveRefused) as refused:
        alice.play(attempt, "u")
    assert refused.value.code == "undo_not_allowed"
    alice.play_all(attempt, ["d"] * 22)
    assert (state(alice, attempt)["outcome"], state(alice, attempt)["closed"]) == ("stuck", True)


def test_R9_2_a_second_start_of_a_competition_is_the_same_attempt(alice: Hand, bob: Hand) -> None:
    first = alice.start(deck_code("Z", "R"), "one", competition=DAILY)
    assert alice.start(deck_code("Z", "R"), "two", competition=DAILY).pk == first.pk
    assert bob.start(deck_code("Z", "R"), "one", competition=DAILY).pk != first.pk


def test_R9_2_the_last_moment_counts_and_the_deadline_does_not(alice: Hand, bob: Hand) -> None:
    early = alice.start(deck_code("Z", "R"), competition=DAILY)
    late = bob.start(deck_code("Z", "R"), competition=DAILY)
    alice.at = DAILY.deadline - dt.timedelta(milliseconds=1)
    bob.at = DAILY.deadline
    alice.play(early, "t18")
    with pytest.raises(MoveRefused) as refused:
        bob.play(late, "t18")
    assert (refused.value.code, refused.value.data["attempt"]["outcome"]) == ("game_over", "expired")
    row = Attempt.objects.get(pk=late.pk)
    assert (row.outcome, row.finished_at, row.ply) == ("expired", DAILY.deadline, 0)


def test_R9_2_where_a_competition_allows_undo_a_stuck_attempt_is_over_at_its_deadline(alice: Hand) -> None:
    attempt = alice.start(deck_code("V", "RC"), competition=dataclasses.replace(DAILY, undo_allowed=True))
    alice.play_all(attempt, ["d"] * 23)
    alice.at = DAILY.deadline - dt.timedelta(milliseconds=1)
    alice.play_all(attempt, "u d")
    alice.at = DAILY.deadline
    recorded = state(alice, attempt)["result"]
    assert (state(alice, attempt)["outcome"], state(alice, attempt)["closed"]) == ("stuck", True)
    for act in (lambda: alice.play(attempt, "u"), lambda: alice.resign(attempt)):
        with pytest.raises(MoveRefused, match="over"):
            act()
    assert [attempts_expire(now=alice.at) for _ in range(2)] == [1, 0]
    assert (state(alice, attempt)["outcome"], state(alice, attempt)["result"]) == ("stuck", recorded)


def test_who_resigns_after_the_deadline_is_told_that_it_has_expired(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"), competition=DAILY)
    alice.at = DAILY.deadline
    assert (state(alice, attempt)["outcome"], state(alice, attempt)["legal"]) == ("expired", [])
    for _ in range(2):
        with pytest.raises(MoveRefused) as refused:
            alice.resign(attempt)
        assert (refused.value.code, refused.value.data["attempt"]["outcome"]) == ("game_over", "expired")
        assert Attempt.objects.get(pk=attempt.pk).outcome == "expired"


def test_every_end_is_signalled_once(alice: Hand) -> None:
    """Boards and streaks hang on this one signal."""
    heard: list[tuple[str | None, str | None, int | None]] = []

    def hear(sender: object, attempt: Attempt, **_: object) -> None:
        heard.append((attempt.outcome, attempt.result_outcome, attempt.result_ply))

    attempt_finished.connect(hear)
    try:
        undone = stuck(alice)
        alice.play_all(undone, "u d u")
        alice.resign(undone)
        assert heard == [("stuck", "stuck", 23)] * 2 + [("resigned", "stuck", 23)]
        heard.clear()
        alice.start(deck_code("Z", "R"), "late", competition=DAILY)
        won = alice.start(deck_code("Z", "R"), "won")
        alice.play_all(won, Z_LINE)
        alice.play(won, Z_LINE[-1], ply=27, move_id="ply27")  # a repeat ends nothing again
        alice.at = DAILY.deadline
        for _ in range(2):
            attempts_expire(now=alice.at)
        assert heard == [("won", "won", 28), ("expired", None, None)]
    finally:
        attempt_finished.disconnect(hear)


def test_a_clock_that_steps_back_makes_no_time_negative_and_loses_no_move(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"), competition=DAILY)
    alice.wait(hours=-1)
    states = alice.play_all(attempt, Z_LINE)
    assert {each["elapsed_ms"] for each in states} == {0}
    assert (states[-1]["outcome"], states[-1]["result"]["elapsed_ms"]) == ("won", 0)


def test_expiry_needs_no_scheduler_and_is_written_down_once(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"), competition=DAILY)
    alice.wait(hours=13)
    assert (state(alice, attempt)["outcome"], state(alice, attempt)["closed"]) == ("expired", True)
    assert Attempt.objects.get(pk=attempt.pk).outcome is None
    assert attempts_expire(now=alice.at) == 1
    assert Attempt.objects.get(pk=attempt.pk).outcome == "expired"


def test_R10_1_a_sealed_attempt_shows_its_owner_what_was_turned_up_and_nobody_else_anything(
    alice: Hand, bob: Hand
) -> None:
    attempt = alice.start(deck_code("Z", "R"), competition=DAILY)
    alice.play_all(attempt, "t18 t19")
    alice.resign(attempt)
    own = attempt_replay(public_id=attempt.public_id, viewer_id=alice.player.pk, now=alice.at)
    assert own["deal"] is None
    assert own["attempt"]["code"] is None
    assert [ply["view"]["tableau"][9] for ply in own["plies"]] == ["??", "??", "KC"]
    for viewer in (bob.player.pk, None):
        with pytest.raises(NotFound):
            attempt_replay(public_id=attempt.public_id, viewer_id=viewer, now=alice.at)
    final = attempt_replay(public_id=attempt.public_id, viewer_id=None, now=DAILY.sealed_until)
    assert final["deal"].startswith("4C 5C 6C")
    assert final["attempt"]["code"] == deck_code("Z", "R")


def test_R10_2_a_running_attempt_on_an_open_code_is_nobodys_replay(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    alice.play(attempt, "t18")
    for viewer in (alice.player.pk, None):
        with pytest.raises(NotFound):
            attempt_replay(public_id=attempt.public_id, viewer_id=viewer, now=alice.at)
    alice.resign(attempt)
    shown = attempt_replay(public_id=attempt.public_id, viewer_id=None, now=alice.at)
    assert (shown["log"], shown["plies"][-1]["outcome"], len(shown["plies"])) == ("t18", "resigned", 2)


def test_R3_3_a_stuck_attempt_that_can_be_undone_counts_as_running(alice: Hand, bob: Hand) -> None:
    attempt = stuck(alice)
    with pytest.raises(NotFound):
        attempt_replay(public_id=attempt.public_id, viewer_id=bob.player.pk, now=alice.at)
    alice.wait(hours=24)
    assert attempt_replay(public_id=attempt.public_id, viewer_id=bob.player.pk, now=alice.at)["deal"]
