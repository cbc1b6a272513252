"""From a finish to the boards of those who watch: the worker's hold reaches open sockets."""

from __future__ import annotations

import time

from leaderboards.models import Board
from leaderboards.moderation.models import Exclusion
from tests.moderation.playing import EASY, best_line, play, somebody
from tests.moderation.test_queue import empty_queue
from tests.moderation.working import until, worker
from tests.processes import ServerProcess
from tests.realtime.conftest import committed, live
from tests.realtime.sockets import Spectator

__all__ = ["committed", "empty_queue", "live"]


def test_a_held_result_leaves_the_board_that_is_watched_within_five_seconds(committed: ServerProcess) -> None:
    line = best_line()
    with worker() as running, Spectator(committed, EASY) as spectator:
        seen = play(somebody("alice"), line)

        def seconds(number: int) -> float:
            copied = play(somebody(f"mallory {number}"), line, pace_ms=60)
            begun = time.monotonic()
            until(lambda: Exclusion.objects.filter(pk=copied.pk).exists(), 60, running.logs)
            version = Board.objects.get(scope=EASY, kind="people", view="best").version
            spectator.until(version, timeout=60)
            took = time.monotonic() - begun
            assert [row["player"]["name"] for row in spectator.standings.rows] == ["alice"]
            return took

        assert any(seconds(number) < 5 for number in range(5)), "a machine that does much else is not slow always"
        assert seen.player.name == "alice"
        assert running.end() == 0
        assert running.logs() == ""
