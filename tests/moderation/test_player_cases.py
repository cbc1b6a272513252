"""A case about a player, or about an attempt that is disqualified already: closed from the desk, logged, taken back, and
never over an appeal that waits.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from games import clock
from games.errors import GameError, NotFound
from games.models import Attempt, Player
from leaderboards.moderation.actions import action_revert, case_dismiss
from leaderboards.moderation.appeals import appeal_answer, appeal_make
from leaderboards.moderation.cases import case_raise
from leaderboards.moderation.models import Case, Exclusion, ModeratorAction, Notice
from leaderboards.services import account_delete, accounts_purge
from tests.factories import person

from .desk import LOG, QUEUE, check, confirm, do, do_path, names, player_page, read, words_of
from .fair import banned, disqualified, held, result, staff, warned

pytestmark = pytest.mark.django_db(transaction=True)


def reported(whom: Player, attempt: Attempt | None = None) -> Case:
    """A player, or an attempt, with an open case, as a report makes it."""
    with transaction.atomic():
        return case_raise(
            attempt=attempt, player_id=whom.pk, severity=5, reasons=["report"], now=clock.now(), reported=True
        )


def dismissed(whom: Player, by: Player) -> ModeratorAction:
    return case_dismiss(
        player_id=whom.public_id, moderator_id=by.pk, reason_class="other", reason="Nothing in it.", now=clock.now()
    )


def let_stand(attempt: Attempt, by: Player) -> ModeratorAction:
    """The same for the case about an attempt."""
    return case_dismiss(
        attempt_id=attempt.public_id, moderator_id=by.pk, reason_class="other", reason="As before.", now=clock.now()
    )


def taken_back(action: ModeratorAction, by: Player) -> ModeratorAction:
    return action_revert(action_id=action.public_id, moderator_id=by.pk, reason="mistake", words="", now=clock.now())


def appealed(notice: Notice) -> Notice:
    appeal_make(player_id=notice.player_id, notice_id=notice.public_id, text="No.", now=clock.now())
    return notice


def code_of(call: Any) -> str:
    with pytest.raises(GameError) as refused:
        call()
    return refused.value.code


def is_open(case: Case) -> bool:
    case.refresh_from_db()
    return case.closed_at is None


# --- the act -------------------------------------------------------------------------------------------------------


def test_it_closes_the_players_case_and_no_other_and_stands_in_the_log() -> None:
    alice, mod = person("alice"), staff("mod", "moderator")
    about, other = reported(alice), reported(person("bob"))
    of_attempt = reported(alice, result(alice))
    done = dismissed(alice, mod)
    assert [is_open(each) for each in (about, other, of_attempt)] == [False, True, True]
    assert (done.kind, done.moderator, done.player, done.attempt) == ("dismiss", mod, alice, None)
    assert done.before == {"case": {"id": about.public_id, "closed_at": None}}
    assert about.closed_at is not None
    assert done.after == {"case": {"id": about.public_id, "closed_at": about.closed_at.isoformat()}}
    assert not Notice.objects.exists(), "a report that comes to nothing is nobody's news"


def test_it_is_taken_back_and_done_again() -> None:
    alice, mod = person("alice"), staff("mod", "moderator")
    case = reported(alice)
    back = taken_back(dismissed(alice, mod), mod)
    assert is_open(case)
    assert not Notice.objects.exists()
    again = taken_back(back, mod)
    assert not is_open(case)
    taken_back(again, mod)
    assert is_open(case)


def test_it_is_not_taken_back_when_the_case_is_another_by_now() -> None:
    alice, mod = person("alice"), staff("mod")
    case = reported(alice)
    done = dismissed(alice, mod)
    warned(alice, mod)
    appealed(Notice.objects.get())
    assert code_of(lambda: taken_back(done, mod)) == "changed_since"
    assert is_open(case)


def test_what_is_not_open_is_not_closed() -> None:
    alice, mod = person("alice"), staff("mod")
    assert code_of(lambda: dismissed(alice, mod)) == "already_so"
    reported(alice)
    dismissed(alice, mod)
    assert code_of(lambda: dismissed(alice, mod)) == "already_so"
    assert code_of(lambda: dismissed(alice, staff("audrey", "auditor"))) == "role_missing"
    reported(mod)
    assert code_of(lambda: dismissed(mod, mod)) == "own_case"
    with pytest.raises(NotFound):
        case_dismiss(player_id="0" * 16, moderator_id=mod.pk, reason_class="other", reason="x", now=clock.now())
    assert code_of(
        lambda: case_dismiss(
            player_id=alice.public_id, moderator_id=mod.pk, reason_class="other", reason=" ", now=clock.now()
        )
    ) == "reason_missing"  # fmt: skip
    assert ModeratorAction.objects.count() == 1


def test_a_deleted_account_has_no_open_case_and_one_that_crossed_the_deletion_is_closed_by_hand() -> None:
    alice, mod = person("alice"), staff("mod")
    case = reported(alice)
    account_delete(player_id=alice.pk, now=clock.now())
    assert not is_open(case)
    Case.objects.update(closed_at=None)
    dismissed(alice, mod)
    assert not is_open(case)


# --- a disqualification that stands --------------------------------------------------------------------------------


def test_a_report_about_a_disqualified_attempt_is_closed_and_the_decision_stands() -> None:
    alice, mod = person("alice"), staff("mod", "moderator")
    attempt = result(alice)
    disqualified(attempt, mod)
    case, about_player = reported(alice, attempt), reported(alice)
    assert is_open(case)
    before = Exclusion.objects.values().get()
    done = let_stand(attempt, mod)
    assert [is_open(each) for each in (case, about_player)] == [False, True]
    assert Exclusion.objects.values().get() == before
    assert (done.kind, done.player, done.attempt) == ("dismiss", alice, attempt)
    assert (done.before, set(done.after)) == ({"case": {"id": case.public_id, "closed_at": None}}, {"case"})
    assert Notice.objects.get().kind == "disqualified", "and nothing more is told"
    back = taken_back(done, mod)
    assert is_open(case)
    taken_back(back, mod)
    assert not is_open(case)
    assert (Exclusion.objects.values().get(), Notice.objects.count()) == (before, 1)


def test_the_case_of_any_other_attempt_is_closed_by_deciding() -> None:
    alice, mod = person("alice"), staff("mod", "moderator")
    attempt = result(alice)
    case = reported(alice, attempt)
    assert code_of(lambda: let_stand(attempt, mod)) == "not_disqualified"
    held(attempt)
    assert code_of(lambda: let_stand(attempt, mod)) == "not_disqualified"
    assert is_open(case)
    disqualified(attempt, mod)
    assert code_of(lambda: let_stand(attempt, mod)) == "already_so"
    with transaction.atomic():
        case_raise(attempt=attempt, player_id=alice.pk, severity=0, reasons=["same_line"], now=clock.now())
    assert code_of(lambda: let_stand(attempt, staff("audrey", "auditor"))) == "role_missing"
    assert code_of(lambda: let_stand(attempt, alice)) == "role_missing"
    appealed(Notice.objects.get(kind="disqualified"))
    assert code_of(lambda: let_stand(attempt, mod)) == "appeal_open"
    assert is_open(case)
    with pytest.raises(NotFound):
        case_dismiss(attempt_id="0" * 16, moderator_id=mod.pk, reason_class="other", reason="x", now=clock.now())


def test_nobody_closes_the_case_of_an_attempt_of_their_own() -> None:
    mod, judy = staff("mod"), staff("judy")
    attempt = result(mod)
    disqualified(attempt, judy)
    reported(mod, attempt)
    assert code_of(lambda: let_stand(attempt, mod)) == "own_case"


def test_the_whole_way_with_a_disqualified_attempt(mod: Client) -> None:
    alice = person("alice")
    attempt = result(alice)
    disqualified(attempt, staff("boss"))
    case = reported(alice, attempt)
    page = f"{QUEUE}{case.public_id}/"
    assert "/do/dismiss/" in read(mod, page)
    asked = check(mod, "dismiss", attempt.public_id)
    assert "Nothing else changes." in words_of(asked)
    assert "Words to the player" not in words_of(asked)
    assert confirm(mod, "dismiss", attempt.public_id, asked).status_code == 302
    assert names(read(mod, QUEUE)) == []
    shown = read(mod, page)
    assert "/do/reinstate/" in shown
    assert "/do/dismiss/" not in shown
    assert "mod closed the case about the attempt" in words_of(read(mod, LOG, kind="dismiss"))
    appealed(Notice.objects.get())
    assert is_open(case)
    assert "/do/dismiss/" not in read(mod, page), "an appeal is answered"


def test_what_closed_a_case_that_is_gone_is_not_taken_back(mod: Client) -> None:
    alice, boss = person("alice"), staff("boss")
    attempt = result(alice)
    disqualified(attempt, boss)
    reported(alice, attempt)
    about_player = reported(alice)
    closed = [let_stand(attempt, boss), dismissed(alice, boss)]
    account_delete(player_id=alice.pk, now=clock.now() - dt.timedelta(days=999))
    accounts_purge(now=clock.now())
    assert not Case.objects.filter(pk=about_player.pk).exists()
    for done in closed:
        with pytest.raises(GameError) as refused:
            taken_back(done, boss)
        assert refused.value.code == "not_revertible"
        assert "/do/" not in read(mod, f"{LOG}{done.public_id}/")


# --- appeals -------------------------------------------------------------------------------------------------------


def test_a_case_is_not_closed_while_another_appeal_about_it_waits() -> None:
    alice, mod, judy = person("alice"), staff("mod"), staff("judy")
    warned(alice, mod)
    banned(alice, mod)
    first, second = (appealed(notice) for notice in Notice.objects.order_by("id"))
    case = Case.objects.get(player=alice, attempt=None)
    assert code_of(lambda: dismissed(alice, mod)) == "appeal_open"
    for notice, stays in ((first, True), (second, False)):
        appeal_answer(notice_id=notice.public_id, moderator_id=judy.pk, accept=False, answer="No.", now=clock.now())
        assert is_open(case) is stays


def test_an_appeal_about_something_else_keeps_no_case_open() -> None:
    alice, mod, judy = person("alice"), staff("mod"), staff("judy")
    attempt = result(alice)
    disqualified(attempt, mod)
    warned(alice, mod)
    of_attempt, of_player = (appealed(notice) for notice in Notice.objects.order_by("id"))
    appeal_answer(notice_id=of_player.public_id, moderator_id=judy.pk, accept=False, answer="No.", now=clock.now())
    assert not is_open(Case.objects.get(player=alice, attempt=None))
    assert is_open(Case.objects.get(attempt=attempt))
    assert of_attempt.appeal.state == "open"


def test_taking_back_twice_does_not_close_a_case_over_an_appeal() -> None:
    alice, mod = person("alice"), staff("mod")
    case = reported(alice)
    back = taken_back(dismissed(alice, mod), mod)
    warned(alice, mod)
    appealed(Notice.objects.get())
    taken_back(back, mod)
    assert is_open(case)


# --- at the desk ---------------------------------------------------------------------------------------------------


def test_the_whole_way_at_the_desk(mod: Client) -> None:
    alice = person("alice")
    case = reported(alice)
    assert names(read(mod, QUEUE)) == ["alice"]
    page = read(mod, player_page(alice))
    assert "/do/dismiss/" in page
    assert "The player is not told" in words_of(page)
    asked = check(mod, "dismiss", alice.public_id)
    told = words_of(asked)
    assert "The case is closed and leaves the queue. Nothing else changes." in told
    assert "alice is not told." in told
    assert "Words to the player" not in told
    assert is_open(case)
    answer = confirm(mod, "dismiss", alice.public_id, asked)
    assert answer.status_code == 302
    assert "Alice: case closed." in words_of(read(mod, answer.headers["Location"]))
    assert names(read(mod, QUEUE)) == []
    assert not is_open(case)
    page = read(mod, player_page(alice))
    assert "/do/dismiss/" not in page
    assert "mod closed the case about the player" in words_of(read(mod, LOG, kind="dismiss"))
    refused = mod.post(do_path("dismiss", alice.public_id), {"reason_class": "other", "reason": "Again.", "step": "do",
                       "seen": ModeratorAction.objects.get().public_id})  # fmt: skip
    assert refused.status_code == 409
    assert "There is no open case about this player." in refused.content.decode()
    done = ModeratorAction.objects.get()
    told = words_of(check(mod, "revert", done.public_id))
    assert "alice is not told." in told
    do(mod, "revert", done.public_id)
    assert is_open(case)


def test_while_an_appeal_waits_it_is_not_offered(mod: Client) -> None:
    alice = person("alice")
    warned(alice, staff("boss"))
    appealed(Notice.objects.get())
    page = read(mod, player_page(alice))
    assert "A head moderator who did not decide it answers." in words_of(page)
    assert "/do/dismiss/" not in page
    answer = confirm(mod, "dismiss", alice.public_id, check(mod, "dismiss", alice.public_id))
    assert answer.status_code == 409
    assert "An appeal waits for its answer." in answer.content.decode()


def test_of_a_deleted_account_only_the_case_is_left_to_close(mod: Client) -> None:
    alice = person("alice")
    reported(alice)
    account_delete(player_id=alice.pk, now=clock.now())
    assert "/do/" not in read(mod, player_page(alice))
    Case.objects.update(closed_at=None)
    page = read(mod, player_page(alice))
    assert "/do/dismiss/" in page
    assert "/do/warn/" not in page


def test_an_attempts_page_does_not_offer_to_close_the_players_case(mod: Client) -> None:
    alice = person("alice")
    reported(alice)
    case = reported(alice, result(alice))
    page = read(mod, f"{QUEUE}{case.public_id}/")
    assert "/do/warn/" in page
    assert "/do/dismiss/" not in page
