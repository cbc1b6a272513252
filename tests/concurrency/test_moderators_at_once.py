"""Moderators at once, and a moderator beside the purge: one has decided, and nobody waits for ever."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from pytest_django import Settings

from games.errors import Conflict
from games.models import Attempt, Player
from leaderboards.models import Board
from leaderboards.moderation import action_state, actions
from leaderboards.moderation.action_state import Whose
from leaderboards.moderation.models import ModeratorAction, Notice
from leaderboards.moderation.retention import totals_keep
from leaderboards.services import account_delete, accounts_purge
from tests.leaderboards.cast import NOON, RUNS, finish, person
from tests.staff import staff

from .test_boards_under_races import in_threads
from .test_decisions_under_races import SOON, WHY, Pause, disqualify, standing

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(attempt: Attempt, *mods: Player) -> list[str]:
    meeting = threading.Barrier(len(mods), timeout=10)

    def one(by: Player) -> str:
        meeting.wait()
        try:
            disqualify(attempt, by)
        except Conflict as refused:
            return refused.code
        return "done"

    return sorted(str(each) for each in in_threads(*[lambda by=by: one(by) for by in mods]))


def test_of_moderators_who_decide_alike_at_once_one_has_decided(mod: Player) -> None:
    attempt = finish(person("alice"), 300)
    others = [staff(f"mod {number}") for number in range(3)]
    assert at_once(attempt, mod, *others) == ["already_so", "already_so", "already_so", "done"]
    assert (ModeratorAction.objects.count(), Notice.objects.count(), standing()) == (1, 1, [])
    board = Board.objects.get(scope=RUNS, view="best")
    assert (board.version, board.entries) == (2, 0)


def test_control_without_the_attempts_lock_two_would_have(mod: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = finish(person("alice"), 300)
    meeting = threading.Barrier(2, timeout=10)
    real = action_state.parts_read

    def unlocked(attempt_id: str, moderator_id: int | None) -> Whose:
        found = Attempt.objects.select_related("player").get(public_id=attempt_id)
        return Whose(found.player, found)

    def both(*given: Any) -> Any:
        found = real(*given)
        meeting.wait()
        return found

    monkeypatch.setattr(actions, "attempt_locked", unlocked)
    monkeypatch.setattr(actions, "parts_read", both)
    with pytest.raises(Exception, match=r"duplicate key|deadlock"):  # the database has the last word
        in_threads(*[lambda by=by: disqualify(attempt, by) for by in (mod, staff("other"))])


def test_a_decision_is_taken_back_once_by_two_at_once(mod: Player) -> None:
    attempt = finish(person("alice"), 300)
    done = disqualify(attempt, mod)
    meeting = threading.Barrier(2, timeout=10)

    def back() -> str:
        meeting.wait()
        try:
            actions.action_revert(action_id=done.public_id, moderator_id=mod.pk, reason="x", words="", now=NOON)
        except Conflict as refused:
            return refused.code
        return "done"

    assert sorted(str(each) for each in in_threads(back, back)) == ["already_reverted", "done"]
    assert standing() == [("alice", 300)]


def test_what_is_taken_back_while_its_attempt_is_purged_and_the_purge_do_not_wait_for_each_other(
    mod: Player, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.DELETED_MOVES_DAYS = 0
    attempt = finish(person("alice"), 300)
    done = disqualify(attempt, mod)
    account_delete(player_id=attempt.player_id, now=NOON)
    purging = Pause()

    def paused(attempt_ids: Sequence[int]) -> None:
        totals_keep(attempt_ids)
        purging()  # with the attempts locked, and the rows of the log still to be changed

    monkeypatch.setattr("leaderboards.services.accounts.totals_keep", paused)

    def back() -> str:
        assert purging.reached.wait(10)
        threading.Timer(SOON, purging.go_on.set).start()
        with pytest.raises(Conflict) as refused:
            actions.action_revert(action_id=done.public_id, moderator_id=mod.pk, reason="x", words="", now=NOON)
        return refused.value.code

    assert in_threads(lambda: accounts_purge(now=NOON), back) == [1, "not_revertible"]
    done.refresh_from_db()
    assert (done.attempt, Attempt.objects.count()) == (None, 0)


def test_moderators_who_ban_each_other_at_once_do_not_wait_for_ever(mod: Player) -> None:
    other = staff("other", role="head")
    meeting = threading.Barrier(2, timeout=10)

    def ban(by: Player, whom: Player) -> str:
        meeting.wait()
        try:
            actions.player_ban(player_id=whom.public_id, moderator_id=by.pk, until=None, now=NOON, **WHY)
        except Exception as refused:
            return getattr(refused, "code", type(refused).__name__)
        return "done"

    found = in_threads(lambda: ban(mod, other), lambda: ban(other, mod))
    assert sorted(str(each) for each in found) == ["done", "role_missing"], "the banned one has no role any more"
