"""Equal results: one rank, listed by finish time and attempt, by whichever way a board is read (C12, C13)."""

from __future__ import annotations

import datetime as dt

import pytest

from games.clock import milliseconds
from games.models import Attempt, Player
from leaderboards import standings
from leaderboards.models import Board, Entry
from leaderboards.scopes import parse_board
from leaderboards.selectors import standings_snapshot
from leaderboards.selectors.boards import board_state, row_json, rows_top
from leaderboards.services.entries import bucket_add
from leaderboards.standings_check import order_check
from tests.leaderboards.cast import RUNS, TEN, copy_answers, finish, person, places, rank_of, raw, reading_from

pytestmark = pytest.mark.django_db


def seconds(count: int) -> dt.datetime:
    return TEN + dt.timedelta(seconds=count)


def four_players() -> list[Player]:
    """P1 300 at 10:00:00, P2 300 at 10:00:05, P3 280, P4 300 at 10:00:05 with the higher attempt id."""
    players = [person(f"player {number}") for number in (1, 2, 3, 4)]
    one, two, three, four = players
    finish(one, 300, at=seconds(0))
    finish(two, 300, at=seconds(5))
    finish(three, 280, at=seconds(1))
    finish(four, 300, at=seconds(5))
    return players


def test_C12_equal_scores_share_a_rank_and_keep_their_order() -> None:
    one, two, _three, _four = four_players()
    expected = [(1, "player 1"), (1, "player 2"), (1, "player 4"), (4, "player 3")]
    for way in ("database", "cache"):
        with reading_from(way):
            assert places() == expected

    before = standings_snapshot(RUNS, "people", "best")
    repeat = finish(one, 300, at=TEN + dt.timedelta(hours=1))
    assert standings_snapshot(RUNS, "people", "best") == before, "a repeat of one's best changes nothing"
    assert repeat.number == 2

    finish(two, 301, at=TEN + dt.timedelta(hours=2))
    expected = [(1, "player 2"), (2, "player 1"), (2, "player 4"), (4, "player 3")]
    for asked in range(50):
        if asked % 10 == 5:
            raw().flushall()
        if asked % 10 == 9:
            assert standings.rebuild(Board.objects.get(scope=RUNS, view="best").pk)
        with reading_from("cache" if asked % 2 else "database"):
            assert places(limit=1 + asked % 4) == expected
            assert rank_of(one) == 2
    assert copy_answers()
    rows = standings_snapshot(RUNS, "people", "best")["rows"]
    assert rows[1]["finished_at"] == "2026-11-29T10:00:00.000Z"


def entry_at(board: Board, player: Player, key: int, at_ms: int) -> None:
    """An entry with a key of our choice: larger ones than today's rules make."""
    attempt = finish(player, 100)
    entry = Entry.objects.get(board=board, player=player)
    bucket_add(board, entry.key, -1)
    bucket_add(board, key, 1)
    Entry.objects.filter(pk=entry.pk).update(key=key, finished_ms=at_ms, attempt=attempt)


@pytest.mark.parametrize(("points", "apart_ms"), [(1_250, 1), (84_900, 40)])
def test_C13_a_millisecond_decides_between_equal_points(points: int, apart_ms: int) -> None:
    abe, zed = person("abe"), person("zed")  # abe first, so that neither names nor ids give the right order by luck
    finish(person("somebody"), 400)
    board = Board.objects.get(scope=RUNS, view="best")
    at_ms = 1_803_081_600_123
    entry_at(board, abe, 2**53 - 1 - points, at_ms + apart_ms)
    entry_at(board, zed, 2**53 - 1 - points, at_ms)
    for way in ("database", "cache"):
        with reading_from(way):
            assert places() == [(1, "somebody"), (2, "zed"), (2, "abe")]
    assert copy_answers()
    assert order_check(board.pk) == "same"


@pytest.mark.parametrize(("points", "apart_ms"), [(1_250, 1), (84_900, 40)])
def test_C13_control_one_packed_double_loses_the_tie_break(points: int, apart_ms: int) -> None:
    at_ms = 1_803_081_600_123
    packed = [float(points * 10**13 + (10**13 - moment)) for moment in (at_ms, at_ms + apart_ms)]
    assert packed[0] == packed[1], "the scheme that the case is about would have kept the order after all"
    client = raw()
    client.delete("control")
    client.zadd("control", {"zed": -packed[0], "abe": -packed[1]})
    assert client.zrange("control", 0, -1) == [b"abe", b"zed"], "order fell back to the name"
    client.delete("control")


def test_C13_the_check_of_orders_sees_one_changed_score() -> None:
    players = [person(f"player {number}") for number in range(5)]
    for number, player in enumerate(players):
        finish(player, 100 + number)
    board, _ = board_state(parse_board(RUNS))
    assert standings.rebuild(board.id)
    sorted_set = f"tripeaks:board:{{{_database()}:{board.id}}}:z"
    member = raw().zrange(sorted_set, 0, 0)[0]
    raw().zincrby(sorted_set, 1_000_000, member)
    assert order_check(board.id) == "different"


def _database() -> str:
    from django.db import connection

    return str(connection.settings_dict["NAME"])


def test_keys_members_and_places_are_exact_both_ways() -> None:
    for key, at_ms, attempt in [(0, 0, 1), (2**53 - 1, milliseconds(TEN), 2**62), (2**52 + 1, 2**47, 7)]:
        member = standings.member_of(at_ms, attempt).encode()
        client = raw()
        client.delete("exact")
        client.zadd("exact", {member: key})
        assert standings.place_of(member, b"%d" % key) == (key, at_ms, attempt)
        [(found, score)] = client.zrange("exact", 0, 0, withscores=True)
        assert (found, int(score)) == (member, key)
    client.delete("exact")


def test_rows_of_the_copy_show_what_the_database_shows() -> None:
    for number in range(12):
        finish(person(f"player {number}"), 300 - number // 3, at=seconds(number))
    board, _ = board_state(parse_board(RUNS))
    shown = []
    for way in ("database", "cache"):
        with reading_from(way):
            shown.append([row_json(row) for row in rows_top(board, 12)])
    assert shown[0] == shown[1]
    assert Attempt.objects.count() == 12
