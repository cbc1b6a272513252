"""What everybody may see of a player, and what stays sealed."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from pytest_django import DjangoAssertNumQueries

from games.errors import BadInput, NotFound
from games.models import Attempt
from leaderboards.models import Calendar, DailyChallenge
from leaderboards.selectors import player_profile
from leaderboards.services import account_delete, dailies_prepare
from tests.calls import call
from tests.factories import signed_in, signed_in_guest
from tests.leaderboards.cast import NOON, RUNS, TEN, bot, finish, guest, person

DAY = dt.timedelta(days=1)
pytestmark = pytest.mark.django_db


def daily(player: object, date: str, score: int, **options: object) -> Attempt:
    """A result of a daily, on cards of its own."""
    letters = "".join(chr(65 + int(digit)) for digit in date[-5:].replace("-", ""))
    return finish(player, score, code=f"TP1-E-AAA{letters}", competition=f"daily-{date}", **options)  # type: ignore[arg-type]


def test_dailies_and_streaks_are_counted_in_official_dates() -> None:
    dailies_prepare(now=NOON)
    alice = person("alice")
    daily(alice, "2026-11-28", 700)
    daily(alice, "2026-11-29", 500, outcome="stuck", peaks=1, cards_left=5)
    found = player_profile(public_id=alice.public_id, viewer_id=None, now=NOON)
    assert found["dailies"] == {"played": 2, "won": 1}
    assert found["streak"] == {"current": 2, "longest": 2}


def test_the_calendar_shows_a_month_of_days_that_have_had_their_daily() -> None:
    dailies_prepare(now=NOON - 40 * DAY)
    Calendar.objects.update(day_one=dt.date(2026, 10, 20))
    alice = person("alice")
    daily(alice, "2026-11-28", 700)

    def month(text: str | None) -> dict[str, object]:
        found: dict[str, object] = player_profile(public_id=alice.public_id, viewer_id=None, month=text, now=NOON)[
            "month"
        ]
        return found

    november = month(None)
    assert (november["month"], november["previous"], november["next"]) == ("2026-11", "2026-10", None)
    days = november["days"]
    assert isinstance(days, list)
    assert (days[0]["date"], days[-1]["date"]) == ("2026-11-01", "2026-11-29")
    assert days[27] == {
        "date": "2026-11-28",
        "board": "daily-2026-11-28",
        "result": {"outcome": "won", "score": 700, "cards_left": 0},
    }
    assert days[28]["result"] is None
    october = month("2026-10")
    assert isinstance(october["days"], list)
    assert (october["days"][0]["date"], october["previous"], october["next"]) == ("2026-10-20", None, "2026-11")
    assert month("1999-01") == october, "before day one there is nothing"
    assert month("2031-01") == november
    for wrong in ("2026-13", "2026-1", "0000-01", "now", "2026-11-01"):
        with pytest.raises(BadInput):
            month(wrong)


def test_scores_are_counted_by_scoring_rule_and_practice_is_not() -> None:
    alice = person("alice")
    finish(alice, 760, code="TP1-E-AAAAAAB")
    finish(alice, 760, code="TP1-C-AAAAAAC")
    finish(alice, 480, code="TP1-O-AAAAAAD", outcome="stuck", cards_left=4, peaks=1)
    finish(alice, 999, code="TP1-E-AAAAAAE", ranked=False)
    finish(alice, -20, code="TP1-R-AAAAAAF", outcome="stuck", cards_left=9, peaks=0)
    finish(alice, 0, code="TP1-G-AAAAAAR", outcome="stuck", cards_left=3, peaks=1)
    scores = player_profile(public_id=alice.public_id, viewer_id=None, now=NOON)["scores"]
    assert [each["scoring"] for each in scores] == ["points500", "runs", "cards_left"]
    assert scores[0]["counts"] == [{"score": 480, "won": 0, "stuck": 1}, {"score": 760, "won": 2, "stuck": 0}]
    assert (scores[0]["played"], scores[0]["won"]) == (3, 2)
    assert scores[1]["counts"] == [{"score": -20, "won": 0, "stuck": 1}]
    assert scores[2]["counts"] == [{"score": 3, "won": 0, "stuck": 1}]


def test_best_runs_are_the_three_best_of_each_ruleset_that_scores_runs() -> None:
    alice = person("alice")
    for score in (100, 300, 200, 400):
        finish(alice, score, code="TP1-R-AAAAAAB" if score != 400 else "TP1-T-AAAAAAB")
    finish(alice, 300, code="TP1-R-AAAAAAC", moves=20)
    best = player_profile(public_id=alice.public_id, viewer_id=None, now=NOON)["best_runs"]
    assert [(each["ruleset"], each["score"], each["moves"]) for each in best] == [
        ("R", 300, 20),
        ("R", 300, 30),
        ("R", 200, 30),
        ("T", 400, 30),
    ]


def test_records_are_those_of_numbered_games_and_pass_on() -> None:
    alice, bob = person("alice"), person("bob")
    finish(alice, 0, code="TP1-G-AAAAAAR", moves=40)
    finish(alice, 0, code="TP1-G-AAAAABA", moves=40)
    finish(alice, 0, code="TP1-G-AAADZZZ", moves=40)  # no number: 17,576 · 3 + … is beyond 50,000
    finish(bob, 0, code="TP1-G-AAAAABA", moves=35)

    def records(of: str) -> dict[str, object]:
        found: dict[str, object] = player_profile(public_id=of, viewer_id=None, now=NOON)["records"]
        return found

    assert records(alice.public_id) == {"count": 1, "numbers": [17]}
    assert records(bob.public_id) == {"count": 1, "numbers": [26]}
    account_delete(player_id=bob.pk, now=NOON)
    assert records(alice.public_id) == {"count": 2, "numbers": [17, 26]}


def test_results_come_newest_first_and_in_pages_without_gaps() -> None:
    alice = person("alice")
    made = [
        finish(alice, score, code=f"TP1-E-AAAAAA{letter}")
        for score, letter in zip((1, 2, 3, 4, 5), "BCDEF", strict=True)
    ]
    finish(alice, 9, code="TP1-E-AAAAAAG", ranked=False, outcome="stuck", cards_left=3)  # may still be undone
    seen, cursor = [], None
    while True:
        page = player_profile(public_id=alice.public_id, viewer_id=None, cursor=cursor, limit=2, now=NOON)
        seen += [row["id"] for row in page["results"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == [attempt.public_id for attempt in reversed(made)]
    for wrong in ("x", "0123456789abcdef", "\x00" * 16, finish(person("bob"), 5).public_id):
        with pytest.raises(BadInput):
            player_profile(public_id=alice.public_id, viewer_id=None, cursor=wrong, now=NOON)


def test_a_running_daily_shows_what_standings_show_and_no_more() -> None:
    dailies_prepare(now=NOON)
    today = DailyChallenge.objects.get(date=NOON.date())
    alice = person("alice")
    attempt = finish(alice, 700, code=today.code, competition=today.key)
    Attempt.objects.filter(pk=attempt.pk).update(sealed_until=today.final_at)
    found = player_profile(public_id=alice.public_id, viewer_id=alice.pk, now=NOON)
    [row] = found["results"]
    assert (row["board"], row["score"], row["public"], row["code"]) == (today.key, 700, False, None)
    assert today.code.split("-")[2] not in json.dumps(found)
    [later] = player_profile(public_id=alice.public_id, viewer_id=None, now=today.final_at)["results"]
    assert (later["public"], later["code"]) == (True, today.code)


def test_guests_are_seen_by_themselves_and_the_deleted_by_nobody() -> None:
    visitor, alice = guest(), person("alice")
    helper = bot("helper", alice)
    assert player_profile(public_id=visitor.public_id, viewer_id=visitor.pk, now=NOON)["player"]["name"] is None
    assert player_profile(public_id=helper.public_id, viewer_id=None, now=NOON)["player"]["kind"] == "bot"
    for viewer in (None, alice.pk):
        with pytest.raises(NotFound):
            player_profile(public_id=visitor.public_id, viewer_id=viewer, now=NOON)
    finish(alice, 300, code=RUNS, at=TEN)
    account_delete(player_id=alice.pk, now=NOON)
    for unknown in (alice.public_id, "0123456789abcdef", "\x00", "?"):
        with pytest.raises(NotFound):
            player_profile(public_id=unknown, viewer_id=alice.pk, now=NOON)


def test_it_takes_seven_queries_however_much_there_is(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    dailies_prepare(now=NOON)
    alice = person("alice")
    for score in range(60):
        finish(alice, score, code=f"TP1-R-AAAAA{chr(65 + score // 26)}{chr(65 + score % 26)}")
    with django_assert_num_queries(6):  # and the prepared one for records, past Django
        found = player_profile(public_id=alice.public_id, viewer_id=None, now=NOON)
    with django_assert_num_queries(7):
        player_profile(public_id=alice.public_id, viewer_id=None, cursor=found["next"], now=NOON)


def test_programs_read_the_same_facts() -> None:
    dailies_prepare(now=NOON)
    alice, visitor = signed_in("alice"), signed_in_guest()
    finish(alice.player, 466, code=RUNS, at=TEN)
    answer = call("GET", f"/players/{alice.player.public_id}?limit=1&month=2026-11")
    assert answer.status == 200
    assert answer.json["player"]["name"] == "alice"
    assert [row["score"] for row in answer.json["results"]] == [466]
    own = f"/players/{visitor.player.public_id}"
    assert call("GET", own).status == 404
    assert call("GET", own, token=alice.secret).json == call("GET", "/players/0123456789abcdef").json
    assert call("GET", own, token=visitor.secret).json["player"]["kind"] == "guest"
    for query, code in (("month=1", "bad_month"), ("cursor=x", "bad_cursor"), ("limit=0", "bad_limit")):
        assert call("GET", f"/players/{alice.player.public_id}?{query}").json["error"]["code"] == code
