"""Fair play as the server writes it: the page about it, notices in words, what stands on results, the mark of the unread."""

from __future__ import annotations

import datetime as dt
import html
import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from games import clock
from games.models import Player
from leaderboards.api.schemas_fairplay import ACTION_KINDS, NOTICE_KINDS, NOTICE_REASONS, REPORT_REASONS
from leaderboards.moderation.models import Judgement, ModeratorAction, Notice, Report
from leaderboards.moderation.player_selectors import totals_forget
from leaderboards.notice_words import _REASONS, _WORDS, notice_shown
from tests.factories import bot, credential, guest, person
from tests.moderation.fair import WHY, banned, disqualified, held, result, staff, warned

from .reading import Page, get

pytestmark = pytest.mark.django_db(transaction=True)


def seen_by(player: Player, address: str = "/account") -> Page:
    browser = Client()
    browser.cookies[settings.CREDENTIAL_COOKIE] = credential(player, via="cookie").secret
    answer = browser.get(address)
    return Page(answer.status_code, answer.content.decode(), "")


def marked(page: Page) -> bool:
    return "new notices" in page.words


def test_the_page_of_fair_play_has_the_totals_and_the_times_that_things_are_kept() -> None:
    attempt = result(person("alice"))
    Judgement.objects.create(
        attempt=attempt, ply=1, version=1, verdict="nothing", points=0, signals=[], judged_at=clock.now()
    )
    totals_forget()
    page = get("/fair-play")
    assert "games checked 1 1" in page.words
    assert page.words.count(f"for {settings.EVIDENCE_DAYS} days") == 2  # whence moves came, and shared browsers
    assert f"for {settings.EVIDENCE_DAYS} days" in get("/fairness").words
    totals_forget()


@pytest.mark.parametrize("address", ["/", "/fairness", "/rules", "/settings", "/nothing-here"])
def test_every_page_leads_to_it(address: str) -> None:
    assert '<a href="/fair-play">' in get(address).text or address == "/nothing-here"


def test_there_are_words_for_every_kind_and_reason() -> None:
    assert set(_WORDS) == set(Notice.Kind.values) == set(NOTICE_KINDS)
    assert set(ACTION_KINDS) == set(ModeratorAction.Kind.values)
    assert set(_REASONS) == set(ModeratorAction.ReasonClass.values) == set(NOTICE_REASONS)
    assert set(Report.ReasonClass.values) == set(REPORT_REASONS)
    told: dict[str, Any] = {"attempt": "a", "appeal": None, "at": clock.iso(clock.now()), "until": None}
    for kind in NOTICE_KINDS:
        for reason in NOTICE_REASONS:
            shown = notice_shown({**told, "kind": kind, "reason_class": reason})
            assert shown["title"]
            assert shown["text"]
    assert "warning" in str(
        notice_shown({**told, "kind": "cleared", "reason_class": "other", "attempt": None})["title"]
    )


def test_a_notice_says_what_why_and_what_can_be_done() -> None:
    alice, mod = person("alice"), staff("mod")
    attempt = result(alice)
    disqualified(attempt, mod)
    page = seen_by(alice)
    for words in (
        "Notices 1 new",
        "A result of yours is disqualified",
        "The reason: moves copied from another game.",
        WHY["words"],
        "Why should this be decided otherwise?",
    ):
        assert words in page.words
    assert WHY["reason"] not in page.words
    assert f'href="/attempts/{attempt.public_id}"' in page.text
    assert re.search(r'<section[^>]*id="notices"[^>]*data-newest="\w{16}"', page.text)


def test_the_words_of_moderators_are_no_markup() -> None:
    alice, mod = person("alice"), staff("mod")
    warned(alice, mod)
    Notice.objects.update(words="<script>alert(1)</script>\nand more")
    page = seen_by(alice)
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;<br>and more" in page.text


def test_without_notices_it_says_where_they_would_be() -> None:
    assert "If moderators decide something about your results, you read it here." in seen_by(person("alice")).words
    assert "Notices" not in seen_by(guest()).words


