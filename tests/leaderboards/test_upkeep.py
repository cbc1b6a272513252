"""The copy in Redis comes and goes without anybody noticing; the commands; the admin pages."""

from __future__ import annotations

import datetime as dt
import io
import threading
import time
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from games import redis as redis_module
from games.models import Attempt
from leaderboards import standings
from leaderboards.models import Board, DailyChallenge
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_page
from leaderboards.services import dailies_prepare, daily_start
from tests.leaderboards.cast import NOON, RUNS, TEN, copy_answers, finish, person, places, raw, reading_from
from tests.staff import signed_in_moderator


@pytest.fixture
def every_board_has_a_copy() -> Iterator[None]:
    with reading_from("cache"):
        yield


@pytest.fixture
def dead_redis(settings: Settings) -> Iterator[None]:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    yield
    redis_module._closed_until = 0.0


def ten_players() -> Board:
    for number in range(10):
        finish(person(f"player {number}"), 300 - number, at=TEN + dt.timedelta(seconds=number))
    return Board.objects.get(scope=RUNS, view="best")


@pytest.mark.django_db
def test_without_redis_boards_are_right_and_say_that_events_are_delayed(dead_redis: None) -> None:
    ten_players()
    with reading_from("cache"):
        page = board_page(parse_board(RUNS), cursor=None, limit=3, now=NOON)
        assert page["delayed"] is True
        assert [row["rank"] for row in page["rows"]] == [1, 2, 3]
        assert len(places(limit=3)) == 10


@pytest.mark.django_db
def test_a_copy_follows_by_the_rows_changed_since() -> None:
    board = ten_players()
    assert copy_answers()
    _sorted_set, members, version = standings._keys(board.pk)
    raw().hset(members, "witness", "a rebuild would not keep this")
    finish(person("newcomer"), 400)
    with reading_from("cache"):
        assert places()[0] == (1, "newcomer")
    assert int(raw().get(version)) == 11
    assert raw().hexists(members, "witness")


@pytest.mark.django_db
def test_a_copy_of_another_history_is_dropped() -> None:
    board = ten_players()
    assert copy_answers()
    raw().set(standings._keys(board.pk)[2], 10_000)  # the database went back to a backup
    assert not copy_answers()
    assert len(places()) == 10
    raw().delete(*standings._keys(board.pk))
    assert copy_answers()


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_such_a_copy_is_replaced_at_once() -> None:
    board = ten_players()
    assert copy_answers()
    raw().set(standings._keys(board.pk)[2], 10_000)
    assert copy_answers()


@pytest.mark.django_db(transaction=True)
def test_a_large_board_is_copied_in_the_background_while_readers_use_the_database(
    every_board_has_a_copy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = ten_players()
    raw().flushall()
    monkeypatch.setattr(standings, "INLINE_UP_TO", 3)
    assert len(places()) == 10
    until = time.monotonic() + 30
    while raw().get(standings._keys(board.pk)[2]) is None:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert standings.window_top(board.pk, board.version, board.entries, 3) is not None
    for thread in threading.enumerate():
        if thread.name.startswith("rebuild-board"):
            thread.join(30)
            assert not thread.is_alive()


@pytest.mark.django_db(transaction=True)
def test_only_one_rebuilds_at_a_time() -> None:
    board = ten_players()
    lock = f"{standings._keys(board.pk)[2]}:rebuild"
    raw().set(lock, "another")
    assert not standings.rebuild(board.pk)
    raw().delete(lock)
    assert standings.rebuild(board.pk)
    assert raw().get(lock) is None


@pytest.mark.django_db(transaction=True)
def test_a_flush_in_the_middle_of_a_rebuild_leaves_no_half_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    board = ten_players()
    monkeypatch.setattr(standings, "CHUNK", 2)
    pipeline = type(raw()).pipeline
    chunks: list[int] = []

    def flushing(self: object, *args: object, **kwargs: object) -> object:
        chunks.append(1)
        if len(chunks) == 3:
            raw().flushall()
        return pipeline(self, *args, **kwargs)

    monkeypatch.setattr(type(raw()), "pipeline", flushing)
    assert not standings.rebuild(board.pk)
    assert raw().keys("*") == []
    monkeypatch.undo()
    assert copy_answers()


@pytest.mark.django_db
def test_the_command_rebuilds_and_checks(every_board_has_a_copy: None) -> None:
    board = ten_players()
    said = io.StringIO()
    call_command("standings_rebuild", stdout=said)
    assert said.getvalue().splitlines() == [f"{RUNS} people best: rebuilt", f"{RUNS} people first: rebuilt"]
    call_command("standings_rebuild", RUNS.lower(), "--check", stdout=said)
    assert said.getvalue().splitlines()[2:] == [f"{RUNS} people best: same order", f"{RUNS} people first: same order"]
    sorted_set = standings._keys(board.pk)[0]
    raw().zincrby(sorted_set, 1_000_000, raw().zrange(sorted_set, 0, 0)[0])
    with pytest.raises(SystemExit):
        call_command("standings_rebuild", "--check", stdout=said)
    assert "ORDER DIFFERS" in said.getvalue()
    with pytest.raises(CommandError):
        call_command("standings_rebuild", "no such board")


@pytest.mark.django_db
def test_the_command_says_when_redis_is_away(dead_redis: None) -> None:
    redis_module.redis_failed(OSError())
    with pytest.raises(CommandError, match="Redis does not answer"):
        call_command("standings_rebuild")


@pytest.mark.django_db
def test_maintenance_prepares_and_expires_and_may_run_at_any_time() -> None:
    said = io.StringIO()
    call_command("maintenance", stdout=said)
    assert (
        "0 attempts closed, 8 dailies prepared, 0 attempts of deleted accounts gone. 0 rows of evidence gone,"
        " 0 logs compacted, 0 judgements queued again." in said.getvalue()
    )
    daily = DailyChallenge.objects.get(number=1)
    alice = person("alice")
    attempt, _ = daily_start(player_id=alice.pk, kind="person", which="1", start_key="k", now=daily.opens_at)
    Attempt.objects.filter(pk=attempt.pk).update(deadline=NOON.replace(year=2020))
    call_command("maintenance", stdout=said)
    assert "1 attempts closed, 0 dailies prepared" in said.getvalue()


@pytest.mark.django_db
def test_the_prepare_command_prints_commitments_and_no_code() -> None:
    said = io.StringIO()
    call_command("prepare_daily", stdout=said)
    text = said.getvalue()
    assert text.endswith("8 dailies prepared.\n")
    for daily in DailyChallenge.objects.all():
        assert daily.commitment in text
        assert daily.code not in text


@pytest.mark.django_db
def test_no_admin_page_of_a_daily_shows_its_code_or_cards() -> None:
    dailies_prepare(now=NOON)
    browser = Client()
    signed_in_moderator(browser, role="superuser")
    finish(person("alice"), 300)
    daily = DailyChallenge.objects.get(number=2)
    pages = ["dailychallenge/", f"dailychallenge/{daily.pk}/change/", "board/", "entry/"]
    for page in pages:
        answer = browser.get(f"/admin/leaderboards/{page}")
        assert answer.status_code == 200, page
        assert daily.code not in answer.content.decode()
        assert daily.code[6:] not in answer.content.decode()
    assert daily.commitment in browser.get(f"/admin/leaderboards/{pages[1]}").content.decode()
    assert browser.get("/admin/leaderboards/dailychallenge/add/").status_code == 403
