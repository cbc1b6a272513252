"""Which decisions stand: a ban that is over is neither appealed against nor undone by what comes later."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest

from games import clock
from games.errors import GameError
from games.models import Player
from leaderboards.moderation import actions
from leaderboards.moderation.appeals import appeal_make
from leaderboards.moderation.models import Appeal, ModeratorAction, Notice
from leaderboards.moderation.notices import with_standing
from leaderboards.moderation.player_selectors import totals_forget, totals_get
from tests.calls import call
from tests.factories import SignedIn

from .fair import WHY, disqualified, held, player, result, staff

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def counted_anew() -> Iterator[None]:
    totals_forget()
    yield
    totals_forget()


def ban(whom: Player, begun: dt.datetime, *, days: int | None) -> ModeratorAction:
    until = None if days is None else begun + days * DAY
    return actions.player_ban(player_id=whom.public_id, moderator_id=None, until=until, now=begun, **WHY)


def unban(whom: Player, now: dt.datetime) -> ModeratorAction:
    return actions.player_unban(player_id=whom.public_id, moderator_id=None, now=now, **WHY)


def back(action: ModeratorAction) -> ModeratorAction:
    return actions.action_revert(
        action_id=action.public_id, moderator_id=None, reason="mistake", words="", now=clock.now()
    )


def notice(action: ModeratorAction) -> Notice:
    return Notice.objects.get(action=action)


def appealed(action: ModeratorAction, now: dt.datetime) -> Appeal:
    told = notice(action)
    return appeal_make(player_id=told.player_id, notice_id=told.public_id, text="No.", now=now)


def state_of(made: Appeal) -> str:
    made.refresh_from_db()
    return made.state


def refusal(action: ModeratorAction, now: dt.datetime) -> str:
    with pytest.raises(GameError) as refused:
        appealed(action, now)
    return refused.value.code


def read(who: SignedIn, action: ModeratorAction) -> tuple[bool, bool]:
    """Whether the notice says that it has been taken back, and that it may be appealed against."""
    wanted = notice(action).public_id
    for page in (call("GET", "/account/notices", who=who).json, call("GET", "/account/export", who=who).json):
        [found] = [each for each in page["notices"] if each["id"] == wanted]
    return found["taken_back"], found["appealable"]


def undone(action: ModeratorAction) -> Any:
    return with_standing(Notice.objects.filter(action=action)).values_list("undone", flat=True)[0]  # type: ignore[misc]


def reversed_in_all() -> int:
    totals_forget()
    return int(totals_get(now=clock.now())["all"]["reversed"])


def test_a_ban_is_appealed_against_until_it_has_run_out() -> None:
    alice, now = player("alice"), clock.now()
    done = ban(alice.player, now - 3 * DAY, days=2)
    assert read(alice, done) == (False, False)
    assert refusal(done, now) == refusal(done, now - DAY) == "not_appealable"
    answer = call("POST", f"/account/notices/{notice(done).public_id}/appeal", {"text": "No."}, who=alice)
    assert (answer.status, answer.code) == (409, "not_appealable")
    made = appealed(done, now - DAY - dt.timedelta(seconds=1))
    assert appealed(done, now) == made, "the same text again"
    assert state_of(made) == "open"


def test_what_is_left_of_a_ban_is_what_has_replaced_it() -> None:
    alice, now = player("alice"), clock.now()
    for_good = ban(alice.player, now - 9 * DAY, days=None)
    shorter = ban(alice.player, now - 8 * DAY, days=2)
    assert read(alice, for_good) == (False, False)
    for done in (for_good, shorter):
        assert refusal(done, now) == "not_appealable"
    appealed(for_good, now - 7 * DAY)
    third = ban(alice.player, now - DAY, days=None)
    assert refusal(shorter, now) == "not_appealable"
    assert state_of(appealed(third, now)) == "open"


def test_a_later_ban_that_is_undone_takes_no_earlier_one_back_that_had_run_out() -> None:
    alice, now = player("alice"), clock.now()
    old = ban(alice.player, now - 9 * DAY, days=2)
    asked = appealed(old, now - 8 * DAY)
    stands = ban(alice.player, now - 2 * DAY, days=5)
    other = ban(alice.player, now - DAY, days=None)
    against = [appealed(each, now) for each in (stands, other)]
    done = unban(alice.player, now)
    assert [state_of(each) for each in (asked, *against)] == ["open", "accepted", "accepted"]
    assert [read(alice, each) for each in (old, stands, other)] == [(False, False), (True, False), (True, False)]
    assert [each["notice"] for each in done.after["appeals"]] == [notice(each).public_id for each in (stands, other)]
    assert reversed_in_all() == 1


def test_a_ban_that_has_run_out_is_not_ended_again() -> None:
    alice, now = player("alice"), clock.now()
    done = ban(alice.player, now - 3 * DAY, days=2)
    with pytest.raises(GameError) as refused:
        unban(alice.player, now)
    assert refused.value.code == "already_so"
    assert (read(alice, done), reversed_in_all()) == ((False, False), 0)
    back(done)  # a mistake of ours is said to be one at any time
    assert (read(alice, done), reversed_in_all()) == ((True, False), 1)


def test_a_ban_taken_back_to_one_that_has_run_out_is_over_and_the_player_is_told_so() -> None:
    alice, now = player("alice"), clock.now()
    old = ban(alice.player, now - 9 * DAY, days=2)
    mistake = ban(alice.player, now - DAY, days=None)
    again = back(ban(alice.player, now, days=7))
    made = appealed(again, now)
    assert notice(again).kind == "banned"
    done = back(mistake)
    assert notice(done).kind == "unbanned"
    assert (state_of(made), read(alice, again), read(alice, mistake)) == ("accepted", (True, False), (True, False))
    assert read(alice, old) == (False, False)


def test_an_unban_taken_back_after_the_end_of_the_ban_is_not_told() -> None:
    alice, now = player("alice"), clock.now()
    ban(alice.player, now - 3 * DAY, days=2)
    done = back(unban(alice.player, now - 2 * DAY))
    assert done.after["ban"]["banned_until"]
    assert not Notice.objects.filter(action=done).exists()


def test_back_to_held_a_disqualification_that_had_come_back_stands_no_more() -> None:
    alice, mod = player("alice"), staff("mod")
    attempt = result(alice.player)
    held(attempt)
    first = disqualified(attempt, mod)
    reinstated = actions.attempt_reinstate(
        attempt_id=attempt.public_id, moderator_id=mod.pk, now=clock.now(), **WHY
    )  # fmt: skip
    again = back(reinstated)
    made = appealed(again, clock.now())
    assert [undone(each) for each in (first, again)] == [True, False]
    back(first)
    assert (state_of(made), undone(again), read(alice, again)) == ("accepted", True, (True, False))
