"""A Redis that is too small, whatever its policy: boards are read right all the same, and it is not filled in vain."""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import random
import threading
import time
from collections.abc import Iterator

import pytest
from django.db import connection
from pytest_django import Settings

from games import redis as client
from games.redis import REDIS_ERRORS
from leaderboards import standings
from leaderboards.models import Board
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, board_page
from tests.leaderboards.cast import NOON, RUNS, TEN, copy_answers, finish, person, raw, reading_from
from tests.processes import wait_until

pytestmark = pytest.mark.django_db

FILLERS = 30  # so many other keys, each larger than a copy here
SECONDS = 60.0
"""No measure, only an end to waiting."""
CODES = [f"TP1-R-AAAAAA{letter}" for letter in "BCDEF"]


@pytest.fixture
def own(own_redis: str, settings: Settings) -> Iterator[None]:
    settings.REDIS_URL = own_redis
    yield
    client._closed_until = 0.0  # its end must not keep the next test from its own


def limit(policy: str, room: int) -> None:
    """Let Redis hold `room` bytes more than it does."""
    raw().config_set("maxmemory-policy", policy)
    raw().config_set("maxmemory", raw().info("memory")["used_memory"] + room)


def read(code: str, player: int) -> list[object]:
    name = parse_board(code)
    return [board_page(name, cursor=None, limit=9, now=NOON)["rows"], board_me(name, player_id=player)]


def test_evictions_of_single_keys_never_make_a_wrong_answer(own: None) -> None:
    choose = random.Random(7)
    players = [person(f"player {number}") for number in range(12)]
    for code in CODES:
        for number, player in enumerate(players):
            finish(player, 100 + number // 3, code=code, at=TEN + dt.timedelta(minutes=number))
        with reading_from("cache"):
            read(code, players[0].pk)
        assert copy_answers(code)
    for number in range(FILLERS):
        raw().set(f"filler {number}", bytes(5_000))
    limit("allkeys-random", 0)  # harsher than allkeys-lru: no key is too fresh to go
    answered = 0
    for step in range(60):
        code, player = choose.choice(CODES), choose.choice(players)
        if step % 2:
            finish(player, 110 + step, code=code, at=TEN + dt.timedelta(hours=1, minutes=step))
        raw().set(f"filler {choose.randrange(FILLERS)}", bytes(5_000))
        answers = []
        for way in ("cache", "database"):
            with reading_from(way):
                answers.append(read(code, player.pk))
        assert answers[0] == answers[1]
        answered += copy_answers(code)
    assert raw().info("stats")["evicted_keys"] > 5
    assert answered > 5  # sometimes by a copy
    raw().config_set("maxmemory", 0)
    with reading_from("cache"):
        read(RUNS, players[0].pk)
    assert copy_answers()


def test_a_copy_that_does_not_fit_is_taken_away_again_and_readers_use_postgresql(
    own: None, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(200):
        finish(person(f"player {number}"), 100 + number, at=TEN)
    [board] = Board.objects.filter(scope=RUNS, view="best")
    limit("noeviction", -1)
    with pytest.raises(REDIS_ERRORS):
        standings.rebuild(board.pk)
    assert raw().dbsize() <= 1  # the lock at most
    with reading_from("cache"), caplog.at_level(logging.WARNING):
        rows = board_page(parse_board(RUNS), cursor=None, limit=2, now=NOON)["rows"]
    assert [row["score"] for row in rows] == [299, 298]


def test_a_copy_replaced_dropped_or_expired_leaves_nothing_and_is_freed_beside_the_others(own: None) -> None:
    for kind in ("hash", "zset"):
        raw().config_set(f"{kind}-max-listpack-entries", 8)  # as large copies are stored
    for number in range(100):
        finish(person(f"player {number}"), 100 + number, at=TEN)
    [board] = Board.objects.filter(scope=RUNS, view="best")
    keys = standings._keys(board.pk)

    def freed() -> int:
        """Sets and hashes that the thread beside has freed since it was asked last."""
        assert wait_until(lambda: not raw().info("memory")["lazyfree_pending_objects"])
        found = raw().info("memory")["lazyfreed_objects"]
        raw().config_resetstat()
        return int(found)

    def rebuilt() -> set[str]:
        assert standings.rebuild(board.pk)
        return {key.decode() for key in raw().keys("*")}

    freed()
    assert rebuilt() == set(keys)
    assert freed() == 0
    assert rebuilt() == set(keys)
    assert freed() == 2
    standings.forget(board.pk)
    assert (raw().keys("*"), freed()) == ([], 2)
    rebuilt()
    standings.forget_all()
    assert (raw().keys("*"), freed()) == ([], 2)
    rebuilt()
    for key in keys:
        raw().pexpire(key, 1)
    assert wait_until(lambda: raw().dbsize() == 0)
    assert freed() == 2
    rebuilt()
    limit("allkeys-random", -raw().info("memory")["used_memory"] + 1)
    with contextlib.suppress(*REDIS_ERRORS):
        raw().set("filler", bytes(5_000))
    assert (raw().keys("*"), freed()) == ([], 2)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kept", [True, False], ids=["Redis stays", "Redis ends each time"])
def test_readers_do_not_rebuild_again_and_again_what_does_not_stay(
    own: None, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    finish(person("alice"), 100)
    [board] = Board.objects.filter(scope=RUNS, view="best")
    built: list[int] = []
    go_on = threading.Event()

    def slowly(board_id: int) -> bool:
        built.append(board_id)
        time.sleep(0.1)
        assert go_on.wait(SECONDS)
        connection.close()
        return True

    def read_as_the_first() -> None:
        if kept:
            standings._paused_until.clear()  # as in a process that has rebuilt nothing: the pause in Redis is for all
        else:
            raw().flushall()  # ended for its memory and started anew: the pause in it is gone
        with reading_from("cache"):
            board_page(parse_board(RUNS), cursor=None, limit=2, now=NOON)

    monkeypatch.setattr(standings, "rebuild", slowly)
    monkeypatch.setattr(standings, "INLINE_UP_TO", -1)
    monkeypatch.setattr(
        standings, "PAUSE", 10_000
    )  # of a tenth of a second, a quarter of an hour: longer than this test
    begun = time.monotonic()
    for _ in range(10):
        read_as_the_first()
    go_on.set()
    all_rebuilt()
    pause = raw().pttl(f"{standings._keys(board.pk)[2]}:pause") / 1000
    if not kept:
        pause = standings._paused_until[board.pk] - time.monotonic()
    assert 0 < pause <= standings.PAUSE * (time.monotonic() - begun) + 1, "so many times as long as it took"
    for _ in range(10):
        read_as_the_first()
        all_rebuilt()
    assert built == [board.pk]
    standings._paused_until.clear()
    raw().flushall()
    read_as_the_first()
    all_rebuilt()
    assert built == [board.pk] * 2, "after the pause"


def all_rebuilt() -> None:
    """Wait until nobody rebuilds a board beside."""
    for thread in threading.enumerate():
        if thread.name.startswith("rebuild-board"):
            thread.join(SECONDS)
            assert not thread.is_alive()
