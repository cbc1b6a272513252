"""`rejudge` shows what a new version of the signals would change; with --apply it changes that and no more."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from games import clock
from games.errors import Conflict
from games.models import Attempt, Player
from leaderboards.moderation.actions import attempt_clear, attempt_disqualify, attempt_hold, attempt_reinstate
from leaderboards.moderation.evidence import Evidence
from leaderboards.moderation.judging import attempt_judge
from leaderboards.moderation.lines import Fields
from leaderboards.moderation.models import Case, Exclusion, Judgement, ModeratorAction
from leaderboards.moderation.rejudging import Rejudged, rejudge
from leaderboards.moderation.signals import VERSION
from leaderboards.moderation.verdict import OVER_TIME, Judged
from tests.factories import person
from tests.moderation.playing import STUCK, WON, best_line, competition, decide, judging, play, signal, somebody

pytestmark = pytest.mark.django_db(transaction=True)

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
NOTHING = judging("nothing")
FLAG = judging("flag", signal("machine_speed", 35))
HOLD = judging("hold", signal("same_line", 45, "moves"), signal("machine_speed", 30))


def first(attempt: Attempt, judge: Any) -> None:
    """Judged by version 1, when it ended."""
    assert attempt.result_ply is not None
    now = attempt.result_at
    assert now is not None
    attempt_judge(attempt_id=attempt.pk, ply=attempt.result_ply, now=now, judge=judge, version=1, fields=Fields())


def again(judge: Any, *, apply: bool, version: int = 2, **period: Any) -> list[Rejudged]:
    given: dict[str, Any] = {"since": NOON - DAY, "until": NOON + DAY} | period
    return list(rejudge(**given, apply=apply, now=clock.now(), judge=judge, version=version))


def counts() -> dict[str, int]:
    """Rows of every table of the database."""
    found = {}
    with connection.cursor() as cursor:
        for model in apps.get_models():
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(model._meta.db_table)}")
            found[model._meta.db_table] = cursor.fetchone()[0]
    return found


def told(done: list[Rejudged]) -> list[tuple[str, str, str, str]]:
    return [(one.attempt, one.before, one.after, one.effect) for one in done]


@pytest.fixture
def mod() -> Player:
    return person("mod", is_staff=True, is_superuser=True)


def test_a_look_writes_nothing_and_apply_writes_what_it_showed() -> None:
    attempt = play(somebody(), at=NOON)
    first(attempt, NOTHING)
    before = counts()
    shown = again(HOLD, apply=False)
    assert told(shown) == [(attempt.public_id, "nothing", "hold", "hold")]
    assert counts() == before
    done = again(HOLD, apply=True)
    assert told(done) == told(shown)
    after = counts()
    assert after["leaderboards_judgement"] == before["leaderboards_judgement"] + 1
    assert after["leaderboards_case"] == after["leaderboards_exclusion"] == 1
    row = Judgement.objects.get(version=2)
    assert (row.verdict, row.points) == ("hold", 75)


def test_what_this_version_has_judged_is_skipped() -> None:
    attempt = play(somebody(), at=NOON)
    first(attempt, NOTHING)
    again(FLAG, apply=True)
    before = counts()

    def fails(evidence: Evidence, *, confirm: Any) -> Any:
        raise AssertionError("asked again")

    for apply in (False, True):
        (one,) = again(fails, apply=apply)
        assert one.known
    assert counts() == before
    with pytest.raises(AssertionError):  # the control
        again(fails, apply=True, version=3)


def test_a_run_that_was_stopped_goes_on() -> None:
    attempts = [play(somebody(), at=NOON + dt.timedelta(minutes=number)) for number in range(4)]
    going = rejudge(since=NOON - DAY, until=NOON + DAY, apply=True, now=clock.now(), judge=FLAG, version=2)
    assert [next(going).attempt, next(going).attempt] == [attempt.public_id for attempt in attempts[:2]]
    going.close()
    assert Judgement.objects.count() == 2
    done = again(FLAG, apply=True)
    assert [(one.attempt, one.known) for one in done] == [
        (attempt.public_id, number < 2) for number, attempt in enumerate(attempts)
    ]
    assert Judgement.objects.count() == 4


def test_only_the_period_and_only_the_attempt_asked_for() -> None:
    early = play(somebody(), at=NOON - 2 * DAY)
    inside = play(somebody(), at=NOON)
    other = play(somebody(), at=NOON)
    given_up = play(somebody(), ["t20"], at=NOON, resign=True, competition=competition(NOON))
    play(somebody(), at=NOON, practice=True)
    play(somebody(), ["t20"], at=NOON)
    assert {one.attempt for one in again(FLAG, apply=False)} == {
        inside.public_id,
        other.public_id,
        given_up.public_id,
    }
    assert told(again(FLAG, apply=False, attempt_id=other.public_id)) == [(other.public_id, "", "flag", "case")]
    assert again(FLAG, apply=False, attempt_id=early.public_id) == []


def test_a_hold_of_the_judge_ends_when_the_new_version_finds_nothing() -> None:
    attempt = play(somebody(), at=NOON)
    first(attempt, HOLD)
    before = counts()
    assert told(again(NOTHING, apply=False)) == [(attempt.public_id, "hold", "nothing", "lift")]
    assert counts() == before
    assert told(again(NOTHING, apply=True)) == [(attempt.public_id, "hold", "nothing", "lift")]
    assert not Exclusion.objects.exists()
    newest = ModeratorAction.objects.latest("at", "pk")
    assert (newest.kind, newest.moderator_id, newest.reason_class) == ("clear", None, "mistake")
    assert Case.objects.get().closed_at is not None
    assert told(again(NOTHING, apply=True)) == [(attempt.public_id, "hold", "nothing", "")]


def test_a_hold_of_the_judge_ends_and_the_case_stays_when_the_new_version_only_flags_it() -> None:
    attempt = play(somebody(), at=NOON)
    first(attempt, HOLD)
    assert told(again(FLAG, apply=True)) == [(attempt.public_id, "hold", "flag", "lift")]
    assert not Exclusion.objects.exists()
    assert Case.objects.get().closed_at is None


def test_a_hold_that_was_judged_but_not_yet_lifted_is_lifted_by_the_next_run() -> None:
    attempt = play(somebody(), at=NOON)
    first(attempt, HOLD)
    assert attempt.result_ply is not None
    attempt_judge(attempt_id=attempt.pk, ply=50, now=clock.now(), judge=NOTHING, version=2, fields=Fields())
    assert Exclusion.objects.exists()
    assert told(again(NOTHING, apply=True)) == [(attempt.public_id, "hold", "nothing", "lift")]
    assert not Exclusion.objects.exists()


def test_what_a_moderator_has_decided_stands(mod: Player) -> None:
    held, cleared = play(somebody(), at=NOON), play(somebody(), at=NOON)
    first(held, FLAG)
    first(cleared, HOLD)
    for service, attempt in ((attempt_hold, held), (attempt_clear, cleared)):
        decide(service, attempt, mod)
    assert told(again(NOTHING, apply=True, attempt_id=held.public_id)) == [
        (held.public_id, "flag", "nothing", "left alone")
    ]
    assert Exclusion.objects.get().attempt_id == held.pk
    again(NOTHING, apply=True, attempt_id=cleared.public_id)
    assert told(again(HOLD, apply=True, attempt_id=cleared.public_id, version=3)) == [
        (cleared.public_id, "nothing", "hold", "left alone")
    ]
    assert Exclusion.objects.count() == 1


VERDICTS = ("nothing", "flag", "hold")
DECIDED: dict[str, tuple[Any, ...]] = {
    "not": (),
    "cleared": (attempt_clear,),
    "held": (attempt_hold,),
    "cleared and held": (attempt_clear, attempt_hold),
    "disqualified": (attempt_disqualify,),
    "reinstated": (attempt_disqualify, attempt_reinstate),
}


def test_a_look_says_what_apply_does_whatever_was_found_and_decided_before(mod: Player) -> None:
    """And apply does what it says: every verdict after every other and every decision, for old reasons and new ones."""
    judges: dict[int, Any] = {}
    cases = list(itertools.product(VERDICTS, VERDICTS, DECIDED, ("same_line", "even_rhythm")))
    attempts = []
    alice = somebody()
    for number, (before, after, decided, reason) in enumerate(cases):
        attempt = play(alice, STUCK, at=NOON + number * dt.timedelta(minutes=1))
        first(attempt, judging(before, *([] if before == "nothing" else [signal("same_line", 45, "moves")])))
        for service in DECIDED[decided]:
            with contextlib.suppress(Conflict):  # to clear what nobody doubts, to hold what is held
                decide(service, attempt, mod)
        judges[attempt.pk] = judging(after, *([] if after == "nothing" else [signal(reason, 45, "moves")]))
        attempts.append(attempt)

    def judge(evidence: Evidence, *, confirm: Any) -> Judged:
        found: Judged = judges[evidence.line.attempt_id](evidence)
        return found

    def state(attempt: Attempt) -> tuple[bool, str | None]:
        case = Case.objects.filter(attempt=attempt).first()
        excluded = Exclusion.objects.filter(attempt=attempt).first()
        return case is not None and case.closed_at is None, None if excluded is None else excluded.kind

    was = [state(attempt) for attempt in attempts]
    shown = again(judge, apply=False)
    assert [state(attempt) for attempt in attempts] == was
    done = again(judge, apply=True)
    assert [one.attempt for one in done] == [attempt.public_id for attempt in attempts]
    for given, look, did, (opened, excluded), attempt in zip(cases, shown, done, was, attempts, strict=True):
        assert look == did, given
        now_open, now_excluded = state(attempt)
        if now_excluded != excluded:
            assert look.effect == {"held": "hold", None: "lift"}[now_excluded], given
        else:
            assert (look.effect == "case") == (now_open and not opened), given
    assert {one.effect for one in done} == {"", "case", "hold", "lift", "left alone"}
    again_open = ("flag", "flag", "cleared", "even_rhythm")
    assert done[cases.index(again_open)].effect == "case"


def test_a_look_judges_careers_by_what_it_has_just_found() -> None:
    alice = somebody()
    for day, code in enumerate(("TP1-E-AAAAAAB", "TP1-E-AAAAAAD", "TP1-E-AAAAAAF")):
        at = NOON + dt.timedelta(hours=day)
        play(alice, best_line(code), code=code, at=at, competition=competition(at, f"daily-2020-01-0{day + 1}"))
    seen = []

    def judge(evidence: Evidence, *, confirm: Any) -> Judged:
        seen.append(([tuple(each) for each in evidence.career.knowledge], evidence.career.settled))
        found = (signal(OVER_TIME, 30, "moves"),) if len(seen) % 3 == 1 else ()
        return Judged("flag" if found else "nothing", 30, found, (float(len(seen)),))

    again(judge, apply=False)
    told = [([], 0), ([(1.0,)], 1), ([(1.0,), (2.0,)], 1)]
    assert seen == told
    assert not Judgement.objects.exists()
    again(judge, apply=True)
    assert seen[3:] == [([], 0), ([(4.0,)], 1), ([(4.0,), (5.0,)], 1)], "as when it is applied"


def test_a_line_is_never_taken_for_a_copy_of_a_later_one() -> None:
    """However late the judgement: by the real judge, who would flag the later one."""
    line = best_line()
    earlier = play(somebody(), line, at=NOON)
    later = play(somebody(), line, at=NOON + dt.timedelta(hours=1))
    found: dict[str, list[str]] = {}
    for one in rejudge(since=NOON - DAY, until=NOON + DAY, apply=True, now=clock.now(), version=2):
        row = Judgement.objects.get(attempt__public_id=one.attempt)
        found[one.attempt] = [each["name"] for each in row.signals]
    assert "same_line" not in found[earlier.public_id]
    assert len(found) == 2
    assert later.public_id in found


def test_the_command_lists_changes_sums_them_up_and_says_that_nothing_was_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    attempt = play(somebody(), WON, at=NOON)
    period = {"since": "2026-11-20", "until": "2026-11-20"}
    before = counts()
    call_command("rejudge", "--from", period["since"], "--to", period["until"])
    shown = capsys.readouterr().out
    assert counts() == before
    assert f"Version {VERSION}: 1 attempts, 0 more" in shown
    assert "Nothing was written" in shown
    call_command("rejudge", "--from", period["since"], "--to", period["until"], "--apply")
    assert Judgement.objects.get().attempt_id == attempt.pk
    assert "Nothing was written" not in capsys.readouterr().out
    call_command("rejudge", "--from", "2026-11-21", "--to", "2026-11-21")
    assert f"Version {VERSION}: 0 attempts" in capsys.readouterr().out
    with pytest.raises(CommandError):
        call_command("rejudge", "--from", "2026-11-21", "--to", "2026-11-20")
