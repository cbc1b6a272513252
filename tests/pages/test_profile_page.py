"""A player's page, without scripts: for everybody, and a guest's for that guest only."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client

from games import clock
from games.models import Player
from leaderboards.services import dailies_prepare
from tests.factories import credential
from tests.leaderboards.cast import bot, finish, guest, person

from .reading import Page, get

pytestmark = pytest.mark.django_db(transaction=True)


def get_as(player: Player, address: str) -> Page:
    """GET a page with this player's cookie."""
    client = Client()
    client.cookies[settings.CREDENTIAL_COOKIE] = credential(player, via="cookie").secret
    answer = client.get(address)
    return Page(answer.status_code, answer.content.decode(), answer.headers.get("Location", ""))


def test_a_player_without_a_result_has_a_page_that_says_so() -> None:
    dailies_prepare(now=clock.now())
    page = get(f"/players/{person('alice').public_id}")
    assert page.status == 200
    assert "alice" in page.words
    assert "No result yet." in page.words
    assert "not played" in page.words
    assert "Your account" not in page.words


def test_the_page_tells_results_scores_runs_and_records() -> None:
    now = clock.now()
    dailies_prepare(now=now)
    alice = person("alice")
    won = finish(alice, 760, code="TP1-E-AAAAAAB", at=now)
    finish(alice, 480, code="TP1-C-AAAAAAC", outcome="stuck", cards_left=4, peaks=1, at=now)
    finish(alice, 466, code="TP1-R-AAAAAAB", at=now)
    finish(alice, 0, code="TP1-G-AAAAAAR", at=now)
    finish(alice, 700, code="TP1-E-AAAAAAD", competition=f"daily-{now.date()}", at=now)
    page = get(f"/players/{alice.public_id}")
    assert "dailies won 1" in page.words
    assert "Record of 1 numbered game 17" in page.words
    assert "Best runs" in page.words
    assert "3 ranked results · 2 won · 66 %" in page.words
    assert f'href="/attempts/{won.public_id}"' in page.text
    assert f'href="/boards/daily-{now.date()}"' in page.text
    assert "Number 17" in page.words
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page.text)


def test_one_turns_months_and_pages_of_results() -> None:
    now = clock.now()
    dailies_prepare(now=now)
    alice = person("alice")
    for number in range(30):
        finish(alice, number, code=f"TP1-E-AAAAA{chr(65 + number // 26)}{chr(65 + number % 26)}", at=now)
    page = get(f"/players/{alice.public_id}?month={now:%Y-%m}")
    assert page.text.count('<td class="outcome">') == 25
    later = get(f"/players/{alice.public_id}{page.link('Earlier results').split('#')[0]}")
    assert later.text.count('<td class="outcome">') == 5
    assert later.link("Back to the newest") == f"?month={now:%Y-%m}#results"
    for wrong in ("?month=2026-13", "?month=", "?after=x", "?after=%00"):
        assert get(f"/players/{alice.public_id}{wrong}").status == 404


def test_a_guest_has_a_page_for_themselves_only() -> None:
    visitor = guest()
    address = f"/players/{visitor.public_id}"
    unknown = get("/players/0123456789abcdef")
    assert unknown.status == 404
    assert (get(address).status, get(address).words) == (404, unknown.words)
    assert get_as(person("bob"), address).status == 404
    own = get_as(visitor, address)
    assert own.status == 200
    assert "Only you can see this page." in own.words


def test_names_are_text_and_bots_are_said_to_be_bots() -> None:
    alice = person("alice")
    Player.objects.filter(pk=alice.pk).update(name="<b>&alice", name_key="x")
    assert "<bdi>&lt;b&gt;&amp;alice</bdi>" in get(f"/players/{alice.public_id}").text
    assert get(f"/players/{bot('helper', alice).public_id}").words.count("Bot helper") == 1


def test_me_leads_to_ones_own_page_or_to_the_account() -> None:
    alice = person("alice")
    assert get_as(alice, "/me").location == f"/players/{alice.public_id}"
    assert get("/me").location == "/account"
