"""What is noted for readers of a replica: in a real Redis that is flushed, evicts, is cut off, or is a cluster."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from games import redis as client
from games import replica_notes
from games.redis import redis, redis_failed, run_script
from games.replica import EVERY, Lag
from games.replica_notes import KEY, note, noted
from tests.leaderboards.cast import raw
from tests.processes import wait_until
from tests.redis_cluster import redis_cluster

KEPT = 2000  # milliseconds: more than what is done within it takes on a busy machine
ALICE, BOARD = "player:1", "board:TP1-E-AAAAAAB:people:best"


def elsewhere(what: str) -> int:
    """The answer to a process that has missed nothing: -1 is "unknown"."""
    found: int = run_script(replica_notes._NOTED, [KEY], [what, KEPT])
    return found


def aged() -> None:
    """Let a hash be there that is old enough."""
    assert noted(ALICE, KEPT) is None  # the first who asks begins it
    time.sleep(KEPT / 1000 + 0.05)
    assert noted(ALICE, KEPT) == 0


@pytest.fixture
def notes(own_redis: str, settings: Settings) -> Iterator[None]:
    settings.REDIS_URL = own_redis
    aged()
    yield
    wait_until(lambda: not replica_notes._missing.any, seconds=20)
    client._closed_until = 0.0  # the next test's Redis is another


def test_what_is_noted_stays_for_its_time_at_its_highest_version(notes: None) -> None:
    note(BOARD, 7, KEPT)
    note(BOARD, 6, KEPT)  # committed before, noted after
    note(ALICE, 1, KEPT)
    assert (noted(BOARD, KEPT), noted(ALICE, KEPT), noted("player:2", KEPT)) == (7, 1, 0)
    time.sleep(KEPT / 1000 + 0.05)
    assert (noted(BOARD, KEPT), noted(ALICE, KEPT)) == (0, 0)
    note("player:2", 1, KEPT)  # and with it goes what is over
    assert set(raw().hkeys(KEY)) == {b"since", b"swept", b"player:2"}


@pytest.mark.parametrize("loss", ["flush", "eviction"])
def test_what_may_have_been_lost_is_unknown_until_it_would_be_over(notes: None, loss: str) -> None:
    note(ALICE, 1, KEPT)
    if loss == "flush":
        redis().flushall()
    else:
        redis().delete(KEY)
    note("player:2", 1, KEPT)  # does not hide that there is a hole
    assert noted(ALICE, KEPT) is None
    time.sleep(KEPT / 1000 + 0.05)
    assert noted(ALICE, KEPT) == 0


def test_a_note_that_failed_makes_all_unknown_as_soon_as_redis_answers_again(notes: None) -> None:
    redis_failed(OSError("another call timed out"))
    note(ALICE, 1, KEPT)
    assert noted("player:2", KEPT) is None
    assert elsewhere(ALICE) == 0  # nobody can tell them yet
    assert wait_until(lambda: elsewhere(ALICE) == -1, seconds=20)
    assert wait_until(lambda: noted(ALICE, KEPT) == 0, seconds=20)


def test_a_redis_that_takes_no_notes_leaves_none_to_be_believed(notes: None) -> None:
    redis().config_set("maxmemory", 1)  # with "noeviction" it refuses what needs memory, and nothing else
    note(ALICE, 1, KEPT)
    redis().config_set("maxmemory", 0)
    assert noted(ALICE, KEPT) is None
    assert wait_until(lambda: elsewhere(ALICE) == -1, seconds=20)


def test_without_an_answer_nothing_is_known(notes: None, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1"
    assert noted(ALICE, KEPT) is None
    settings.REDIS_URL = ""
    note(ALICE, 1, KEPT)  # nobody reads notes then; nothing waits for a Redis that is none
    assert noted(ALICE, KEPT) is None
    assert not replica_notes._missing.any


def test_a_cluster_keeps_them_in_one_slot(settings: Settings) -> None:
    with redis_cluster() as cluster:
        settings.REDIS_URL, settings.REDIS_CLUSTER = cluster.url, True
        aged()
        note(BOARD, 7, KEPT)
        assert noted(BOARD, KEPT) == 7
        for node in cluster.nodes():
            node.flushall()
        assert noted(BOARD, KEPT) is None


def test_a_measurement_is_not_believed_while_the_next_one_hangs() -> None:
    class Hanging(Lag):
        """Once near; then it hangs as in a dead link."""

        hangs, over = threading.Event(), threading.Event()

        def _measure(self, now: float) -> None:
            if self._good_until:
                self.hangs.set()
                self.over.wait(60)
            self._good_until = now + 4 * EVERY

    lag = Hanging()
    assert lag.small_enough()
    time.sleep(EVERY + 0.05)
    asking = threading.Thread(target=lag.small_enough)
    asking.start()
    assert lag.hangs.wait(20)
    assert lag.small_enough()
    time.sleep(max(0.0, lag._good_until - time.monotonic()) + 0.05)
    assert not lag.small_enough()
    lag.over.set()
    asking.join()
