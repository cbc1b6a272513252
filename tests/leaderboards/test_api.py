"""Dailies and boards over REST: shapes, refusals with codes, nothing leaked (C12, C15, C24)."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any
from urllib.parse import quote

import pytest

from games import clock
from leaderboards import standings
from leaderboards.models import Board, DailyChallenge
from leaderboards.selectors import standings_snapshot
from tests.calls import Answer, call
from tests.factories import bot as bot_player
from tests.factories import credential, signed_in, signed_in_guest, token
from tests.leaderboards.cast import EASY, RUNS, TEN, finish, person, raw, reading_from

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("begun_at_noon")]


def get(path: str, **options: Any) -> Answer:
    return call("GET", path, **options)


def test_todays_daily_is_prepared_by_asking_for_it_and_shows_no_card() -> None:
    answer = get("/daily")
    assert answer.status == 200
    daily = answer.json["daily"]
    assert daily["status"] == "open"
    assert (daily["code"], daily["deal"], daily["number"]) == (None, None, 1)
    assert daily["opens_at"] <= daily["now"] < daily["closes_at"] < daily["grace_ends_at"] < daily["final_at"]
    assert get(f"/daily/{daily['date']}").json["daily"]["commitment"] == daily["commitment"]
    assert get("/daily/today").json["daily"]["number"] == get("/daily/1").json["daily"]["number"] == 1
    for secret in DailyChallenge.objects.values_list("code", flat=True):
        assert secret not in json.dumps(answer.json)


@pytest.mark.parametrize(
    ("which", "status", "code"),
    [
        ("2027-02-30", 400, "bad_date"),
        ("0000-01-01", 400, "bad_date"),
        ("0", 400, "bad_daily"),
        ("-1", 400, "bad_daily"),
        ("007", 400, "bad_daily"),
        ("yesterday", 400, "bad_daily"),
        ("٣", 400, "bad_daily"),
        ("9" * 30, 400, "bad_daily"),
        ("9999-12-31", 404, "not_found"),
        ("5000000", 404, "not_found"),
        ("1%00", 404, "not_found"),
    ],
)
def test_dailies_that_are_none_are_refused_with_a_code(which: str, status: int, code: str) -> None:
    alice = signed_in("alice")
    for answer in (
        get(f"/daily/{quote(which, safe='%')}"),
        call("POST", f"/daily/{quote(which, safe='%')}/attempts", {"key": "k"}, who=alice),
    ):
        assert (answer.status, answer.code) == (status, code)


def test_C24_tomorrows_daily_is_refused_over_rest_by_date_number_and_code() -> None:
    alice = signed_in("alice")
    get("/daily")
    tomorrow = DailyChallenge.objects.get(number=2)
    for which in (tomorrow.date.isoformat(), "2"):
        answer = call("POST", f"/daily/{which}/attempts", {"key": "k", "now": "2030-01-01T00:00:00Z"}, who=alice)
        assert (answer.status, answer.code) == (409, "daily_not_open")
        shown = get(f"/daily/{which}").json["daily"]
        assert (shown["status"], shown["code"], shown["deal"]) == ("upcoming", None, None)
    answer = call("POST", "/attempts", {"key": "g", "code": tomorrow.code}, who=alice)
    assert (answer.status, answer.code) == (409, "sealed_deal")
    assert "??" not in json.dumps(answer.json)
    assert get(f"/boards/{tomorrow.key}").json["board"]["entries"] == 0


def test_the_daily_is_played_once_ranked_by_accounts_and_unranked_by_guests() -> None:
    alice, visitor = signed_in("alice"), signed_in_guest()
    started = call("POST", "/daily/today/attempts", {"key": "a"}, who=alice)
    again = call("POST", "/daily/today/attempts", {"key": "b"}, who=alice)
    assert (started.status, again.status) == (201, 200)
    assert started.json["attempt"]["id"] == again.json["attempt"]["id"]
    attempt = started.json["attempt"]
    assert (attempt["ranked"], attempt["undo_allowed"], attempt["code"]) == (True, False, None)
    assert attempt["competition"] == get("/daily").json["daily"]["board"]
    other = call("POST", "/daily/today/attempts", {"key": "a"}, who=visitor)
    assert (other.status, other.json["attempt"]["ranked"]) == (201, False)
    assert get("/daily").json["daily"]["players"] == 2
    assert call("POST", "/daily/today/attempts", {"key": "a"}).status == 401
    reader = token(alice.player, "read")
    refused = call("POST", "/daily/today/attempts", {"key": "a"}, who=reader)
    assert (refused.status, refused.code) == (403, "scope_missing")
    assert call("POST", "/daily/today/attempts", {"key": "ü"}, who=alice).code == "bad_field"
    assert call("POST", "/daily/today/attempts", {}, who=alice).code == "bad_field"


def test_boards_are_paged_and_name_themselves_canonically() -> None:
    for number in range(7):
        finish(person(f"player {number}"), 300 - number // 2, at=TEN + dt.timedelta(seconds=number))
    first = get(f"/boards/{RUNS.lower()}?limit=3").json
    assert {key: first["board"][key] for key in ("name", "kind", "view", "version", "entries")} == {
        "name": RUNS,
        "kind": "people",
        "view": "best",
        "version": 7,
        "entries": 7,
    }
    assert first["delayed"] is False
    assert [row["rank"] for row in first["rows"]] == [1, 1, 3]
    second = get(f"/boards/{RUNS}?limit=3&cursor={first['next']}").json
    assert [row["rank"] for row in second["rows"]] == [3, 5, 5]
    third = get(f"/boards/{RUNS}?limit=3&cursor={second['next']}").json
    assert ([row["rank"] for row in third["rows"]], third["next"]) == ([7], None)
    assert set(first["rows"][0]) == {
        "rank",
        "id",
        "player",
        "outcome",
        "score",
        "moves",
        "peaks",
        "cards_left",
        "elapsed_ms",
        "finished_at",
        "number",
    }


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("kind=robots", "bad_kind"),
        ("view=worst", "bad_view"),
        ("limit=0", "bad_limit"),
        ("limit=101", "bad_limit"),
        ("limit=ten", "bad_limit"),
        ("limit=%D9%A3", "bad_limit"),
        ("limit=-5", "bad_limit"),
        ("cursor=", "bad_cursor"),
        ("cursor=zzz", "bad_cursor"),
        ("cursor=%F0%9F%82%A1", "bad_cursor"),
        ("cursor=" + "A" * 3000, "bad_cursor"),
        ("kind=people%00", "bad_field"),
    ],
)
def test_odd_questions_to_a_board_are_refused_with_a_code(query: str, code: str) -> None:
    answer = get(f"/boards/{EASY}?{query}")
    assert (answer.status, answer.code) == (400, code)


@pytest.mark.parametrize(
    ("board", "status", "code"),
    [
        ("daily-2026-02-30", 400, "bad_date"),
        ("daily-9999-01-01", 404, "not_found"),
        ("TP1-E-AAAAAAА", 400, "code_character"),  # the last letter is Cyrillic
        ("TP1-E-AAAAAA1", 400, "code_letters"),
        ("TP1-Q-AAAAAAB", 400, "unknown_ruleset"),
        ("hello", 400, None),
        ("x" * 2000, 400, "code_too_long"),
    ],
)
def test_boards_that_are_none_are_refused_with_a_code(board: str, status: int, code: str | None) -> None:
    alice = signed_in("alice")
    for path in (f"/boards/{quote(board)}", f"/boards/{quote(board)}/me"):
        answer = get(path, who=alice)
        assert answer.status == status
        assert code is None or answer.code == code


def test_a_board_nobody_is_on_is_empty() -> None:
    answer = get(f"/boards/{EASY}")
    assert (answer.status, answer.json["rows"], answer.json["next"]) == (200, [], None)
    assert answer.json["board"]["version"] == 0


def test_me_is_asked_with_a_credential_and_defaults_to_ones_own_kind() -> None:
    assert get(f"/boards/{RUNS}/me").status == 401
    alice = signed_in("alice")
    machine = credential(bot_player("machine", owner=alice.player))
    finish(alice.player, 300)
    finish(machine.player, 310)
    assert get(f"/boards/{RUNS}/me", who=alice).json["rank"] == 1
    mine = get(f"/boards/{RUNS}/me", who=machine).json
    assert (mine["rank"], mine["row"]["player"]["name"]) == (1, "machine")
    assert get(f"/boards/{RUNS}/me?kind=people", who=machine).json["rank"] is None
    visitor = signed_in_guest()
    finish(visitor.player, 290)
    mine = get(f"/boards/{RUNS}/me", who=visitor).json
    assert (mine["rank"], mine["provisional"], mine["row"]["player"]["name"]) == (2, True, None)


def test_C12_rest_gives_the_same_board_fifty_times_by_copy_and_by_database() -> None:
    for number, score in enumerate((300, 300, 280, 300)):
        finish(person(f"player {number}"), score, at=TEN + dt.timedelta(seconds=min(number, 1)))
    seen = set()
    for asked in range(50):
        if asked == 20:
            raw().flushall()
        if asked == 40:
            standings.rebuild(Board.objects.get(scope=RUNS, view="best").pk)
        with reading_from("cache" if asked % 2 else "database"):
            answer = get(f"/boards/{RUNS}?limit=10")
            assert answer.status == 200
            seen.add(json.dumps(answer.json))
    assert len(seen) == 1
    assert answer.json["rows"] == standings_snapshot(RUNS, "people", "best")["rows"]
    assert [row["rank"] for row in answer.json["rows"]] == [1, 1, 1, 4]


def test_a_final_daily_publishes_its_code_over_rest(settings: Any, tmp_path: Any) -> None:
    import hashlib

    offset = tmp_path / "offset"
    settings.CLOCK_OFFSET_FILE = str(offset)
    offset.write_text("0")
    today = get("/daily").json["daily"]
    final_at = dt.datetime.fromisoformat(today["final_at"])
    offset.write_text(str((final_at - clock.now()).total_seconds() + 1))
    published = get(f"/daily/{today['date']}").json["daily"]
    assert published["status"] == "final"
    assert hashlib.sha256(published["code"].encode()).hexdigest() == today["commitment"] == published["commitment"]
    alice = signed_in("alice")
    practice = call("POST", f"/daily/{today['date']}/attempts", {"key": "k"}, who=alice).json["attempt"]
    assert (practice["ranked"], practice["undo_allowed"], practice["code"]) == (False, True, published["code"])
    typed = call("POST", "/attempts", {"key": "t", "code": published["code"]}, who=alice)
    assert (typed.status, typed.json["attempt"]["ranked"]) == (201, False)
