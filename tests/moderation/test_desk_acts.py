"""Acting at the desk: what is offered, asked back, done once, logged and taken back, for each role."""

from __future__ import annotations

import datetime as dt
import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from games import clock
from games.models import Attempt, Player
from leaderboards.models import Entry
from leaderboards.moderation import actions
from leaderboards.moderation.appeals import appeal_make
from leaderboards.moderation.models import Appeal, Exclusion, HiddenPlayer, MergedAccount, ModeratorAction, Notice
from tests.factories import bot, token
from tests.staff import signed_in_moderator

from .desk import (
    LOG,
    QUEUE,
    REASON,
    check,
    confirm,
    do,
    do_path,
    fields_of,
    flagged,
    held,
    page_of,
    player_page,
    read,
    words_of,
)
from .playing import EASY, play, somebody

pytestmark = pytest.mark.django_db
ATTEMPT_ACTS = ("clear", "hold", "disqualify", "reinstate")
PLAYER_ACTS = ("warn", "ban", "unban", "hide", "show", "merge", "separate", "dismiss")
OF_A_MODERATOR = {*ATTEMPT_ACTS, "warn", "ban", "dismiss"}


def standing(attempt: Attempt) -> bool:
    return Entry.objects.filter(attempt=attempt, active=True).exists()


def offered(page: str) -> list[str]:
    """The acts that a page has forms for, in its order."""
    return [act for act in (*ATTEMPT_ACTS, *PLAYER_ACTS, "revert", "answer") if f"/do/{act}/" in page]


def test_disqualify_says_first_what_would_change_and_changes_nothing(mod: Client) -> None:
    alice = somebody("alice")
    play(alice, ["d"], resign=True)
    attempt = play(alice)
    flagged(attempt)
    told = words_of(check(mod, "disqualify", attempt.public_id))
    assert "Nothing has been done yet." in told
    assert f"{EASY} people, best attempts alice won, 750 points, 50 moves no entry" in told
    assert "Nobody plays so fast." in told
    assert standing(attempt)
    assert not ModeratorAction.objects.exists()
    assert not Exclusion.objects.exists()


def test_the_whole_way_to_a_disqualification_and_back(mod: Client) -> None:
    attempt = play(somebody("alice"))
    case = flagged(attempt)
    page = read(mod, page_of(case))
    assert offered(page) == ["clear", "hold", "disqualify", "warn", "ban"]
    do(mod, "disqualify", attempt.public_id, words="Please play at your own pace.")
    assert not standing(attempt)
    done = ModeratorAction.objects.get()
    assert (done.kind, done.reason_class, done.reason) == ("disqualify", "speed", "Nobody plays so fast.")
    assert Notice.objects.get().words == "Please play at your own pace."
    page = read(mod, page_of(case))
    assert offered(page) == ["reinstate", "warn", "ban"]
    assert "disqualified the attempt" in words_of(page)
    told = words_of(check(mod, "reinstate", attempt.public_id))
    assert "no entry won, 750 points, 50 moves" in told
    do(mod, "reinstate", attempt.public_id, reason_class="mistake", reason="It was us.")
    assert standing(attempt)


def test_each_act_without_a_reason_is_refused_in_words_and_keeps_what_was_written(mod: Client) -> None:
    attempt = play(somebody("alice"))
    flagged(attempt)
    for missing, said in (
        ("reason", "Nothing is done without a reason."),
        ("reason_class", "Choose what kind of reason"),
    ):
        given = {**REASON, "words": "Kept words.", missing: " " if missing == "reason" else ""}
        answer = mod.post(do_path("disqualify", attempt.public_id), {**given, "step": "do", "seen": ""})
        assert answer.status_code == 422
        page = answer.content.decode()
        assert said in page
        assert "Kept words." in page
    assert not ModeratorAction.objects.exists()


def test_going_back_from_the_question_keeps_what_was_written(mod: Client) -> None:
    attempt = play(somebody("alice"))
    flagged(attempt)
    page = check(mod, "disqualify", attempt.public_id)
    answer = mod.post(do_path("disqualify", attempt.public_id), {**fields_of(page), "step": "edit"})
    assert answer.status_code == 200
    assert "Nobody plays so fast.</textarea>" in answer.content.decode()
    assert not ModeratorAction.objects.exists()


