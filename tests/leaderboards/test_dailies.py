"""Dailies: official dates, sealed and committed, one attempt, grace time, publication (R9; C10, C11, C24)."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import time
import zoneinfo
from collections.abc import Iterator

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.rulesets import find_ruleset
from games.errors import BadInput, Conflict, NotFound
from games.models import Attempt, Deal, Player
from games.selectors import attempt_state
from games.services import attempt_start, attempts_expire
from games.solver.exact import winnable
from leaderboards import dates
from leaderboards.models import Board, Calendar, DailyChallenge
from leaderboards.selectors import daily_find, daily_json, daily_streaks, standings_snapshot
from leaderboards.selectors.dailies import daily_current
from leaderboards.services import dailies_prepare, daily_ensure, daily_start
from tests.attempts.hand import Hand
from tests.leaderboards.cast import bot, finish, guest, person

DAY = dt.timedelta(days=1)
NOON = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
TODAY = dt.date(2026, 11, 29)
SERVER_ZONES = ["UTC", "Europe/Rome", "America/Los_Angeles", "Pacific/Auckland", "Australia/Lord_Howe"]


@pytest.fixture
def server_zone() -> Iterator[None]:
    before = os.environ.get("TZ")
    yield
    if before is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = before
    time.tzset()


def instants(date: dt.date, zone: str) -> list[dt.datetime]:
    """00:00:00, 00:30, 12:00 and 23:59:59 of a date in a zone."""
    info = zoneinfo.ZoneInfo(zone)
    times = [dt.time(0), dt.time(0, 30), dt.time(12), dt.time(23, 59, 59)]
    return [dt.datetime.combine(date, each, info).astimezone(dt.UTC) for each in times]


@pytest.mark.parametrize("official", SERVER_ZONES)
def test_C10_one_number_for_each_date_whatever_the_servers_zone(official: str, server_zone: None) -> None:
    day_one = dt.date(2026, 11, 29)
    numbers: dict[str, list[int]] = {}
    for server in SERVER_ZONES:
        os.environ["TZ"] = server
        time.tzset()
        found = numbers[server] = []
        for ordinal in range(dt.date(2027, 1, 1).toordinal(), dt.date(2028, 1, 1).toordinal()):
            date = dt.date.fromordinal(ordinal)
            asked = {
                dates.daily_number(dates.official_date(now, official), day_one) for now in instants(date, official)
            }
            assert len(asked) == 1, date
            found += asked
            times = dates.daily_times(date, official, 1800)
            assert dates.official_date(times.opens_at, official) == date
            assert dates.official_date(times.opens_at - dt.timedelta(milliseconds=1), official) == date - DAY
            assert times.closes_at == dates.daily_times(date + DAY, official, 1800).opens_at, "the countdown's end"
    assert all(found == numbers["UTC"] for found in numbers.values())
    assert [after - before for before, after in zip(numbers["UTC"], numbers["UTC"][1:], strict=False)] == [1] * 364


def test_C10_days_of_23_and_25_hours_are_one_day_each_and_a_block_count_would_slip() -> None:
    zone, day_one = "Europe/Rome", dt.date(2027, 1, 1)
    lengths = {}
    for date in (dt.date(2027, 3, 28), dt.date(2027, 10, 31)):
        times = dates.daily_times(date, zone, 0)
        lengths[date.month] = (times.closes_at - times.opens_at) / dt.timedelta(hours=1)
        assert dates.daily_number(date + DAY, day_one) - dates.daily_number(date, day_one) == 1

    def blocks(date: dt.date) -> int:
        """The faulty way: whole 24-hour blocks between two local midnights."""
        return (dates.midnight(date, zone) - dates.midnight(day_one, zone)) // DAY

    assert lengths == {3: 23, 10: 25}
    assert blocks(dt.date(2027, 3, 29)) == blocks(dt.date(2027, 3, 28)), "control: the block method repeats a day"


def test_midnights_that_clock_changes_skip_or_repeat_have_one_first_instant() -> None:
    for zone, date in [("Africa/Cairo", dt.date(2026, 4, 24)), ("America/Havana", dt.date(2026, 11, 1))]:
        first = dates.midnight(date, zone)
        assert dates.official_date(first, zone) == date
        assert dates.official_date(first - dt.timedelta(milliseconds=1), zone) == date - DAY


# --- preparing -----------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_today_and_a_week_ahead_are_dealt_committed_and_winnable() -> None:
    made = dailies_prepare(now=NOON)
    assert [daily.date for daily in made] == [TODAY + ahead * DAY for ahead in range(8)]
    assert [daily.number for daily in made] == list(range(1, 9))
    assert [daily.late for daily in made] == [True] + [False] * 7
    assert len({daily.code for daily in made}) == 8
    for daily in made:
        code = parse_code(daily.code)
        assert code.kind == "TP2"
        assert daily.commitment == hashlib.sha256(daily.code.encode("ascii")).hexdigest()
        assert bytes(daily.deal.cards) == bytes(deal_cards(code))
        assert daily.deal.sealed_until == daily.final_at
        assert winnable(find_ruleset(daily.ruleset), deal_cards(code))[0]
        assert daily.code not in str(daily)


@pytest.mark.django_db
def test_preparing_again_adds_what_is_new_and_touches_nothing() -> None:
    dailies_prepare(now=NOON)
    before = list(DailyChallenge.objects.values())
    assert dailies_prepare(now=NOON + dt.timedelta(hours=3)) == []
    [new] = dailies_prepare(now=NOON + DAY)
    assert (new.date, new.number, new.late) == (TODAY + 8 * DAY, 9, False)
    assert list(DailyChallenge.objects.order_by("date").values())[:8] == before


@pytest.mark.django_db
def test_the_calendar_is_stored_once_and_missed_dates_keep_their_numbers(settings: Settings) -> None:
    settings.DAILY_DAY_ONE = "2026-11-01"
    settings.OFFICIAL_ZONE = "Europe/Helsinki"
    settings.DAILY_DAYS_AHEAD = 1
    assert [daily.number for daily in dailies_prepare(now=NOON)] == [29, 30]
    settings.DAILY_DAY_ONE, settings.OFFICIAL_ZONE = "2020-01-01", "UTC"
    later = dailies_prepare(now=NOON + 10 * DAY)
    assert [daily.number for daily in later] == [39, 40]
    assert Calendar.objects.get().zone == "Europe/Helsinki"
    assert later[0].opens_at == dt.datetime(2026, 12, 8, 22, tzinfo=dt.UTC)


@pytest.mark.django_db
def test_an_ordinary_request_prepares_and_then_costs_one_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    daily_ensure(now=NOON)
    assert DailyChallenge.objects.count() == 8
    with django_assert_num_queries(1):
        daily_ensure(now=NOON + dt.timedelta(hours=1))
    daily_ensure(now=NOON + DAY)
    assert DailyChallenge.objects.count() == 9


# --- playing -------------------------------------------------------------------------------------------------------


def at(date: dt.date, hour: int, minute: int = 0, second: int = 0) -> dt.datetime:
    return dt.datetime.combine(date, dt.time(hour, minute, second), dt.UTC)


def start(player: Player, now: dt.datetime, which: str = "today", key: str = "k") -> tuple[Attempt, bool]:
    return daily_start(player_id=player.pk, kind=player.kind, which=which, start_key=key, now=now)


def play_out(hand: Hand, attempt: Attempt, now: dt.datetime) -> None:
    """Play to the end: fitting cards first, else draw."""
    hand.at = now
    attempt = Attempt.objects.select_related("deal").get(pk=attempt.pk)
    while True:
        legal = attempt_state(attempt, now)["legal"]
        if not legal:
            return
        hand.play(attempt, legal[0])
        attempt.refresh_from_db()


@pytest.mark.django_db
def test_C11_a_game_across_midnight_counts_for_the_date_it_started_on_and_blocks_nothing() -> None:
    dailies_prepare(now=at(TODAY, 12))
    alice, bob = person("alice"), person("bob")
    for player in (alice, bob):
        started, created = start(player, at(TODAY, 23, 59, 30))
        assert created
        assert started.competition_key == "daily-2026-11-29"
        finish_daily(started, at(TODAY + DAY, 0, 0, 45))
    rows = standings_snapshot("daily-2026-11-29", "people", "best")["rows"]
    assert [row["player"]["name"] for row in rows] == ["alice", "bob"]
    assert [row["elapsed_ms"] for row in rows] == [75_000, 75_000]
    assert standings_snapshot("daily-2026-11-30", "people", "best")["rows"] == []
    following, created = start(alice, at(TODAY + DAY, 0, 1), key="next-day")
    assert created
    assert following.competition_key == "daily-2026-11-30"
    assert following.ply == 0


def finish_daily(attempt: Attempt, now: dt.datetime) -> None:
    finish(
        attempt.player,
        740,
        at=now,
        competition=attempt.competition_key,
        attempt=attempt,
        elapsed_ms=int((now - attempt.started_at).total_seconds() * 1000),
    )


@pytest.mark.django_db
def test_C11_after_the_grace_time_the_attempt_is_expired_and_the_standings_final() -> None:
    dailies_prepare(now=at(TODAY, 12))
    hand = Hand.of(person("alice"))
    attempt, _ = start(hand.player, at(TODAY, 23, 59))
    over = at(TODAY + DAY, 0, 30)
    hand.at = over
    state = attempt_state(Attempt.objects.select_related("deal").get(pk=attempt.pk), over)
    assert (state["outcome"], state["closed"], state["legal"]) == ("expired", True, [])
    assert attempts_expire(now=over) == 1
    board = Board.objects.get(scope="daily-2026-11-29", kind="people")
    assert (board.started, board.finished, board.entries) == (1, 1, 0)


@pytest.mark.django_db
def test_C24_tomorrow_is_not_open_by_date_by_number_or_by_guessing() -> None:
    dailies_prepare(now=NOON)
    alice = person("alice")
    tomorrow = daily_find("2026-11-30", NOON)
    for which in ("2026-11-30", "2"):
        assert daily_find(which, NOON) == tomorrow
        with pytest.raises(Conflict) as refused:
            start(alice, NOON, which)
        assert refused.value.code == "daily_not_open"
    shown = json.dumps(daily_json(tomorrow, NOON))
    assert tomorrow.code not in shown
    assert '"deal": null' in shown
    with pytest.raises(Conflict) as refused:  # somebody has got hold of the code
        attempt_start(player_id=alice.pk, code=parse_code(tomorrow.code), start_key="g", practice=True, now=NOON)
    assert refused.value.code == "sealed_deal"
    assert Attempt.objects.count() == 0
    assert standings_snapshot("daily-2026-11-30", "people", "best")["entries"] == 0
    opening = at(TODAY + DAY, 0)
    with pytest.raises(Conflict):
        start(alice, opening - dt.timedelta(milliseconds=1), "2")
    assert all(start(player, opening, "2")[1] for player in (alice, person("bob")))


@pytest.mark.django_db
def test_C24_the_time_is_the_servers() -> None:
    dailies_prepare(now=NOON)
    hand = Hand.of(person("alice"))
    attempt, _ = start(hand.player, NOON)
    play_out(hand, attempt, NOON + dt.timedelta(seconds=90))
    attempt.refresh_from_db()
    assert attempt.result_elapsed_ms == 90_000
    [row] = standings_snapshot("daily-2026-11-29", "people", "best")["rows"]
    assert row["elapsed_ms"] == 90_000
    assert row["finished_at"] == "2026-11-29T12:01:30.000Z"


@pytest.mark.django_db
def test_dates_and_numbers_that_are_none_are_refused_with_a_code() -> None:
    dailies_prepare(now=NOON)
    for which in ("2026-02-30", "0000-01-01", "2026-13-01", "9999-99-99"):
        with pytest.raises(BadInput) as refused:
            daily_find(which, NOON)
        assert refused.value.code == "bad_date"
    for which in ("0", "007", "-1", "1e3", "", "tomorrow", "٣", "2026-1-1", "99999999999999999999"):
        with pytest.raises(BadInput) as refused:
            daily_find(which, NOON)
        assert refused.value.code == "bad_daily"
    for which in ("2026-11-28", "9999-12-31", "9", "9999999"):
        with pytest.raises(NotFound):
            daily_find(which, NOON)


@pytest.mark.django_db
def test_one_attempt_a_player_until_it_is_final_then_practice() -> None:
    dailies_prepare(now=NOON)
    alice = person("alice")
    first, created = start(alice, NOON, key="one")
    again, created_again = start(alice, NOON + dt.timedelta(hours=1), key="two")
    assert (created, created_again, again.pk) == (True, False, first.pk)
    assert (first.ranked, first.undo_allowed) == (True, False)
    daily = daily_current(NOON)
    assert (first.deadline, first.sealed_until) == (daily.grace_ends_at, daily.final_at)
    in_grace = daily.closes_at + dt.timedelta(minutes=1)
    assert start(alice, in_grace, "1", key="three")[0].pk == first.pk
    with pytest.raises(Conflict) as refused:
        start(person("late"), in_grace, "1")
    assert refused.value.code == "daily_closed"
    afterwards, created = start(alice, daily.final_at, "1", key="four")
    assert created
    assert (afterwards.ranked, afterwards.undo_allowed, afterwards.competition_key) == (False, True, None)
    assert afterwards.number == 2


@pytest.mark.django_db
def test_guests_play_the_daily_unranked_and_bots_on_their_own_board() -> None:
    dailies_prepare(now=NOON)
    alice, visitor = person("alice"), guest()
    machine = bot("machine", alice)
    for player in (alice, visitor, machine):
        attempt, _ = start(player, NOON)
        assert attempt.ranked == (player != visitor)
        finish_daily(attempt, NOON + dt.timedelta(seconds=60))
    people = standings_snapshot("daily-2026-11-29", "people", "best", now=NOON)
    bots = standings_snapshot("daily-2026-11-29", "bots", "first", now=NOON)
    assert [row["player"]["name"] for row in people["rows"]] == ["alice"]
    assert [row["player"]["name"] for row in bots["rows"]] == ["machine"]
    assert people["counts"] == {"players": 2, "playing": 0, "finished": 2}
    assert bots["counts"] == {"players": 1, "playing": 0, "finished": 1}
    assert (people["version"], people["entries"]) == (4, 1)


@pytest.mark.django_db
def test_a_guest_who_took_a_name_while_the_start_was_on_its_way_plays_ranked() -> None:
    dailies_prepare(now=NOON)
    claimed = person("alice")  # the request was let in as a guest's
    attempt, _ = daily_start(player_id=claimed.pk, kind="guest", which="today", start_key="k", now=NOON)
    assert attempt.ranked


@pytest.mark.django_db
def test_counts_follow_starts_finishes_and_resignations() -> None:
    dailies_prepare(now=NOON)
    hands = [Hand.of(person(f"player {number}")) for number in range(3)]
    attempts = [start(hand.player, NOON)[0] for hand in hands]

    def counts(now: dt.datetime) -> dict[str, int]:
        found: dict[str, int] = standings_snapshot("daily-2026-11-29", "people", "best", now=now)["counts"]
        return found

    assert counts(NOON) == {"players": 3, "playing": 3, "finished": 0}
    hands[0].at = NOON
    hands[0].resign(attempts[0])
    assert counts(NOON) == {"players": 3, "playing": 2, "finished": 1}
    play_out(hands[1], attempts[1], NOON)
    assert counts(NOON) == {"players": 3, "playing": 1, "finished": 2}
    assert counts(daily_current(NOON).final_at)["playing"] == 0


@pytest.mark.django_db
def test_once_final_the_code_answers_for_the_commitment_and_the_deal() -> None:
    [daily, *_] = dailies_prepare(now=NOON)
    for now in (NOON, daily.closes_at, daily.grace_ends_at, daily.final_at - dt.timedelta(milliseconds=1)):
        shown = daily_json(daily, now)
        assert (shown["code"], shown["deal"]) == (None, None)
        assert daily.code not in json.dumps(shown)
    shown = daily_json(daily, daily.final_at)
    assert shown["status"] == "final"
    assert hashlib.sha256(shown["code"].encode("ascii")).hexdigest() == shown["commitment"]
    from games.engine.cards import cards_text

    assert shown["deal"] == cards_text(deal_cards(parse_code(shown["code"])))
    assert (daily.final_at - daily.grace_ends_at) == dt.timedelta(seconds=60)


@pytest.mark.django_db
def test_a_streak_is_of_consecutive_official_dates_won_or_stuck() -> None:
    dailies_prepare(now=NOON)
    alice = person("alice")

    def played(day: int) -> None:
        finish(alice, 700, code=f"TP1-E-{'A' * 6}{chr(45 + day)}", competition=f"daily-2026-11-{day:02}")

    for day in (20, 21, 22, 25, 27, 28):
        played(day)
    assert daily_streaks(player_id=alice.pk, now=NOON) == {"current": 2, "longest": 3}
    played(29 - 3)
    assert daily_streaks(player_id=alice.pk, now=NOON) == {"current": 4, "longest": 4}
    assert daily_streaks(player_id=alice.pk, now=NOON + DAY) == {"current": 0, "longest": 4}
    assert dates.streaks([], TODAY) == (0, 0)


@pytest.mark.django_db
def test_neither_code_nor_cards_are_in_the_text_of_rows() -> None:
    [daily, *_] = dailies_prepare(now=NOON)
    attempt, _ = start(person("alice"), NOON)
    texts = [str(daily), repr(daily), str(daily.deal), repr(daily.deal), str(attempt), repr(attempt)]
    assert not any(daily.code in text or daily.code[6:] in text for text in texts)
    assert Deal.objects.filter(sealed_until__isnull=False).count() == 8
