"""`/boards?code=`: what a person types leads to its board, or to a friendly word (R7.6, R7.7, C04)."""

from __future__ import annotations

import datetime as dt

import pytest

from leaderboards.services import dailies_prepare
from tests.leaderboards.cast import NOON

from .conftest import SetClock
from .reading import get

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("typed", "board"),
    [
        (" tp1 e aaaaaab ", "TP1-E-AAAAAAB"),
        ("ＴＰ１－Ｅ－ＡＡＡＡＡＡＢ", "TP1-E-AAAAAAB"),
        ("TP1–E–AAA%E2%80%8BAAAB%0A", "TP1-E-AAAAAAB"),
        ("TP1-N-AAAAAAB", "TP1-E-AAAAAAB"),
        (" 17 ", "TP1-G-AAAAAAR"),
        ("2026-11-29", "daily-2026-11-29"),
        ("Daily-2026-11-29", "daily-2026-11-29"),
    ],
)
def test_C04_what_is_typed_opens_the_one_board(typed: str, board: str) -> None:
    page = get(f"/boards?code={typed}")
    assert (page.status, page.location) == (302, f"/boards/{board}")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("К7М2QР", "cannot stand in a game code"),  # Cyrillic
        ("TP1-E-12", "After TP1 and the ruleset a game code has 7 characters; here it has 2."),
        ("0", "Numbered games are 1 to 50000"),
        ("50001", "Numbered games are 1 to 50000"),
        ("2026-02-30", "There is no such date."),
        ("<script>alert(1)</script>", "A game code starts with TP1, TP2 or TPX"),
        ("x" * 400, "This is too long for a game code."),
    ],
)
def test_what_leads_nowhere_gets_a_reason_and_keeps_the_text(typed: str, words: str) -> None:
    page = get(f"/boards?code={typed}")
    assert page.status == 200
    assert words in page.words
    assert "<script>alert" not in page.text
    assert 'aria-invalid="true"' in page.text


def test_an_empty_form_is_just_the_form() -> None:
    assert 'aria-invalid="true"' not in get("/boards").text
    assert 'aria-invalid="true"' not in get("/boards?code=%20").text


@pytest.mark.django_db(transaction=True)
def test_the_latest_dailies_are_one_tap_away(set_clock: SetClock) -> None:
    dailies_prepare(now=NOON)
    set_clock(NOON + dt.timedelta(days=1))
    page = get("/boards")
    assert page.link("<strong>Today's daily") == "/boards/daily-2026-11-30"
    assert page.link("<strong>Daily 1</strong>") == "/boards/daily-2026-11-29"
    assert "2026-12-01" not in page.text
