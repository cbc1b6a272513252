"""C18: a spectator that stops reading misses nothing for good, holds up nobody and costs no memory."""

from __future__ import annotations

import time

import pytest

from games.client_sockets import Standings
from leaderboards.selectors import standings_snapshot
from tests.leaderboards.cast import RUNS, finish, person
from tests.processes import ServerProcess
from tests.realtime.sockets import Mute, Spectator, resident_mb, settled_mb

BOARD = (RUNS, "people", "best")
TOPIC = dict(zip(("board", "kind", "view"), BOARD, strict=True))
SUBSCRIBE = {"type": "subscribe", **TOPIC}


def post(count: int, base: int = 100) -> float:
    """So many results as fast as they go; how long it took."""
    players = [person(f"player {base + number}") for number in range(count)]
    started = time.monotonic()
    for number, player in enumerate(players):
        finish(player, base + number)
    return time.monotonic() - started


def catch_up(mute: Mute, seconds: float = 3.0) -> tuple[Standings, int]:
    """Read again, by the client's rule, until the copy equals the database or the time is over; and the resyncs."""
    standings, resyncs = Standings(), 0
    truth = standings_snapshot(*BOARD)
    deadline = time.monotonic() + seconds
    for frame in mute.frames(timeout=seconds):
        if frame["type"] in {"snapshot", "event"} and not standings.apply(frame):
            resyncs += 1
            mute.say({"type": "resync", **TOPIC})
        if frame["type"] == "heartbeat":
            (mine,) = frame["versions"]
            if mine["version"] > standings.version:
                resyncs += 1
                mute.say({"type": "resync", **TOPIC})
        if standings.version == truth["version"] or time.monotonic() > deadline:
            break
    return standings, resyncs


@pytest.mark.parametrize("spectators", [1, 2, 50])
def test_C18_after_a_burst_while_nobody_read_every_spectator_has_the_truth(
    committed: ServerProcess, spectators: int
) -> None:
    logged = len(committed.logs())
    mutes = [Mute(committed, SUBSCRIBE) for _ in range(spectators)]
    time.sleep(0.3)
    post(150)
    time.sleep(5)
    truth = standings_snapshot(*BOARD)
    for mute in mutes:
        standings, _ = catch_up(mute)
        assert (standings.version, standings.rows) == (truth["version"], truth["rows"])
        mute.close()
    lines = [line for line in committed.logs()[logged:].splitlines() if "WARNING" in line or "ERROR" in line]
    assert len(lines) <= 1


def test_C18_who_is_really_blocked_gets_the_newest_state_instead_of_what_was_missed(committed: ServerProcess) -> None:
    post(50, base=200)
    mutes = [Mute(committed, SUBSCRIBE) for _ in range(12)]
    before = settled_mb(committed)
    asked = 400  # about 13 KB an answer: more than any socket buffer holds
    for _ in range(asked):
        for mute in mutes:
            mute.say({"type": "resync", **TOPIC})
        time.sleep(0.021)
    with Spectator(committed, RUNS) as reader:  # the control: who reads is not held up by them
        post(10, base=300)
        reader.until(standings_snapshot(*BOARD)["version"])
    truth = standings_snapshot(*BOARD)
    assert resident_mb(committed.pid) - before < 12  # all that was asked for would be 60
    for mute in mutes:
        got = []
        standings = Standings()
        deadline = time.monotonic() + 3
        for frame in mute.frames(timeout=1):
            got.append(frame["type"])
            if frame["type"] in {"snapshot", "event"}:
                standings.apply(frame)
            if standings.version == truth["version"] or time.monotonic() > deadline:
                break
        assert (standings.version, standings.rows) == (truth["version"], truth["rows"])
        assert got.count("snapshot") < asked  # it was blocked indeed
        mute.close()


@pytest.mark.slow
def test_C18_a_reader_silent_for_70_seconds_has_the_truth_within_3_after_it(committed: ServerProcess) -> None:
    mute = Mute(committed, SUBSCRIBE)
    time.sleep(0.3)
    post(150)
    time.sleep(70)
    standings, _ = catch_up(mute, 1.5)
    truth = standings_snapshot(*BOARD)
    if standings.version != truth["version"]:  # ended meanwhile for not answering pings: the client connects again
        mute.close()
        mute = Mute(committed, SUBSCRIBE)
        standings, _ = catch_up(mute, 1.5)
    assert (standings.version, standings.rows) == (truth["version"], truth["rows"])
    mute.close()
