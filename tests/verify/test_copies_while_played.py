"""Redis copies of boards that are played while they are compared: nothing is called different that is not."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import F

from leaderboards import standings
from leaderboards.models import Board
from leaderboards.standings_check import order_check
from tests.leaderboards.cast import raw, reading_from
from tests.moderation.playing import EASY, play, somebody
from tests.verify.test_verify import verified

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _a_page_for_each_entry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """So that a copy of a few entries takes as many pages as one of a million."""
    monkeypatch.setattr(standings, "CHUNK", 1)
    with reading_from("cache"):
        yield


@contextmanager
def meanwhile(*work: Callable[[], object]) -> Iterator[list[int]]:
    """Do each again and again, in a thread of its own; how often each was done."""
    end = threading.Event()
    done, failed = [0] * len(work), []

    def repeat(number: int) -> None:
        try:
            while not end.is_set():
                work[number]()
                done[number] += 1
        except Exception as problem:
            failed.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=repeat, args=(number,)) for number in range(len(work))]
    for thread in threads:
        thread.start()
    try:
        yield done
        deadline = time.monotonic() + 60
        while not (all(done) or failed or time.monotonic() > deadline):  # a slow machine may not have come to it yet
            time.sleep(0.01)
    finally:
        end.set()
        for thread in threads:
            thread.join(60)
    assert not failed, failed
    assert all(done)


def read_all() -> None:
    """What readers do of each copy before they use it."""
    for board_id in Board.objects.values_list("pk", flat=True):
        standings.sync(board_id)


def checked() -> str:
    """What `standings_rebuild --check` says; it fails where an order differs."""
    said = io.StringIO()
    call_command("standings_rebuild", "--check", stdout=said)
    return said.getvalue()


def ten_games() -> int:
    """Ended, with their boards copied; how many boards."""
    for _ in range(10):
        play(somebody())
    boards = list(Board.objects.values_list("pk", flat=True))
    assert all(standings.rebuild(board_id) for board_id in boards)
    return len(boards)


def test_games_that_end_meanwhile_are_no_difference(tmp_path: Path) -> None:
    boards = ten_games()
    with meanwhile(lambda: play(somebody()), read_all) as done:
        deadline = time.monotonic() + 300
        while done[0] < 30:
            assert time.monotonic() < deadline, done
            code, said = verified(tmp_path)
            assert code == 0, said
            checked()
    code, said = verified(tmp_path)
    assert (code, f"\n{boards} Redis copies" in said, "busy" in said) == (0, True, False), said


def test_a_board_that_never_rests_is_told_as_busy_and_is_no_fault(tmp_path: Path) -> None:
    ten_games()
    board = Board.objects.get(scope=EASY, kind="people", view="best")
    told = [
        f"copy of {board}: busy: played all the while, not compared",
        f"\n{board}: played all the while, not compared",
    ]
    seen = ""
    # Every commit raises a board's version; here a thousand a second do.
    with meanwhile(lambda: Board.objects.filter(pk=board.pk).update(version=F("version") + 1), read_all):
        for _ in range(20):
            code, said = verified(tmp_path)
            assert code == 0, said
            seen += f"{said}\n{checked()}\n"
            if all(line in seen for line in told):
                break
        else:
            pytest.fail(seen)


def test_control_a_difference_is_found_while_games_end(tmp_path: Path) -> None:
    ten_games()
    board = Board.objects.get(scope=EASY, kind="people", view="best")
    ordered = standings._keys(board.pk)[0]
    raw().zincrby(ordered, 5000, raw().zrange(ordered, 0, 0)[0])
    with meanwhile(lambda: play(somebody()), read_all):
        orders = {order_check(board.pk) for _ in range(20)}
    assert "different" in orders
    assert orders <= {"different", "busy"}
    assert verified(tmp_path)[0] == 1