def test_a_form_sent_twice_acts_once(mod: Client) -> None:
    alice = somebody("alice").player
    page = check(mod, "warn", alice.public_id)
    assert confirm(mod, "warn", alice.public_id, page).status_code == 302
    again = mod.post(do_path("warn", alice.public_id), {**fields_of(page), "step": "do"}, follow=True)
    assert "It was done already, and once." in again.content.decode()
    assert ModeratorAction.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_the_same_time_act_once(client: Client) -> None:
    player = signed_in_moderator(client)
    alice = somebody("alice").player
    page = check(client, "warn", alice.public_id)
    other = Client()
    signed_in_moderator(other, player=player)
    answers: list[Any] = []

    def click(browser: Client) -> None:
        answers.append(confirm(browser, "warn", alice.public_id, page))
        connection.close()

    clicks = [threading.Thread(target=click, args=(browser,)) for browser in (client, other)]
    for each in clicks:
        each.start()
    for each in clicks:
        each.join()
    assert [answer.status_code for answer in answers] == [302, 302]
    assert ModeratorAction.objects.count() == 1


def test_what_somebody_else_did_meanwhile_is_shown_before_anything_is_done(mod: Client) -> None:
    attempt = play(somebody("alice"))
    flagged(attempt)
    page = check(mod, "disqualify", attempt.public_id)
    other = signed_in_moderator(Client(), name="other mod")
    actions.attempt_hold(attempt_id=attempt.public_id, moderator_id=other.pk, **REASON, now=clock.now())
    answer = confirm(mod, "disqualify", attempt.public_id, page)
    assert answer.status_code == 409
    told = answer.content.decode()
    assert "Somebody has acted on this player since you looked." in told
    assert "No entry of any board changes." in told  # as it stands now: held already
    assert Exclusion.objects.get().kind == "held"
    assert confirm(mod, "disqualify", attempt.public_id, told).status_code == 302
    assert Exclusion.objects.get().kind == "disqualified"


def test_what_makes_no_sense_any_more_is_told_in_words(mod: Client) -> None:
    attempt = play(somebody("alice"))
    flagged(attempt)
    page = check(mod, "reinstate", attempt.public_id)
    answer = confirm(mod, "reinstate", attempt.public_id, page)
    assert answer.status_code == 409
    assert "This attempt is not disqualified." in answer.content.decode()
    assert "Nobody plays so fast.</textarea>" in answer.content.decode()


def test_acts_need_the_forms_token_and_a_post(mod: Client) -> None:
    attempt = play(somebody("alice"))
    strict = Client(enforce_csrf_checks=True)
    signed_in_moderator(strict, name="strict")
    assert (
        strict.post(do_path("disqualify", attempt.public_id), {**REASON, "step": "do", "seen": ""}).status_code == 403
    )
    mod.get(do_path("disqualify", attempt.public_id), {**REASON, "step": "do", "seen": ""})
    assert not ModeratorAction.objects.exists()
    assert mod.put(do_path("disqualify", attempt.public_id)).status_code == 405


# --- players -------------------------------------------------------------------------------------------------------


def test_a_ban_has_an_end_and_a_moderators_is_thirty_days_at_most(mod: Client) -> None:
    alice = somebody("alice").player
    told = words_of(check(mod, "ban", alice.public_id, length="7"))
    assert "alice cannot sign in or play until" in told
    do(mod, "ban", alice.public_id, length="7")
    alice.refresh_from_db()
    assert alice.banned_until is not None
    assert dt.timedelta(days=6) < alice.banned_until - clock.now() < dt.timedelta(days=8)
    bob = somebody("bob").player
    for length in ("365", "for good", "", "x"):
        answer = mod.post(do_path("ban", bob.public_id), {**REASON, "length": length, "step": "do", "seen": ""})
        assert answer.status_code == 422
    assert "for good</option>" not in read(mod, player_page(bob))


