"""An attempt is judged once by each version of the signals, and what follows comes with the judgement."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, connections, transaction

from games import clock
from games.models import Attempt, Player
from leaderboards.moderation import judging as module
from leaderboards.moderation.actions import attempt_clear, attempt_disqualify
from leaderboards.moderation.cases import case_raise
from leaderboards.moderation.evidence import Evidence
from leaderboards.moderation.judging import attempt_judge
from leaderboards.moderation.lines import Fields
from leaderboards.moderation.models import Case, Exclusion, Judgement, ModeratorAction
from tests.factories import credential, guest, person
from tests.moderation.playing import STUCK, WON, competition, decide, judging, play, play_on, refusing, signal, somebody

pytestmark = pytest.mark.django_db(transaction=True)

HOLD = judging("hold", signal("same_line", 45, "moves"), signal("machine_speed", 30))
FLAG = judging("flag", signal("machine_speed", 35))
NOTHING = judging("nothing")


def judged(attempt: Attempt, judge: Any, version: int = 1) -> Judgement | None:
    assert attempt.result_ply is not None
    return attempt_judge(
        attempt_id=attempt.pk, ply=attempt.result_ply, now=clock.now(), judge=judge, version=version, fields=Fields()
    )


@pytest.fixture
def mod() -> Player:
    return person("mod", is_staff=True, is_superuser=True)


def test_a_judgement_keeps_verdict_points_signals_and_knowledge() -> None:
    attempt = play(somebody())
    row = judged(attempt, FLAG)
    assert row is not None
    assert (row.attempt_id, row.ply, row.version, row.verdict, row.points) == (attempt.pk, 50, 1, "flag", 35)
    assert [found["name"] for found in row.signals] == ["machine_speed"]
    assert row.knowledge == [0.5, 50.0]


def test_a_repeat_returns_the_first_row_and_asks_no_judge() -> None:
    attempt = play(somebody())
    first = judged(attempt, FLAG)

    def fails(evidence: Evidence, *, confirm: Any) -> Any:
        raise AssertionError("asked again")

    assert judged(attempt, fails) == first
    with pytest.raises(AssertionError):  # the control: another version asks
        judged(attempt, fails, version=2)
    assert Judgement.objects.count() == 1


def test_two_at_once_write_one_row_and_raise_one_case_once() -> None:
    attempt = play(somebody())
    both = threading.Barrier(2)

    def slow(evidence: Evidence, *, confirm: Any) -> Any:
        both.wait(10)
        return HOLD(evidence)

    def work() -> int | None:
        try:
            row = judged(attempt, slow)
            return None if row is None else row.pk
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        one, other = (pool.submit(work) for _ in range(2))
        assert one.result() == other.result()
    assert Judgement.objects.count() == 1
    assert ModeratorAction.objects.count() == 1
    assert Case.objects.count() == 1


def test_nothing_found_raises_no_case() -> None:
    attempt = play(somebody())
    judged(attempt, NOTHING)
    assert not Case.objects.exists()
    assert not Exclusion.objects.exists()


def test_a_flag_raises_a_case_and_the_result_stands() -> None:
    attempt = play(somebody())
    judged(attempt, FLAG)
    case = Case.objects.get()
    assert (case.attempt_id, case.player_id, case.severity, case.reasons) == (
        attempt.pk,
        attempt.player_id,
        35,
        ["machine_speed"],
    )
    assert not Exclusion.objects.exists()


def test_a_hold_takes_the_attempt_off_the_standings_in_the_judge_s_name() -> None:
    attempt = play(somebody())
    judged(attempt, HOLD)
    assert Exclusion.objects.get(pk=attempt.pk).kind == "held"
    action = ModeratorAction.objects.get()
    assert (action.kind, action.moderator_id, action.attempt_id) == ("hold", None, attempt.pk)
    assert "same_line 45" in action.reason
    assert Case.objects.get().closed_at is None


def test_row_and_effects_commit_together_or_not_at_all() -> None:
    attempt = play(somebody())
    with refusing("leaderboards_exclusion"):
        with pytest.raises(Exception, match="refused by the test"):
            judged(attempt, HOLD)
        assert not Judgement.objects.exists()
        assert not Case.objects.exists()
    judged(attempt, HOLD)
    assert Judgement.objects.count() == Case.objects.count() == Exclusion.objects.count() == 1


def test_what_a_moderator_has_cleared_is_not_held_again_by_a_new_version(mod: Player) -> None:
    attempt = play(somebody())
    judged(attempt, HOLD)
    decide(attempt_clear, attempt, mod)
    judged(attempt, HOLD, version=2)
    assert not Exclusion.objects.exists()
    assert Judgement.objects.count() == 2
    other = play(somebody())  # the control: nobody has looked at this one
    judged(other, HOLD, version=2)
    assert Exclusion.objects.get().attempt_id == other.pk


WON_AFTER_ALL = [*["u"] * len(STUCK), *WON]


@pytest.mark.parametrize(("judge", "held"), [(HOLD, True), (FLAG, False)])
def test_what_was_played_after_a_moderator_s_clearance_is_judged_as_any_other(
    mod: Player, judge: Any, held: bool
) -> None:
    alice = somebody()
    attempt = play(alice, STUCK)
    assert (attempt.result_ply, attempt.outcome) == (32, "stuck")
    judged(attempt, judge)
    decide(attempt_clear, attempt, mod)
    judged(attempt, judge, version=2)
    assert (Case.objects.get().closed_at is None, Exclusion.objects.count()) == (False, 0)  # the control: as it was
    attempt = play_on(alice, attempt, WON_AFTER_ALL)
    assert attempt.result_ply == 114
    judged(attempt, judge)
    assert Case.objects.get().closed_at is None
    assert Exclusion.objects.exists() == held
    decide(attempt_clear, attempt, mod)
    judged(attempt, judge, version=2)
    assert (Case.objects.get().closed_at is None, Exclusion.objects.count()) == (False, 0)


def test_a_clearance_before_the_first_judgement_holds_for_the_result_that_was_there(mod: Player) -> None:
    alice = somebody()
    attempt = play(alice, STUCK)
    with transaction.atomic():
        case_raise(attempt=attempt, player_id=attempt.player_id, severity=5, reasons=["report"], now=clock.now())
    decide(attempt_clear, attempt, mod)
    judged(attempt, HOLD)
    assert not Exclusion.objects.exists()
    judged(play_on(alice, attempt, WON_AFTER_ALL), HOLD)
    assert Exclusion.objects.exists()


def test_a_disqualified_attempt_stays_disqualified_and_raises_no_case(mod: Player) -> None:
    attempt = play(somebody())
    judged(attempt, FLAG)
    decide(attempt_disqualify, attempt, mod)
    closed = Case.objects.get().closed_at
    assert closed is not None
    judged(attempt, judging("hold", signal("foreknowledge", 50, "moves")), version=2)
    assert Exclusion.objects.get().kind == "disqualified"
    assert Case.objects.get().closed_at == closed


def test_practice_and_deleted_accounts_are_not_judged() -> None:
    practice = play(somebody(), practice=True)
    assert judged(practice, HOLD) is None
    gone = play(somebody())
    Player.objects.filter(pk=gone.player_id).update(deleted_at=clock.now(), name=None, name_key=None)
    assert judged(gone, HOLD) is None
    assert not Judgement.objects.exists()
    assert attempt_judge(attempt_id=10**9, ply=1, now=clock.now(), judge=HOLD) is None


def test_a_guest_s_ranked_attempt_is_judged() -> None:
    assert judged(play(credential(guest())), FLAG) is not None


def test_an_attempt_of_which_nothing_counts_raises_no_case() -> None:
    given_up = play(somebody(), ["t20", "t23"], resign=True, competition=competition(clock.now()))
    row = attempt_judge(attempt_id=given_up.pk, ply=2, now=clock.now(), judge=HOLD, fields=Fields())
    assert row is not None
    assert row.verdict == "hold"
    assert not Case.objects.exists()
    assert not Exclusion.objects.exists()


def test_a_lock_held_for_long_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOCK_SECONDS", 1)
    attempt = play(somebody())
    locked, done = threading.Event(), threading.Event()

    def hold_the_row() -> None:
        try:
            with transaction.atomic():
                Attempt.objects.select_for_update().get(pk=attempt.pk)
                locked.set()
                done.wait(60)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(hold_the_row)
        assert locked.wait(30)
        begun = time.monotonic()
        with pytest.raises(OperationalError):
            judged(attempt, FLAG)
        assert time.monotonic() - begun < 30, "long before the other lets go"
        done.set()
        other.result()
    assert judged(attempt, FLAG) is not None
