"""What a second click is told: "done already" is said of the very same deed only."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from games import clock
from games.models import Player
from leaderboards.moderation.actions import attempt_disqualify
from leaderboards.moderation.appeals import appeal_make
from leaderboards.moderation.models import Appeal, Exclusion, MergedAccount, ModeratorAction, Notice
from tests.factories import person

from .desk import REASON, check, confirm, do_path, fields_of, words_of
from .fair import WHY, banned, result, staff, warned

pytestmark = pytest.mark.django_db
DONE_ALREADY = "It was done already, and once."
MEANWHILE = "Somebody has acted on this player since you looked."


def click(browser: Client, kind: str, subject: str, page: str) -> tuple[int, str]:
    """The button of a page that asks for confirmation, and what is said then."""
    answer = confirm(browser, kind, subject, page)
    if answer.status_code == 302:
        return 302, words_of(browser.get(answer.headers["Location"]).content.decode())
    return answer.status_code, words_of(answer.content.decode())


def twice(browser: Client, kind: str, subject: str, page: str) -> None:
    """The same page sent twice acts once and says so."""
    status, said = click(browser, kind, subject, page)
    assert (status, DONE_ALREADY in said) == (302, False)
    number = ModeratorAction.objects.count()
    status, said = click(browser, kind, subject, page)
    assert (status, DONE_ALREADY in said) == (302, True), (status, said)
    assert ModeratorAction.objects.count() == number


def first_then_other(browser: Client, kind: str, pages: list[tuple[str, str]]) -> None:
    """Of two pages (subject, page) seen before either was sent, the second is not taken for the first."""
    assert click(browser, kind, *pages[0])[0] == 302
    number = ModeratorAction.objects.count()
    status, said = click(browser, kind, *pages[1])
    assert (status, MEANWHILE in said, DONE_ALREADY in said) == (409, True, False), (status, said)
    assert ModeratorAction.objects.count() == number


def test_another_attempt_of_the_same_player_is_another_deed(head: Client) -> None:
    alice = person("alice")
    first, second = result(alice), result(alice, 600)
    pages = [(each.public_id, check(head, "disqualify", each.public_id)) for each in (first, second)]
    first_then_other(head, "disqualify", pages)
    assert Exclusion.objects.get().attempt == first


def test_another_action_that_is_taken_back_is_another_deed(head: Client) -> None:
    alice, boss = person("alice"), staff("boss")
    acts = [warned(alice, boss), banned(alice, boss)]
    pages = [(each.public_id, check(head, "revert", each.public_id)) for each in acts]
    first_then_other(head, "revert", pages)
    alice.refresh_from_db()
    assert alice.banned_at is not None


def test_another_appeal_is_another_deed(head: Client) -> None:
    alice, boss = person("alice"), staff("boss")
    warned(alice, boss)
    banned(alice, boss)
    pages = []
    for notice in Notice.objects.order_by("id"):
        appeal_make(player_id=alice.pk, notice_id=notice.public_id, text="No.", now=clock.now())
        pages.append((notice.public_id, check(head, "answer", notice.public_id, accept="no", answer="It stands.")))
    first_then_other(head, "answer", pages)
    assert list(Appeal.objects.order_by("notice").values_list("state", flat=True)) == ["refused", "open"]


@pytest.mark.parametrize("field", ["reason_class", "reason", "words"])
def test_another_reason_or_other_words_are_another_deed(head: Client, field: str) -> None:
    alice = person("alice")
    other = {"reason_class": "conduct", "reason": "Rude.", "words": "Mind your words."}[field]
    pages = [(alice.public_id, check(head, "warn", alice.public_id, **given)) for given in ({}, {field: other})]
    first_then_other(head, "warn", pages)


def test_another_end_of_a_ban_is_another_deed(head: Client) -> None:
    alice = person("alice")
    pages = [(alice.public_id, check(head, "ban", alice.public_id, length=length)) for length in ("7", "for good")]
    first_then_other(head, "ban", pages)
    alice.refresh_from_db()
    assert alice.banned_until is not None


def test_another_account_or_the_other_way_round_is_another_deed(head: Client) -> None:
    alice, _bob, _carol = (person(name) for name in ("alice", "bob", "carol"))
    ways = [{"other": "bob", "main": "other"}, {"other": "carol", "main": "other"}, {"other": "bob", "main": "this"}]
    first, *others = [(alice.public_id, check(head, "merge", alice.public_id, **way)) for way in ways]
    first_then_other(head, "merge", [first, others[0]])
    status, said = click(head, "merge", *others[1])
    assert (status, DONE_ALREADY in said) == (409, False)
    assert MergedAccount.objects.get().main.name == "bob"


def test_somebody_elses_like_deed_is_not_mine(head: Client) -> None:
    alice = person("alice")
    attempt = result(alice)
    page = check(head, "disqualify", attempt.public_id)
    other = staff("boss")
    attempt_disqualify(attempt_id=attempt.public_id, moderator_id=other.pk, **{**WHY, **REASON}, now=clock.now())
    status, said = click(head, "disqualify", attempt.public_id, page)
    assert (status, MEANWHILE in said) == (409, True)


# --- the very same -------------------------------------------------------------------------------------------------


def test_each_kind_of_form_sent_twice_acts_once_and_says_so(head: Client) -> None:
    alice, boss = person("alice"), staff("boss")
    attempt = result(alice)
    case_of = {"length": "7", "words": "Until next week."}
    twice(head, "disqualify", attempt.public_id, check(head, "disqualify", attempt.public_id, words="Slowly, please."))
    twice(head, "reinstate", attempt.public_id, check(head, "reinstate", attempt.public_id))
    twice(head, "ban", alice.public_id, check(head, "ban", alice.public_id, **case_of))
    twice(head, "unban", alice.public_id, check(head, "unban", alice.public_id))
    twice(head, "ban", alice.public_id, check(head, "ban", alice.public_id, length="for good"))
    action = warned(alice, boss)
    notice = Notice.objects.get(action=action)
    appeal_make(player_id=alice.pk, notice_id=notice.public_id, text="No.", now=clock.now())
    page = check(head, "answer", notice.public_id, accept="no", answer="It stands.")
    twice(head, "answer", notice.public_id, page)
    twice(head, "revert", action.public_id, check(head, "revert", action.public_id))


@pytest.mark.parametrize("main", ["other", "this"])
def test_a_merging_sent_twice_acts_once_whichever_account_is_the_second(head: Client, main: str) -> None:
    alice, _bob = person("alice"), person("bob")
    twice(head, "merge", alice.public_id, check(head, "merge", alice.public_id, other="bob", main=main))


@pytest.mark.parametrize("seen", ["\0", "x" * 5000, "'; --", "0" * 16, "a\0b", "ÿ"])
@pytest.mark.parametrize("acted", [False, True])
def test_a_seen_that_no_form_has_is_told_like_one_that_is_old(head: Client, seen: str, acted: bool) -> None:
    alice: Player = person("alice")
    if acted:
        warned(alice, staff("boss"))
    sent: dict[str, Any] = {**REASON, "step": "do", "seen": seen}
    answer = head.post(do_path("warn", alice.public_id), sent)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert MEANWHILE in page
    assert ModeratorAction.objects.count() == acted
    assert head.post(do_path("warn", alice.public_id), {**fields_of(page), "step": "do"}).status_code == 302
