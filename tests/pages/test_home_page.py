"""The home page: today's daily in a few queries, and yesterday's winners once they are final."""

from __future__ import annotations

import datetime as dt
import hashlib

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboards.models import DailyChallenge
from leaderboards.services import dailies_prepare
from tests.leaderboards.cast import NOON, bot, finish, person

from .conftest import SetClock
from .reading import get

pytestmark = pytest.mark.django_db(transaction=True)
DAY = dt.timedelta(days=1)


def played(daily: DailyChallenge, at: dt.datetime) -> None:
    """A win of alice, a loss of bob, a win of a bot."""
    alice, bob = person(f"alice {daily.number}"), person(f"bob {daily.number}")
    robot = bot(f"robot {daily.number}", bob)
    finish(alice, 771, at=at, code=daily.code, competition=daily.key, moves=29)
    finish(bob, 654, at=at, code=daily.code, competition=daily.key, outcome="stuck", peaks=2, cards_left=5)
    finish(robot, 750, at=at, code=daily.code, competition=daily.key, moves=50)


def test_the_first_day_is_told_whole(set_clock: SetClock) -> None:
    set_clock(NOON)
    page = get("/")
    daily = DailyChallenge.objects.get(date=NOON.date())
    assert page.status == 200
    for words in ("Daily 1", "Sunday 29 November 2026", "Easy. King and ace are neighbours", daily.commitment):
        assert words in page.words
    assert "Yesterday" not in page.words
    assert "This seal was made late" in page.words
    assert page.lists == {"people": [], "bots": []}
    assert daily.code not in page.text


def test_C14_people_and_bots_have_lists_of_their_own(set_clock: SetClock) -> None:
    set_clock(NOON)
    dailies_prepare(now=NOON)
    played(DailyChallenge.objects.get(date=NOON.date()), NOON)
    page = get("/")
    assert page.lists == {"people": [(1, "alice 1"), (2, "bob 1")], "bots": [(1, "robot 1")]}
    assert "5 left" in page.words


def test_yesterday_is_announced_once_it_is_final(set_clock: SetClock) -> None:
    dailies_prepare(now=NOON)
    daily = DailyChallenge.objects.get(date=NOON.date())
    played(daily, NOON)
    set_clock(daily.final_at - dt.timedelta(seconds=30))
    before = get("/")
    assert "Yesterday: daily 1 It has closed." in before.words
    assert daily.code not in before.text
    set_clock(daily.final_at + dt.timedelta(seconds=1))
    after = get("/")
    assert "Yesterday: daily 1 1 alice 1 People Won · 771 1 robot 1 Bots Won · 750" in after.words
    assert f"Its game code was {daily.code}" in after.words
    assert hashlib.sha256(daily.code.encode()).hexdigest() == daily.commitment
    assert daily.commitment in get(f"/boards/{daily.key}").text


def test_the_page_is_in_one_language_whatever_the_browser_asks_for(set_clock: SetClock) -> None:
    set_clock(NOON)
    answer = Client().get("/", headers={"accept-language": "de, pl;q=0.9"})
    assert "Sunday 29 November 2026" in answer.content.decode()
    assert answer.headers["Content-Language"] == "en"


def test_the_week_ahead_is_prepared_when_the_official_date_changes(set_clock: SetClock, settings: Settings) -> None:
    settings.OFFICIAL_ZONE = "America/New_York"
    set_clock(NOON)
    get("/")
    assert DailyChallenge.objects.count() == 8
    set_clock(dt.datetime(2026, 11, 30, 4, 59, tzinfo=dt.UTC))  # in New York still the 29th
    get("/")
    assert DailyChallenge.objects.count() == 8
    set_clock(dt.datetime(2026, 11, 30, 5, 1, tzinfo=dt.UTC))
    assert "Daily 2" in get("/").words
    assert DailyChallenge.objects.count() == 9


def test_before_day_one_there_are_only_boards(set_clock: SetClock, settings: Settings) -> None:
    settings.DAILY_DAY_ONE = "2026-12-01"
    set_clock(NOON)
    page = get("/")
    assert (page.status, page.location) == (302, "/boards")
    set_clock(NOON + 2 * DAY)
    assert "Daily 1" in get("/").words


def test_the_page_takes_six_queries(set_clock: SetClock, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    tomorrow = NOON + DAY
    dailies_prepare(now=NOON)
    for daily in DailyChallenge.objects.filter(date__lte=tomorrow.date()):
        played(daily, daily.opens_at + dt.timedelta(hours=1))
    set_clock(tomorrow)
    client = Client()
    client.get("/")  # the first of a process also looks at the week ahead
    with django_assert_max_num_queries(6):
        answer = client.get("/")
    assert b"alice 1" in answer.content
    assert b"alice 2" in answer.content
