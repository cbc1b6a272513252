"""People, bots and guests; best and first attempts; what a page and one's own place show (R8.1, R8.6, C14)."""

from __future__ import annotations

import datetime as dt

import pytest

from games.models import Player
from games.services import guest_claim
from leaderboards.models import Board, Entry
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, board_page, board_versions, standings_snapshot
from leaderboards.selectors.boards import cursor_text, parse_cursor
from tests.leaderboards.cast import EASY, NOON, RUNS, TEN, bot, finish, guest, person, places, rank_of, reading_from

pytestmark = pytest.mark.django_db
MINUTE = dt.timedelta(minutes=1)


@pytest.mark.parametrize("way", ["database", "cache"])
def test_C14_bots_have_boards_of_their_own_whatever_anybody_is_called(way: str) -> None:
    owner, robotnik = person("owner"), person("robotnik")
    machine = bot("ordinary name", owner)
    with reading_from(way):
        finish(machine, 450)
        finish(owner, 430)
        finish(robotnik, 420)
        assert places() == [(1, "owner"), (2, "robotnik")]
        assert places(kind="bots") == [(1, "ordinary name")]
        before = rank_of(owner)
        people = standings_snapshot(RUNS, "people", "best")
        finish(machine, 460)
        assert rank_of(owner) == before
        assert standings_snapshot(RUNS, "people", "best") == people
        assert [row["score"] for row in standings_snapshot(RUNS, "bots", "best")["rows"]] == [460]
        assert rank_of(machine) is None, "a bot has no place among people, not even a provisional one"


def test_guests_are_on_no_board_but_see_the_place_they_would_have() -> None:
    finish(person("alice"), 300)
    finish(person("bob"), 280)
    visitor = guest()
    finish(visitor, 290, at=TEN + MINUTE)
    assert places() == [(1, "alice"), (2, "bob")]
    mine = board_me(parse_board(RUNS), player_id=visitor.pk)
    assert (mine["rank"], mine["provisional"], mine["row"]["player"]["name"]) == (2, True, None)
    assert [row["rank"] for row in mine["around"]] == [1, 2]
    assert board_me(parse_board(RUNS), player_id=guest().pk) == {
        "rank": None,
        "row": None,
        "around": [],
        "provisional": False,
        "version": 2,
    }


def test_a_guest_who_takes_a_name_enters_open_boards_with_the_own_dates_and_no_sealed_one() -> None:
    visitor = guest()
    finish(visitor, 300, at=TEN)
    finish(person("bob"), 300, at=TEN + MINUTE)
    finish(visitor, 700, code="TP1-E-ZZZZZZZ", competition="daily-2026-11-29", ranked=False)
    daily = standings_snapshot("TP1-E-ZZZZZZZ", "people", "best")
    guest_claim(player_id=visitor.pk, name="carol", password="correct horse battery", now=NOON)
    assert places() == [(1, "carol"), (1, "bob")]
    assert Entry.objects.filter(player=visitor, board__scope__startswith="daily-").count() == 0
    assert standings_snapshot("TP1-E-ZZZZZZZ", "people", "best") == daily


def test_the_best_attempt_stands_with_its_number_and_the_first_one_in_its_own_view() -> None:
    alice, bob = person("alice"), person("bob")
    finish(alice, 200, at=TEN)
    finish(bob, 250, at=TEN)
    finish(alice, 300, at=TEN + MINUTE)
    finish(alice, 260, at=TEN + 2 * MINUTE)
    [best, _] = standings_snapshot(RUNS, "people", "best")["rows"]
    assert (best["player"]["name"], best["score"], best["number"]) == ("alice", 300, 2)
    assert places(view="first") == [(1, "bob"), (2, "alice")]
    assert [row["score"] for row in standings_snapshot(RUNS, "people", "first")["rows"]] == [250, 200]


def test_a_first_attempt_bettered_by_undo_stays_as_it_first_ended() -> None:
    alice = person("alice")
    attempt = finish(alice, 500, code=EASY, outcome="stuck", peaks=1, cards_left=9, moves=40)
    finish(alice, 740, code=EASY, moves=50, undos=3, attempt=attempt, at=TEN + MINUTE)
    [best] = standings_snapshot(EASY, "people", "best")["rows"]
    [first] = standings_snapshot(EASY, "people", "first")["rows"]
    assert (best["outcome"], best["score"]) == ("won", 740)
    assert (first["outcome"], first["score"], first["cards_left"]) == ("stuck", 500, 9)
    assert first["id"] == best["id"]


def test_a_first_attempt_with_undo_is_no_first_attempt() -> None:
    alice = person("alice")
    finish(alice, 300, undos=1)
    finish(alice, 310)
    assert places(view="first") == []
    assert places() == [(1, "alice")]


def test_practice_is_ranked_nowhere() -> None:
    alice = person("alice")
    finish(alice, 300, ranked=False)
    assert places() == []
    mine = board_me(parse_board(RUNS), player_id=alice.pk)
    assert (mine["rank"], mine["provisional"]) == (1, True)