def test_a_head_bans_for_good_and_lets_in_again(head: Client) -> None:
    alice = somebody("alice").player
    bot("robotnik", owner=alice)
    assert "alice and 1 bot cannot sign in or play for good." in words_of(
        check(head, "ban", alice.public_id, length="for good")
    )
    do(head, "ban", alice.public_id, length="for good")
    alice.refresh_from_db()
    assert (alice.banned_at is not None, alice.banned_until) == (True, None)
    assert offered(read(head, player_page(alice))) == ["warn", "unban", "hide", "merge"]
    do(head, "unban", alice.public_id)
    alice.refresh_from_db()
    assert alice.banned_at is None


def test_a_head_hides_and_shows_a_player(head: Client) -> None:
    attempt = play(somebody("alice"))
    alice = attempt.player
    assert f"{EASY} people, best attempts alice won, 750 points, 50 moves no entry" in words_of(
        check(head, "hide", alice.public_id)
    )
    do(head, "hide", alice.public_id)
    assert HiddenPlayer.objects.get().player == alice
    assert not standing(attempt)
    do(head, "show", alice.public_id)
    assert standing(attempt)


def test_a_head_merges_accounts_and_separates_them(head: Client) -> None:
    first, second = play(somebody("alice"), pace_ms=900), play(somebody("alicia"), pace_ms=700)
    main, other = first.player, second.player
    told = words_of(check(head, "merge", other.public_id, other="alice", main="other"))
    assert "Results count for the other account" in told
    assert f"{EASY} people, best attempts alicia won, 750 points, 50 moves no entry" in told
    do(head, "merge", other.public_id, other="alice", main="other")
    assert (MergedAccount.objects.get().main, MergedAccount.objects.get().second) == (main, other)
    assert "Second account of alice" in words_of(read(head, player_page(other)))
    assert "Main account of alicia" in words_of(read(head, player_page(main)))
    do(head, "separate", other.public_id)
    assert standing(first)
    assert standing(second)
    for wrong in ("nobody at all", "alicia", ""):
        answer = head.post(
            do_path("merge", other.public_id), {**REASON, "other": wrong, "main": "other", "step": "do", "seen": ""}
        )
        assert answer.status_code == 422


# --- taking back, and appeals --------------------------------------------------------------------------------------


def test_an_act_is_taken_back_from_the_log(mod: Client) -> None:
    attempt = play(somebody("alice"))
    flagged(attempt)
    do(mod, "disqualify", attempt.public_id)
    done = ModeratorAction.objects.get()
    page = read(mod, f"{LOG}{done.public_id}/")
    assert offered(page) == ["revert"]
    told = words_of(check(mod, "revert", done.public_id))
    assert "no entry won, 750 points, 50 moves" in told
    assert "case closed" in told
    do(mod, "revert", done.public_id, reason="It was Bob.")
    assert standing(attempt)
    page = read(mod, f"{LOG}{done.public_id}/")
    assert offered(page) == []
    assert "Taken back" in page
    assert "mod took back: disqualified" in words_of(read(mod, LOG))


def test_a_moderator_takes_back_only_their_own_acts(mod: Client) -> None:
    attempt = play(somebody("alice"))
    flagged(attempt)
    other = signed_in_moderator(Client(), name="other mod")
    done = actions.attempt_disqualify(attempt_id=attempt.public_id, moderator_id=other.pk, **REASON, now=clock.now())
    assert offered(read(mod, f"{LOG}{done.public_id}/")) == []
    assert mod.get(do_path("revert", done.public_id)).status_code == 403
    assert mod.post(do_path("revert", done.public_id), {**REASON, "step": "do", "seen": ""}).status_code == 403
    boss = Client()
    signed_in_moderator(boss, role="head", name="hilda")
    do(boss, "revert", done.public_id)


def test_a_head_who_did_not_decide_answers_an_appeal_at_the_case(head: Client) -> None:
    attempt = play(somebody("alice"))
    case = flagged(attempt)
    other = signed_in_moderator(Client(), name="other mod")
    actions.attempt_disqualify(attempt_id=attempt.public_id, moderator_id=other.pk, **REASON, now=clock.now())
    notice = Notice.objects.get()
    appeal_make(player_id=attempt.player_id, notice_id=notice.public_id, text="I am just quick.", now=clock.now())
    assert "Appealed 1" in words_of(read(head, QUEUE))
    page = read(head, page_of(case))
    assert "I am just quick." in page
    assert "answer" in offered(page)
    given = {"accept": "no", "answer": "We looked again, with care.", "step": "check"}
    answer = head.post(do_path("answer", notice.public_id), given)
    assert answer.status_code == 200
    assert confirm(head, "answer", notice.public_id, answer.content.decode()).status_code == 302
    assert Appeal.objects.get().state == "refused"
    plain = Client()
    signed_in_moderator(plain, name="plain mod")
    assert "answer" not in offered(read(plain, page_of(case)))
    assert plain.get(do_path("answer", notice.public_id)).status_code == 403


