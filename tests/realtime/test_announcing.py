"""Announcing: after commit only, merged, cheap, and never the caller's trouble."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from django.db import transaction

from games.events import ATTEMPTS, AttemptMoved, CredentialsEnded, Hint, announce, announcer
from leaderboards.events import BoardChanged, board_topic

Heard = list[tuple[str, list[Hint]]]


@pytest.fixture
def heard() -> Iterator[Heard]:
    """What listeners of this process are told."""
    got: Heard = []

    def listen(topic: str, hints: list[Hint]) -> None:
        got.append((topic, hints))

    announcer.listeners.append(listen)
    yield got
    announcer.listeners.remove(listen)


def wait(got: Heard, count: int = 1) -> Heard:
    deadline = time.monotonic() + 20
    while len(got) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    return got


@pytest.mark.django_db(transaction=True)
def test_nothing_is_announced_before_the_commit_nor_after_a_rollback(heard: Heard) -> None:
    with transaction.atomic():
        announce(AttemptMoved(1, "kept", 1))
        time.sleep(0.1)
        assert heard == []
    assert wait(heard) == [(ATTEMPTS, [[1, "kept", 1, False]])]
    with transaction.atomic():
        announce(AttemptMoved(1, "lost", 1))
        transaction.set_rollback(True)
    time.sleep(0.1)
    assert len(heard) == 1


@pytest.mark.django_db(transaction=True)
def test_a_burst_becomes_one_message_a_topic_with_the_newest_of_each(heard: Heard) -> None:
    with transaction.atomic():
        for ply in range(1, 500):
            announce(AttemptMoved(7, f"a{ply % 3}", ply))
            announce(BoardChanged("TP1-E-AAAAAAB", "people", "best", ply))
        announce(CredentialsEnded((4, 5)))
    told = dict(wait(heard, 3))
    assert len(heard) == 3
    assert sorted(told[ATTEMPTS]) == [[7, "a0", 498, False], [7, "a1", 499, False], [7, "a2", 497, False]]
    assert told["board.TP1-E-AAAAAAB"] == [["TP1-E-AAAAAAB", "people", "best", 499]]
    assert told["credentials"] == [[4, 5]]


@pytest.mark.django_db(transaction=True)
def test_announcing_costs_the_caller_microseconds(heard: Heard) -> None:
    announce(AttemptMoved(1, "warm", 1))
    wait(heard)
    best = float("inf")
    for _ in range(20):
        started = time.thread_time()
        for ply in range(100):
            announce(AttemptMoved(1, "a", ply))
        best = min(best, (time.thread_time() - started) / 100)
    assert best < 50e-6


@pytest.mark.parametrize(
    "scope", ["TP1-E-AAAAAAB", "daily-2026-11-29", "TPX-RC-" + "Z" * 46, "é" * 80, "x" * 200, "a b"]
)
def test_topics_are_names_that_every_channel_layer_takes(scope: str) -> None:
    topic = board_topic(scope)
    assert len(topic) < 100
    assert topic.isascii()
    assert all(character.isalnum() or character in "-_." for character in topic)


def test_a_forked_process_announces_by_itself_and_nothing_of_its_parent() -> None:
    """As WSGI servers fork their workers after loading the application."""
    script = """
import os, time, django
django.setup()
from games.events import AttemptMoved, announcer
heard = []
announcer.listeners.append(lambda topic, hints: heard.append(hints))
def wait(got):
    deadline = time.monotonic() + 20
    while not got and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)  # for what should not come
announcer.put(AttemptMoved(1, "parent", 1))
child = os.fork()
if child == 0:
    mine = []
    announcer.listeners.append(lambda topic, hints: mine.append(hints))
    announcer.put(AttemptMoved(2, "child", 1))
    wait(mine)
    os._exit(0 if mine == [[[2, "child", 1, False]]] else 1)
wait(heard)
_, status = os.waitpid(child, 0)
assert heard == [[[1, "parent", 1, False]]], heard
raise SystemExit(os.waitstatus_to_exitcode(status))
"""
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "tripeaks_site.settings"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_with_redis_down_announcing_neither_waits_nor_raises_and_warns_once() -> None:
    script = """
import time, django
django.setup()
from games.events import AttemptMoved, announcer
heard = []
announcer.listeners.append(lambda topic, hints: heard.append(hints))
waited, ply, deadline = 0.0, 0, time.monotonic() + 40
while len(heard) <= 20 and time.monotonic() < deadline:
    ply += 1
    started = time.monotonic()
    announcer.put(AttemptMoved(1, "a", ply))
    waited += time.monotonic() - started
    time.sleep(0.01)
assert waited < 1, waited
while heard[-1] != [[1, "a", ply, False]] and time.monotonic() < deadline:
    time.sleep(0.01)
assert heard[-1] == [[1, "a", ply, False]], heard[-1]
assert len(heard) > 20
assert announcer.delayed
"""
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tripeaks_site.settings",
        "REDIS_URL": "unix:///nonexistent/redis.sock?db=0",
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("WARNING") == 1, done.stderr
