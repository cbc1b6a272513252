"""`/new`: every ruleset, codes and numbers as people type them, and what was left unfinished."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from games.engine.rulesets import RULESETS
from tests.attempts.hand import Hand
from tests.leaderboards.cast import EASY, person

from .reading import Page, get

pytestmark = pytest.mark.django_db


def test_every_ruleset_can_be_chosen_and_easy_comes_first() -> None:
    page = get("/new")
    offered = re.findall(r'name="ruleset" value="(\w+)"', page.text)
    assert offered == list(RULESETS)
    assert offered[0] == "E"
    assert '<form action="/play/random" method="get"' in page.text
    assert "Play Easy A king takes an ace, an ace takes a king." in page.words


@pytest.mark.parametrize(
    ("typed", "target"),
    [
        (" tp1-e-aaa aaab ", EASY),
        ("TP1–E–AAA%E2%80%8BAAAB%0A", EASY),
        ("ＴＰ１ＥＡＡＡＡＡＡＢ", EASY),
        ("17", "TP1-G-AAAAAAR"),
        ("2026-11-29", "daily-2026-11-29"),
    ],
)
def test_C04_a_code_however_it_is_typed_leads_to_its_one_table(typed: str, target: str) -> None:
    page = get(f"/new?code={typed}")
    assert (page.status, page.location) == (302, f"/play/{target}")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("К7М2QР", "Character 1 (U+041A) cannot stand in a game code: use plain letters and digits."),
        ("TP1-E-AAAA5AB", "Character 5 of the last part, 5, cannot stand in a TP1 code: it takes letters A to Z only."),
        ("TP1-Q-AAAAAAB", "There is no ruleset Q."),
        ("TP1-E-AAAAAA", "After TP1 and the ruleset a game code has 7 characters; here it has 6."),
    ],
)
def test_C04_a_slip_is_shown_with_its_place_and_the_text_is_kept(typed: str, words: str) -> None:
    page = get(f"/new?code={typed}")
    assert page.status == 200
    assert words in page.words
    assert f'value="{typed}"' in page.text
    assert page.text.count('aria-invalid="true"') == 1


def test_a_number_leads_to_its_table_or_gets_a_word() -> None:
    assert get("/new?number=%2017%20").location == "/play/TP1-G-AAAAAAR"
    page = get("/new?number=007")
    assert "Numbered games are 1 to 50000, in plain digits." in page.words
    assert 'value="007"' in page.text


def test_unfinished_attempts_can_go_on_and_only_for_their_owner() -> None:
    alice, mallory = Hand.of(person("alice")), Hand.of(person("mallory"))
    attempt = alice.start(EASY)
    alice.play(attempt, "t20")
    over = alice.start("TP1-C-AAAAAAB", key="k2")
    alice.resign(over)
    page = seen(alice)
    assert page.link(f'<strong><bdi dir="ltr" class="code">{EASY}') == f"/play/{EASY}?attempt={attempt.public_id}"
    assert "Easy · 27 cards left · 1 move" in page.words
    assert over.public_id not in page.text
    assert "Continue" not in seen(mallory).words
    assert "Continue" not in get("/new").words


def seen(hand: Hand) -> Page:
    """The page as this player sees it; no cache may give it to another."""
    answer = Client().get("/new", headers={"Authorization": f"Bearer {hand.secret}"})
    assert answer.headers["Cache-Control"] == "private, no-cache"
    return Page(answer.status_code, answer.content.decode(), "")