def test_an_accepted_appeal_leads_on_to_taking_the_decision_back(head: Client) -> None:
    attempt = play(somebody("alice"))
    flagged(attempt)
    other = signed_in_moderator(Client(), name="other mod")
    done = actions.attempt_disqualify(attempt_id=attempt.public_id, moderator_id=other.pk, **REASON, now=clock.now())
    notice = Notice.objects.get()
    appeal_make(player_id=attempt.player_id, notice_id=notice.public_id, text="I am just quick.", now=clock.now())
    given = {"accept": "yes", "answer": "You are right.", "step": "check"}
    page = head.post(do_path("answer", notice.public_id), given).content.decode()
    answer = confirm(head, "answer", notice.public_id, page)
    assert answer.headers["Location"] == f"{LOG}{done.public_id}/"
    assert offered(read(head, f"{LOG}{done.public_id}/")) == ["revert"]
    assert not standing(attempt)  # accepting by itself takes nothing back
    do(head, "revert", done.public_id, reason="The appeal is right.")
    assert standing(attempt)


# --- roles ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["moderator", "head", "auditor", "superuser"])
def test_each_role_is_offered_and_allowed_exactly_its_acts(client: Client, role: str) -> None:
    signed_in_moderator(client, role=role, name="somebody of staff")
    attempt = play(somebody("alice"))
    case = flagged(attempt)
    allowed = {
        "moderator": OF_A_MODERATOR,
        "auditor": set(),
        "head": {*ATTEMPT_ACTS, *PLAYER_ACTS},
        "superuser": {*ATTEMPT_ACTS, *PLAYER_ACTS},
    }[role]
    page = read(client, page_of(case)) + read(client, player_page(attempt.player))
    assert set(offered(page)) <= allowed
    for kind in (*ATTEMPT_ACTS, *PLAYER_ACTS):
        subject = attempt.public_id if kind in ATTEMPT_ACTS else attempt.player.public_id
        expected = 200 if kind in allowed else 403
        assert client.get(do_path(kind, subject)).status_code == expected, kind
        if kind not in allowed:
            assert client.post(do_path(kind, subject), {**REASON, "step": "do", "seen": ""}).status_code == 403
    assert not ModeratorAction.objects.exists()


def test_people_without_a_role_see_nothing_of_the_desk(client: Client) -> None:
    case = held(play(somebody("alice")))
    for path in (QUEUE, page_of(case), LOG, f"{QUEUE}players/"):
        assert client.get(path).status_code == 302
    signed_in_moderator(client, role="staff", name="cleaner")
    for path in (QUEUE, page_of(case), LOG, f"{QUEUE}players/", do_path("warn", case.player.public_id)):
        assert client.get(path).status_code == 403


def test_nobody_is_offered_their_own_case_or_their_bots(client: Client) -> None:
    me: Player = signed_in_moderator(client, role="head")
    mine = flagged(play(token(me)))
    robot = flagged(play(token(bot("robotnik", owner=me)), ["d"], code="TP1-E-AAAAAAC", resign=True))
    for case in (mine, robot):
        page = read(client, page_of(case))
        assert offered(page) == []
        assert "somebody else decides" in page
        assert case.attempt is not None
        assert client.post(do_path("clear", case.attempt.public_id), {**REASON, "step": "do"}).status_code == 403


def test_one_comes_back_only_to_pages_of_the_admin(mod: Client) -> None:
    alice = somebody("alice").player
    for back, wanted in (("/admin/leaderboards/case/", QUEUE), ("https://evil.example/admin/", player_page(alice))):
        page = check(mod, "warn", alice.public_id, reason=f"Because of {back[:5]}.", back=back)
        assert confirm(mod, "warn", alice.public_id, page).headers["Location"] == wanted
