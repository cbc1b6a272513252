"""The load generator: what it calls lost, doubled and late, a small run of it, and its chart."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from leaderboards.bench.load import by_second, missed, percentiles, watched
from leaderboards.bench.load_generator import Seen, shares
from leaderboards.bench.load_spectators import Crowd, Orders, Spectator, read_frame
from leaderboards.bench.load_truth import Moves, compared
from leaderboards.bench.plot import Chart, nice, svg

SENT = [["a", 1, "d", "k1", 0.0, 0.0, 0.1], ["a", 2, "t18", "k2", 1.0, 1.0, 1.1], ["b", 1, "d", "k3", 0.0, 0.0, None]]
LOGGED = [("a", 1, "d", "k1"), ("a", 2, "t18", "k2")]


def test_moves_that_are_there_once_are_neither_lost_nor_doubled() -> None:
    found = compared(SENT, [*LOGGED, ("b", 1, "d", "k3")])
    assert (found.acknowledged, found.lost, found.doubled, found.unanswered) == (2, 0, 0, 1)


@pytest.mark.parametrize(
    ("logged", "lost", "doubled"),
    [
        (LOGGED[:1], 1, 0),
        ([LOGGED[0], ("a", 2, "t19", "k2")], 1, 0),
        ([*LOGGED, ("a", 3, "t18", "k2")], 0, 1),
        ([*LOGGED, ("a", 3, "d", "never sent")], 0, 1),
    ],
)
def test_an_acknowledged_move_that_is_missing_or_there_twice_is_found(
    logged: list[tuple[str, int, str, str]], lost: int, doubled: int
) -> None:
    found = compared(SENT, logged)
    assert (found.lost, found.doubled) == (lost, doubled)


def frame(kind: str, version: int, previous: int = -1, players: int = 0, finished: int = 0) -> bytes:
    counts = {"players": players, "playing": 0, "finished": finished}
    said = {"type": kind, "version": version, "previous": previous, "counts": counts}
    if kind == "heartbeat":
        said = {"type": kind, "versions": [{"version": version}]}
    return json.dumps(said).encode()


async def test_a_spectator_counts_gaps_and_repeats_and_notes_what_each_frame_brought() -> None:
    crowd = Crowd(Orders("http://127.0.0.1:1", "daily-2026-11-30", 1))
    one = Spectator(crowd)
    for payload in (
        frame("snapshot", 5, players=3, finished=1),
        frame("event", 6, 5, players=4, finished=1),
        frame("event", 6, 5, players=4, finished=1),
        frame("event", 9, 8, players=5, finished=2),
        frame("snapshot", 9, players=5, finished=2),
        frame("heartbeat", 9),
        frame("heartbeat", 10),
    ):
        one._take(read_frame(payload))
    assert (crowd.twice, crowd.lost, crowd.resyncs, one.version) == (1, 2, 2, 9)
    assert {key: len(times) for key, times in crowd.seen.items()} == {(3, 1, 4, 1): 1, (4, 1, 5, 2): 1}


REACHED: dict[str, Any] = {
    "move_ack_ms": {"p99": 100.0},
    "commit_to_socket_ms": {"p99": 400.0},
    "spectators": {"lost": 0, "twice": 0, "reconnects": 0, "behind_at_the_end": 0},
    "standings": {"different": 0, "copy": "same", "verified": True},
    "errors": {},
    "sent_again": {},
}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("sent_again", {"unavailable": 3}, "nothing sent again"),
        ("errors", {"internal_error": 1}, "no errors"),
        ("spectators", {**REACHED["spectators"], "reconnects": 1}, "no spectator dropped"),
        ("commit_to_socket_ms", {"samples": 0}, "p99 from commit to socket under 1500 ms"),
        ("move_ack_ms", {"samples": 0}, "p99 of a move's answer under 150 ms"),
    ],
)
def test_what_the_client_hides_from_a_player_is_a_target_missed(name: str, value: dict[str, Any], said: str) -> None:
    moves = Moves(acknowledged=10, lost=0, doubled=0, unanswered=0)
    assert missed(REACHED, moves) == []
    assert missed({**REACHED, name: value}, moves) == [said]


def test_what_befell_spectators_before_the_run_is_no_part_of_it() -> None:
    told = dict.fromkeys(("lost", "twice", "resyncs", "frames", "bytes"), 0)
    seen = Seen(
        "daily-2026-11-30", spectators=[{**told, "reconnects": 3}, {**told, "reconnects": 1}], connected_before=3
    )
    assert watched(seen)["reconnects"] == 1


def test_percentiles_are_measured_values_and_seconds_are_whole() -> None:
    assert percentiles([float(value) for value in range(1, 101)]) == {
        "p50": 50, "p95": 95, "p99": 99, "max": 100, "samples": 100,
    }  # fmt: skip
    assert percentiles([]) == {"samples": 0}
    assert by_second([(1.2, 7.0), (0.9, 3.0), (1.9, 5.0)]) == {0: [3.0], 1: [7.0, 5.0]}
    assert shares(5, 2) == [3, 2]
    assert shares(1, 2) == [1]
    assert Seen("daily-2026-11-30", moves=SENT).answered == SENT[:2]


def test_the_chart_is_svg_with_a_line_for_each_series() -> None:
    drawn = svg(
        [Chart("a < b", "ms", {"p50": [(0, 1.0), (1, 2.0)], "p99": [(0, 3.0)]}, mark=150)], notes=[(1, "killed")]
    )
    root = ET.fromstring(drawn)
    assert len(root.findall(".//{http://www.w3.org/2000/svg}polyline")) == 2
    assert [nice(value) for value in (0.3, 7, 150, 200, 4301)] == [0.5, 10, 200, 200, 5000]