def test_the_same_signal_again_changes_nothing() -> None:
    alice = person("alice")
    attempt = finish(alice, 300)
    before = list(Board.objects.values("version", "entries", "started", "finished"))
    finish(alice, 300, attempt=attempt)
    assert list(Board.objects.values("version", "entries", "started", "finished")) == before


def test_versions_rise_by_one_and_are_read_for_many_boards_at_once() -> None:
    alice = person("alice")
    for expected, score in enumerate((100, 110, 120), start=1):
        finish(alice, score)
        assert standings_snapshot(RUNS, "people", "best")["version"] == expected
    assert board_versions([(RUNS, "people", "best"), (RUNS, "bots", "best"), (EASY.lower(), "people", "first")]) == {
        (RUNS, "people", "best"): 3,
        (RUNS, "bots", "best"): 0,
        (EASY.lower(), "people", "first"): 0,
    }


@pytest.mark.parametrize("way", ["database", "cache"])
def test_around_me_are_five_above_and_five_below_with_their_right_ranks(way: str) -> None:
    players = [person(f"player {number}") for number in range(20)]
    for number, player in enumerate(players):
        finish(player, 300 - number // 4, at=TEN + number * MINUTE)  # ranks 1 1 1 1 5 5 5 5 9 …
    with reading_from(way):
        mine = board_me(parse_board(RUNS), player_id=players[10].pk)
        assert mine["rank"] == 9
        assert [row["rank"] for row in mine["around"]] == [5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13]
        assert [row["player"]["name"] for row in mine["around"]] == [f"player {number}" for number in range(5, 16)]
        top, last = (board_me(parse_board(RUNS), player_id=players[number].pk) for number in (0, 19))
        assert [row["rank"] for row in top["around"]] == [1, 1, 1, 1, 5, 5]
        assert [row["rank"] for row in last["around"]] == [13, 13, 17, 17, 17, 17]


@pytest.mark.parametrize("way", ["database", "cache"])
def test_no_row_comes_twice_or_not_at_all_while_the_list_changes(way: str) -> None:
    players = [person(f"player {number}") for number in range(12)]
    for number, player in enumerate(players):
        finish(player, 300 - number, at=TEN + number * MINUTE)
    name = parse_board(RUNS)
    newcomers = (person(f"newcomer {number}") for number in range(10))
    seen: list[tuple[int, str]] = []
    cursor = None
    with reading_from(way):
        while True:
            page = board_page(name, cursor=cursor, limit=3, now=NOON)
            seen += [(row["rank"], row["player"]["name"]) for row in page["rows"]]
            cursor = page["next"]
            if cursor is None:
                break
            finish(next(newcomers), 400, at=NOON)  # comes in above whatever has been read
            Entry.objects.filter(player=players[0], active=True).exists()
    assert [place for place in seen if place[1].startswith("player")] == [
        (1, "player 0"),
        (2, "player 1"),
        (3, "player 2"),
        (5, "player 3"),
        (6, "player 4"),
        (7, "player 5"),
        (9, "player 6"),
        (10, "player 7"),
        (11, "player 8"),
        (13, "player 9"),
        (14, "player 10"),
        (15, "player 11"),
    ]


def test_control_pages_by_position_would_show_rows_twice() -> None:
    rows = [f"player {number}" for number in range(6)]
    first = rows[0:3]
    rows.insert(0, "newcomer")
    assert set(first) & set(rows[3:6])


def test_a_page_goes_on_from_a_row_that_has_gone() -> None:
    players = [person(f"player {number}") for number in range(6)]
    for number, player in enumerate(players):
        finish(player, 300 - number)
    page = board_page(parse_board(RUNS), cursor=None, limit=3, now=NOON)
    finish(players[2], 400)  # the last row shown moves to the top
    for way in ("database", "cache"):
        with reading_from(way):
            after = board_page(parse_board(RUNS), cursor=page["next"], limit=10, now=NOON)
            assert [(row["rank"], row["player"]["name"]) for row in after["rows"]] == [
                (4, "player 3"),
                (5, "player 4"),
                (6, "player 5"),
            ]


def test_cursors_are_read_back_and_nonsense_is_refused() -> None:
    from games.errors import BadInput

    for place in [(0, 0, 1), (2**53 - 1, 2**41, 2**31)]:
        assert parse_cursor(cursor_text(place)) == place
    for text in ["", "x", "é", "////", "MC4wLjA", cursor_text((2**53, 0, 1)), "A" * 10_000, "\x00", "MS4yLg=="]:
        if text == "MC4wLjA":
            assert parse_cursor(text) == (0, 0, 0)
            continue
        with pytest.raises(BadInput):
            parse_cursor(text)


def test_a_board_nobody_is_on_is_empty_not_an_error() -> None:
    for text in (EASY, "TP1-N-AAAAAAC", "TPX-R-" + "0" * 46, "TP2-E-" + "0" * 26):
        snapshot = standings_snapshot(text, "people", "best")
        assert (snapshot["version"], snapshot["entries"], snapshot["rows"]) == (0, 0, [])
    assert Player.objects.count() == Board.objects.count() == 0
