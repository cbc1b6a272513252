"""Help and a ranked start at the same cards, at the same moment: never both (R8.1). Threads with connections of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import pytest
from django.db import connection

from games.models import Attempt, DealExposure
from games.services import exposure
from tests.analysis.cast import EASY, Caller, stuck_log
from tests.calls import Answer

pytestmark = pytest.mark.django_db(transaction=True)
T = TypeVar("T")
TIMES = 6


def in_threads(*jobs: Callable[[], T]) -> list[T]:
    """Run all at once, each with its own database connection; their results."""
    ready = threading.Barrier(len(jobs))

    def run(job: Callable[[], T]) -> T:
        try:
            ready.wait(10)
            return job()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return [future.result(30) for future in [pool.submit(run, job) for job in jobs]]


def start_and_ask(who: Caller, public: Attempt) -> tuple[Attempt, Answer]:
    """Both at once."""
    started: list[Attempt] = []
    answers: list[Answer] = []
    in_threads(lambda: started.append(who.start(EASY, "race")), lambda: answers.append(who.analysis(public)))
    return started[0], answers[0]


def helped_while_ranked(attempt: Attempt, answer: Answer) -> bool:
    return attempt.ranked and answer.status == 200


def test_a_start_and_an_analysis_at_once_never_both_succeed_as_ranked_and_helped(
    alice: Caller, bob: Caller, mallory: Caller
) -> None:
    public = alice.finished()
    for who in (bob, mallory):
        attempt, answer = start_and_ask(who, public)
        assert not helped_while_ranked(attempt, answer)
        assert (attempt.ranked, answer.status) in {(True, 409), (False, 200)}


def somebody_waits_for_a_lock() -> bool:
    """In this database; of our own transaction, too, which would keep seeing the first answer."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone()[0])


@contextmanager
def pause_after_the_check(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Stop the exposure between its look for ranked attempts and its row, until told to go on or waited for."""
    looked, go_on = threading.Event(), threading.Event()
    check = exposure.check_none_ranked

    def check_and_pause(**asked: object) -> None:
        check(**asked)  # type: ignore[arg-type]
        looked.set()
        deadline = time.monotonic() + 20
        while not go_on.wait(0.01) and not somebody_waits_for_a_lock():
            assert time.monotonic() < deadline

    with monkeypatch.context() as patch:
        patch.setattr(exposure, "check_none_ranked", check_and_pause)
        yield looked, go_on


@pytest.mark.parametrize("locked", [True, False])
def test_the_lock_closes_the_gap_between_the_look_and_the_row(
    locked: bool, alice: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = alice.finished()
    if not locked:
        monkeypatch.setattr(exposure, "_lock_player", lambda player_id: None)

    def start() -> Attempt:
        looked.wait(10)
        try:
            return bob.start(EASY, "race")
        finally:
            go_on.set()

    with pause_after_the_check(monkeypatch) as (looked, go_on), ThreadPoolExecutor(2) as pool:
        asking, starting = pool.submit(closing(lambda: bob.analysis(public))), pool.submit(closing(start))
        attempt, answer = starting.result(30), asking.result(30)
    assert answer.status == 200
    assert attempt.ranked is not locked, "control: without the lock the start slips through as ranked"


def closing(job: Callable[[], T]) -> Callable[[], T]:
    def run() -> T:
        try:
            return job()
        finally:
            connection.close()

    return run


def test_many_who_ask_at_once_are_one_row_and_one_answer(alice: Caller, bob: Caller) -> None:
    practice = bob.start(EASY, "p", practice=True)
    answers = in_threads(*[lambda: bob.winnable(practice)] * TIMES)
    assert {answer.status for answer in answers} <= {200, 503}
    told = [answer.json for answer in answers if answer.status == 200]
    assert told
    assert all(each == told[0] for each in told)
    assert DealExposure.objects.count() == 1


def test_an_undo_and_the_opening_of_the_analysis_at_once(alice: Caller) -> None:
    """Either the attempt goes on and there is no analysis, or it is over and there is one."""
    for number in range(TIMES):
        attempt = alice.start(EASY, f"k{number}", practice=True)
        states = alice.hand.play_all(attempt, stuck_log())
        undo = {"move": "u", "expected_ply": states[-1]["ply"], "move_id": "undo"}
        moved, opened = in_threads(
            lambda a=attempt, u=undo: alice.ask("POST", f"/attempts/{a.public_id}/moves", u),  # type: ignore[misc]
            lambda a=attempt: alice.open_analysis(a),  # type: ignore[misc]
        )
        attempt.refresh_from_db()
        assert (moved.status, opened.status, attempt.closed_at is None) in {(200, 404, True), (422, 200, False)}
