"""An appeal against a decision that is undone, in whatever way, has its answer; and what stands no more is not appealed."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from django.test import Client

from games import clock
from games.errors import GameError
from games.models import Player
from leaderboards.moderation import actions, appeals, notices
from leaderboards.moderation.actions import action_revert
from leaderboards.moderation.appeals import appeal_answer, appeal_make
from leaderboards.moderation.models import Appeal, Exclusion, ModeratorAction, Notice
from tests.calls import call
from tests.factories import SignedIn, credential
from tests.staff import signed_in_moderator

from .desk import LOG, check, do, read, words_of
from .fair import WHY, banned, disqualified, player, result, staff, warned

pytestmark = pytest.mark.django_db(transaction=True)


class Decided:
    """Alice, what was decided against her, and the ways in which it is undone."""

    def __init__(self) -> None:
        self.alice, self.other, self.mod = player("alice"), player("alicia").player, staff("mod")
        self.attempt = result(self.alice.player)

    @property
    def about_player(self) -> dict[str, Any]:
        return {"player_id": self.alice.player.public_id, "moderator_id": self.mod.pk, "now": clock.now(), **WHY}

    def disqualified(self) -> ModeratorAction:
        return disqualified(self.attempt, self.mod)

    def reinstated(self) -> ModeratorAction:
        return actions.attempt_reinstate(
            attempt_id=self.attempt.public_id, moderator_id=self.mod.pk, now=clock.now(), **WHY
        )

    def banned(self) -> ModeratorAction:
        return banned(self.alice.player, self.mod)

    def unbanned(self) -> ModeratorAction:
        return actions.player_unban(**self.about_player)

    def hidden(self) -> ModeratorAction:
        return actions.player_hide(**self.about_player)

    def shown(self) -> ModeratorAction:
        return actions.player_show(**self.about_player)

    def merged(self) -> ModeratorAction:
        about = {"main_id": self.other.public_id, "second_id": self.alice.player.public_id}
        return actions.accounts_merge(**about, moderator_id=self.mod.pk, now=clock.now(), **WHY)

    def separated(self) -> ModeratorAction:
        about = {"second_id": self.alice.player.public_id}
        return actions.accounts_separate(**about, moderator_id=self.mod.pk, now=clock.now(), **WHY)

    def warned(self) -> ModeratorAction:
        return warned(self.alice.player, self.mod)

    def reverted(self, action: ModeratorAction) -> ModeratorAction:
        return action_revert(
            action_id=action.public_id, moderator_id=self.mod.pk, reason="mistake", words="", now=clock.now()
        )


UNDOING: dict[str, tuple[Callable[[Decided], ModeratorAction], Callable[[Decided], ModeratorAction] | None]] = {
    "reinstate": (Decided.disqualified, Decided.reinstated),
    "unban": (Decided.banned, Decided.unbanned),
    "show": (Decided.hidden, Decided.shown),
    "separate": (Decided.merged, Decided.separated),
    **{
        f"take back: {act.__name__}": (act, None)
        for act in (Decided.disqualified, Decided.banned, Decided.hidden, Decided.merged, Decided.warned)
    },
}


def told(who: SignedIn, action: ModeratorAction) -> dict[str, Any]:
    """How the notice of an action reads to its player: on the page, and in the file of all that is kept."""
    inside = who if Player.objects.get(pk=who.player.pk).banned_at is None else credential(who.player)
    wanted = Notice.objects.get(action=action, player=who.player).public_id
    [found] = [
        each for each in call("GET", "/account/notices", who=inside).json["notices"] if each["id"] == wanted
    ]  # fmt: skip
    exported = call("GET", "/account/export", who=inside).json["notices"]
    [kept] = [each for each in exported if each["id"] == wanted]
    assert {name: kept[name] for name in found} == found
    return dict(found)


def appeal(action: ModeratorAction, who: Player) -> Appeal:
    notice = Notice.objects.get(action=action, player=who)
    return appeal_make(player_id=who.pk, notice_id=notice.public_id, text="No.", now=clock.now())


@pytest.mark.parametrize("way", UNDOING)
def test_whatever_undoes_a_decision_accepts_the_open_appeal_against_it(way: str) -> None:
    decide, undo = UNDOING[way]
    case = Decided()
    decision = decide(case)
    assert (told(case.alice, decision)["appealable"], told(case.alice, decision)["taken_back"]) == (True, False)
    made = appeal(decision, case.alice.player)
    done = undo(case) if undo else case.reverted(decision)
    made.refresh_from_db()
    assert (made.state, made.answered_at, made.answer) == ("accepted", done.at, "")
    notice = told(case.alice, decision)
    assert (notice["taken_back"], notice["appealable"], notice["appeal"]["state"]) == (True, False, "accepted")
    row = {"notice": notice["id"], "state": "open"}
    assert (done.before["appeals"], done.after["appeals"]) == ([row], [{**row, "state": "accepted"}])
    newest = Notice.objects.filter(player=case.alice.player).latest("id")
    assert (newest.action, newest.kind in ("reinstated", "unbanned", "shown", "separated", "cleared")) == (done, True)


@pytest.mark.parametrize("way", UNDOING)
def test_what_stands_no_more_cannot_be_appealed(way: str) -> None:
    decide, undo = UNDOING[way]
    case = Decided()
    decision = decide(case)
    done = undo(case) if undo else case.reverted(decision)
    assert "appeals" not in done.after
    assert (told(case.alice, decision)["appealable"], told(case.alice, decision)["taken_back"]) == (False, True)
    with pytest.raises(GameError) as refused:
        appeal(decision, case.alice.player)
    assert refused.value.code == "taken_back"


@pytest.mark.parametrize("way", ["reinstate", "unban", "show", "separate"])
def test_the_same_decided_once_more_is_appealed_by_its_own_notice(way: str) -> None:
    decide, undo = UNDOING[way]
    assert undo is not None
    case = Decided()
    first = decide(case)
    ended = undo(case)
    second = decide(case)
    assert [told(case.alice, each)["appealable"] for each in (first, second)] == [False, True]
    case.reverted(second)
    back = case.reverted(ended)  # that ending taken back: the first decision again, told anew
    assert [told(case.alice, each)["appealable"] for each in (first, second, back)] == [False, False, True]


def test_a_warning_taken_back_and_back_again_is_told_each_time() -> None:
    case = Decided()
    warning = case.warned()
    back = case.reverted(warning)
    again = case.reverted(back)
    assert [Notice.objects.get(action=each).kind for each in (warning, back, again)] == ["warned", "cleared", "warned"]
    assert [told(case.alice, each)["appealable"] for each in (warning, again)] == [False, True]
    made = appeal(again, case.alice.player)
    last = case.reverted(again)
    made.refresh_from_db()
    assert (made.state, Notice.objects.get(action=last).kind) == ("accepted", "cleared")


def test_appeals_against_other_decisions_stay_open() -> None:
    case = Decided()
    warning, ban = case.warned(), case.banned()
    other = disqualified(result(case.alice.player, 600), case.mod)
    against = [appeal(each, case.alice.player) for each in (warning, other, ban, case.disqualified())]
    case.unbanned()
    case.reinstated()
    for each in against:
        each.refresh_from_db()
    assert [each.state for each in against] == ["open", "open", "accepted", "accepted"]


def test_a_ban_that_another_has_replaced_is_settled_with_the_last_and_not_before() -> None:
    case = Decided()
    first = banned(case.alice.player, case.mod, dt.datetime(2999, 1, 1, tzinfo=dt.UTC))
    second = case.banned()
    against = [appeal(each, case.alice.player) for each in (first, second)]
    case.reverted(second)  # the first is in force again
    for each in against:
        each.refresh_from_db()
    assert [each.state for each in against] == ["open", "accepted"]
    case.unbanned()
    against[0].refresh_from_db()
    assert against[0].state == "accepted"


def test_back_to_held_is_no_decision_against_the_player_and_clearing_is_none_either() -> None:
    case = Decided()
    about = {"attempt_id": case.attempt.public_id, "moderator_id": case.mod.pk, "now": clock.now(), **WHY}
    actions.attempt_hold(**about)
    decision = case.disqualified()
    made = appeal(decision, case.alice.player)
    case.reverted(decision)
    assert Exclusion.objects.get().kind == "held"
    made.refresh_from_db()
    assert made.state == "accepted"
    Appeal.objects.update(state="open", answered_at=None)  # as before there was this rule
    actions.attempt_clear(**about)
    made.refresh_from_db()
    assert made.state == "accepted"


def test_an_answer_stays_as_it_was_given() -> None:
    case, judy = Decided(), staff("judy")
    decision = case.disqualified()
    notice = appeal(decision, case.alice.player).notice
    appeal_answer(notice_id=notice.public_id, moderator_id=judy.pk, accept=False, answer="No.", now=clock.now())
    case.reinstated()
    assert (Appeal.objects.get().state, Appeal.objects.get().answer) == ("refused", "No.")


def test_the_main_accounts_appeal_against_a_merging_is_settled_too() -> None:
    case = Decided()
    made = appeal(case.merged(), case.other)
    case.separated()
    made.refresh_from_db()
    assert made.state == "accepted"


def test_an_appeal_that_is_just_being_made_is_waited_for_and_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Decided()
    decision = case.disqualified()
    looked, go_on = threading.Event(), threading.Event()
    real = notices.is_undone

    def paused(notice: Notice) -> bool:
        found = real(notice)
        looked.set()
        assert go_on.wait(10)
        return found

    monkeypatch.setattr(appeals, "is_undone", paused)

    def alone(act: Callable[[], object]) -> object:
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        making = threads.submit(alone, lambda: appeal(decision, case.alice.player))
        assert looked.wait(10)
        undoing = threads.submit(alone, case.reinstated)
        with pytest.raises(TimeoutError):
            undoing.result(0.5)
        go_on.set()
        making.result(10)
        undoing.result(10)
    assert Appeal.objects.get().state == "accepted"


# --- at the desk ---------------------------------------------------------------------------------------------------


def test_the_desk_says_beforehand_that_the_appeal_is_accepted_with_it(client: Client) -> None:
    signed_in_moderator(client, role="head", name="hilda")
    case = Decided()
    appeal(case.disqualified(), case.alice.player)
    appeal(case.warned(), case.alice.player)
    appeal(case.banned(), case.alice.player)
    for kind, subject in (("reinstate", case.attempt), ("unban", case.alice.player)):
        assert "1 open appeal against it: accepted with it." in words_of(check(client, kind, subject.public_id))
    assert "accepted with it" not in words_of(check(client, "hide", case.alice.player.public_id))
    do(client, "unban", case.alice.player.public_id)
    assert set(Appeal.objects.values_list("state", flat=True)) == {"open", "accepted"}
    done = ModeratorAction.objects.latest("id")
    assert "appeals" in words_of(read(client, f"{LOG}{done.public_id}/"))
    assert "appeals" not in words_of(check(client, "revert", done.public_id)).split("What you wrote")[0]


def test_an_accepted_appeal_against_a_warning_leads_on_to_taking_it_back(client: Client) -> None:
    signed_in_moderator(client, role="head", name="hilda")
    case = Decided()
    warning = case.warned()
    notice = appeal(warning, case.alice.player).notice
    do(client, "answer", notice.public_id, accept="yes", answer="You are right.")
    page = read(client, f"{LOG}{warning.public_id}/")
    assert f"/do/revert/{warning.public_id}/" in page
    assert "alice is told that the warning stands no more." in words_of(check(client, "revert", warning.public_id))
    do(client, "revert", warning.public_id)
    assert told(case.alice, warning)["taken_back"] is True
    back = ModeratorAction.objects.get(kind="revert")
    assert f"/do/revert/{back.public_id}/" in read(client, f"{LOG}{back.public_id}/"), "and back again"
    assert "alice is warned again." in words_of(check(client, "revert", back.public_id))
    answer = ModeratorAction.objects.get(kind="answer")
    assert "/do/" not in read(client, f"{LOG}{answer.public_id}/"), "an answer stays"