def test_many_notices_come_page_by_page() -> None:
    alice, mod = person("alice"), staff("mod")
    for number in range(12):
        warned(alice, mod)
        ModeratorAction.objects.update(at=clock.now() - dt.timedelta(days=1 + number))
    page = seen_by(alice)
    assert page.text.count('class="notice-words"') == 10
    older = html.unescape(re.findall(r'href="(/account\?after=\w+)#notices"', page.text)[0])
    assert seen_by(alice, older).text.count('class="notice-words"') == 2
    assert "data-newest" not in seen_by(alice, older).text, "only the first page says what was seen"
    assert seen_by(alice, "/account?after=zzzz").status == 404


def test_the_mark_of_the_unread_is_on_every_page_that_knows_its_visitor() -> None:
    alice, mod = person("alice"), staff("mod")
    robot = bot("robot", owner=alice)
    addresses = ("/new", "/account", f"/players/{alice.public_id}", "/settings", "/play/TP1-E-AAAAAAB")
    assert not any(marked(seen_by(alice, address)) for address in addresses)
    warned(robot, mod)
    assert all(marked(seen_by(alice, address)) for address in addresses)
    assert not marked(seen_by(person("bob"), "/new"))
    Notice.objects.update(read_at=clock.now())
    assert not any(marked(seen_by(alice, address)) for address in addresses)


def test_a_result_that_does_not_count_says_so_to_its_player_alone() -> None:
    alice, bob, mod = person("alice"), person("bob"), staff("mod")
    attempt = result(alice)
    address = f"/attempts/{attempt.public_id}"
    assert "On the board of" in seen_by(alice, address).words
    held(attempt)
    assert "Under review: this result stays off the boards" in seen_by(alice, address).words
    assert "under review" in seen_by(alice, f"/players/{alice.public_id}").words
    for stranger in (seen_by(bob, address), get(address)):
        assert "review" not in stranger.words.lower()
        assert "On the board of" not in stranger.words, "for it is not"
    disqualified(attempt, mod)
    assert "Disqualified: this result is on no board." in seen_by(alice, address).words
    assert "disqualified" not in seen_by(bob, address).words.lower()


def test_who_is_banned_has_a_page_of_what_is_left() -> None:
    alice, mod = person("alice"), staff("mod")
    until = dt.datetime(2999, 5, 4, 3, 2, tzinfo=dt.UTC)
    banned(alice, mod, until)
    page = seen_by(alice)
    for words in (
        "This account is shut out",
        "Until 4 May 2999",
        WHY["words"],
        "Download my data",
        "Delete the account",
    ):
        assert words in page.words
    for words in ("New token", "Change the password", "Make new codes", "Signed in"):
        assert words not in page.words
    assert "Take this name" not in page.words
    for address in ("/new", f"/players/{alice.public_id}", "/play/TP1-E-AAAAAAB", "/settings"):
        other = seen_by(alice, address)
        assert "this is you" not in other.words
        assert not marked(other)


def test_a_banned_guest_has_one_too() -> None:
    somebody, mod = guest(), staff("mod")
    banned(somebody, mod)
    page = seen_by(somebody)
    assert "Without an end." in page.words
    assert "Delete the account" not in page.words, "a guest's account ends with its browser"


def test_reports_are_offered_where_others_are_seen() -> None:
    alice, bob = person("alice"), person("bob")
    attempt = result(bob)
    for address, kind in ((f"/attempts/{attempt.public_id}", "attempt"), (f"/players/{bob.public_id}", "player")):
        page = seen_by(alice, address)
        assert f'data-act="report" data-kind="{kind}" data-id="{address.rpartition("/")[2]}"' in page.text
        assert "js/report.js" in page.text
        assert "report" not in seen_by(bob, address).text
        stranger = get(address)
        assert "Sign in first, or play a game as a guest." in stranger.words
        assert "js/report.js" not in stranger.text
