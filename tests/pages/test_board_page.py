"""The page of a board shows exactly what the board says, in its order."""

from __future__ import annotations

import datetime as dt

import pytest

from games.models import Player
from leaderboards.models import DailyChallenge
from leaderboards.services import dailies_prepare
from tests.leaderboards.cast import EASY, NOON, RUNS, TEN, bot, finish, person, places

from .conftest import SetClock
from .reading import get

pytestmark = pytest.mark.django_db


def test_C12_the_page_lists_equal_scores_in_the_order_of_the_board() -> None:
    one, two, three, four = [person(f"player {number}") for number in (1, 2, 3, 4)]
    five = TEN + dt.timedelta(seconds=5)
    finish(one, 300, at=TEN)
    finish(two, 300, at=five)
    finish(three, 280, at=TEN)
    finish(four, 300, at=five)
    expected = [(1, "player 1"), (1, "player 2"), (1, "player 4"), (4, "player 3")]
    assert get(f"/boards/{RUNS}").lists["people"] == expected
    finish(one, 300, at=TEN + dt.timedelta(hours=1))
    assert get(f"/boards/{RUNS}").lists["people"] == expected
    finish(two, 301, at=TEN + dt.timedelta(hours=2))
    expected = [(1, "player 2"), (2, "player 1"), (2, "player 4"), (4, "player 3")]
    assert all(get(f"/boards/{RUNS}").lists["people"] == expected == places() for _ in range(10))


def test_C14_bots_have_the_other_list() -> None:
    owner = person("robot maker")
    finish(bot("B bot", owner), 450)
    finish(person("P person"), 430)
    finish(person("robotnik"), 420)
    assert get(f"/boards/{RUNS}").lists == {"people": [(1, "P person"), (2, "robotnik")]}
    assert get(f"/boards/{RUNS}?kind=bots").lists == {"bots": [(1, "B bot")]}


def test_first_attempts_are_the_other_view() -> None:
    player = person("alice")
    finish(player, 100)
    finish(player, 200, at=TEN + dt.timedelta(minutes=1))
    best, first = get(f"/boards/{RUNS}"), get(f"/boards/{RUNS}?view=first")
    assert '<td class="score">200</td>' in best.text
    assert '<td class="score">100</td>' in first.text
    assert best.link("First attempts").endswith("kind=people&view=first")


def test_pages_of_a_board_hold_every_row_once() -> None:
    for number in range(120):
        finish(person(f"player {number}"), 300 + number % 7, at=TEN + dt.timedelta(seconds=number))
    seen: list[tuple[int, str]] = []
    address = f"/boards/{RUNS}"
    for expected in (50, 50, 20):
        page = get(address)
        assert len(page.lists["people"]) == expected
        seen += page.lists["people"]
        address = page.link("Next 50") if expected == 50 else ""
    assert seen == places()
    assert page.link("Back to the top") == f"/boards/{RUNS}?kind=people&view=best"


def test_a_name_that_is_markup_is_shown_as_text() -> None:
    player = person("alice")
    Player.objects.filter(pk=player.pk).update(name="<b>&amp;</b>'\"")  # no service lets it in; escape it all the same
    finish(player, 300)
    page = get(f"/boards/{RUNS}")
    assert page.lists["people"] == [(1, "<b>&amp;</b>'\"")]
    assert "<b>" not in page.text


@pytest.mark.parametrize("typed", ["tp1-e-aaaaaab", "TP1-N-AAAAAAB", "TP1EAAAAAAB", "TP1\u2013E\u2013AAAAAAB"])
def test_every_spelling_leads_to_the_one_address(typed: str) -> None:
    page = get(f"/boards/{typed}?kind=bots")
    assert (page.status, page.location) == (302, f"/boards/{EASY}?kind=bots")


@pytest.mark.parametrize(
    "address",
    [
        "/boards/TP1-Q-AAAAAAB",
        "/boards/daily-2026-02-30",
        "/boards/daily-1999-01-01",
        f"/boards/{EASY}?kind=robots",
        f"/boards/{EASY}?view=worst",
        f"/boards/{EASY}?cursor=nonsense",
        "/boards/%00",
    ],
)
def test_what_is_no_board_is_the_page_that_says_so(address: str) -> None:
    page = get(address)
    assert page.status == 404
    assert "There is nothing here" in page.words


def test_an_untouched_board_has_words_for_it() -> None:
    assert "Nobody has finished it yet. The first person to finish leads." in get(f"/boards/{EASY}").words
    assert "No bot has finished it yet." in get(f"/boards/{EASY}?kind=bots").words


def test_the_page_says_that_open_codes_are_an_open_book() -> None:
    assert "An open book" in get(f"/boards/{EASY}").words  # R8.1


def test_a_board_leads_to_its_table() -> None:
    assert get(f"/boards/{EASY}").link("Play this deal") == f"/play/{EASY}"


@pytest.mark.django_db(transaction=True)
def test_a_daily_that_is_over_promises_nothing(set_clock: SetClock) -> None:
    """An upcoming one has no table yet, a running one leads to it, and nobody can lead one that is final."""
    dailies_prepare(now=NOON)
    today, tomorrow = DailyChallenge.objects.order_by("date")[:2]
    set_clock(NOON)
    page = get(f"/boards/{today.key}")
    assert page.link("Play today's deal") == f"/play/{today.key}"
    assert "The first person to finish leads." in page.words
    assert today.code not in page.text
    assert "/play/" not in get(f"/boards/{tomorrow.key}").text
    set_clock(today.closes_at)
    assert "/play/" not in get(f"/boards/{today.key}").text, "practice opens once it is final"
    set_clock(today.final_at)
    page = get(f"/boards/{today.key}")
    assert page.link("Play it for practice") == f"/play/{today.key}"
    assert "Nobody finished it. The day is over, and its deal stays open for practice." in page.words
    assert "leads" not in page.words
    assert page.link("Check it here, in your browser") == f"/fairness?daily={today.date}#check"
