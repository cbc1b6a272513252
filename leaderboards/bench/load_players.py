"""Paced players in one process of the load generator, each a thread on the API client (games/client.py).

    python -m leaderboards.bench.load_players          (a line of JSON in, see `Orders`; `ready`; `go` in; a path out)

Open loop: each move has a planned time, whatever became of the one before, and its latency counts from then, so that a
slow server is not hidden by players who wait for it. Every move that was sent is written down, with what came of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from games.client import ApiError, Client
from games.client_shapes import Attempt
from games.client_sockets import PlaySocket

THINK_MEDIAN: Final = 1.9
THINK_SIGMA: Final = 0.55  # of the logarithm: mean 2.2 s, one in twenty above 4.7 s
SHORTEST, LONGEST = 0.25, 15.0
PATIENCE: Final = 90.0  # seconds a player goes on trying: fault runs cut links for 30 s
SILENCE: Final = 15.0  # seconds without a frame after which a socket counts as gone: three heartbeats


@dataclass(frozen=True)
class Orders:
    """What a process of players is told."""

    url: str
    tokens: list[list[str]]
    """One list a player: an account a game, for a daily is played once."""
    seconds: float
    seed: int
    played: int
    """How many moves of their first game they have made at most when the run begins, so that games end all the time."""


@dataclass
class Log:
    """What one player did. Times: seconds of the machine's monotonic clock."""

    moves: list[list[Any]] = field(default_factory=list)
    """attempt, ply it led to, move, move id, due, sent, answered (None: not)"""
    starts: list[list[Any]] = field(default_factory=list)
    """due, answered"""
    errors: list[list[Any]] = field(default_factory=list)
    """when, code"""
    repeated: Counter[str] = field(default_factory=Counter)
    """What the client sent again in the run, and so got an answer to after all, by code."""
    ended: int = 0


class Player(threading.Thread):
    """One player: games of the daily, one after the other."""

    def __init__(self, number: int, orders: Orders, begin: threading.Event) -> None:
        super().__init__(name=f"player-{number}", daemon=True)
        self.log = Log()
        self.ready = threading.Event()
        self._orders = orders
        self._tokens = iter(orders.tokens[number])
        self._choose = random.Random(f"{orders.seed}/{number}")
        self._begin = begin
        self.until = 0.0

    def run(self) -> None:
        orders, choose = self._orders, self._choose
        due = 0.0
        first = True
        for token in self._tokens:
            client = Client(orders.url, token, timeout=SILENCE, patience=PATIENCE)
            link = PlaySocket(orders.url, token, timeout=SILENCE, patience=PATIENCE)
            with contextlib.closing(link):
                attempt = self._start(client, link, due)
                if attempt is None:
                    due = time.monotonic() + 1.0
                    continue
                if first:
                    attempt = self._play_ahead(link, attempt, choose.randint(0, orders.played))
                    self.ready.set()
                    self._begin.wait()
                    due = time.monotonic() + choose.uniform(0, 2 * THINK_MEDIAN)
                    client.repeated.clear()  # three hundred games begun at once are no part of the run
                    link.repeated.clear()
                    first = False
                else:
                    due += self._think()
                due = self._play(link, attempt, due) + self._think()
                self.log.repeated += client.repeated + link.repeated
            if due >= self.until:
                break
        self.ready.set()

    def _start(self, client: Client, link: PlaySocket, due: float) -> Attempt | None:
        time.sleep(max(0.0, due - time.monotonic()))
        try:
            with client:
                attempt = client.start_daily()
                link.resume(attempt["id"])
        except ApiError as error:
            self.log.errors.append([time.monotonic(), f"start: {error.code}"])
            return None
        if due:
            self.log.starts.append([due, time.monotonic()])
        return attempt

    def _play_ahead(self, link: PlaySocket, attempt: Attempt, moves: int) -> Attempt:
        for _ in range(moves):
            if not attempt["legal"] or attempt["outcome"]:
                break
            attempt = self._move(link, attempt, time.monotonic())
        return attempt

    def _play(self, link: PlaySocket, attempt: Attempt, due: float) -> float:
        """To the end of the game or of the run; when the next thing is due."""
        while due < self.until and not attempt["outcome"] and attempt["legal"]:
            time.sleep(max(0.0, due - time.monotonic()))
            attempt = self._move(link, attempt, due)
            due += self._think()
        self.log.ended += bool(attempt["outcome"])
        return due

    def _move(self, link: PlaySocket, attempt: Attempt, due: float) -> Attempt:
        removes = [move for move in attempt["legal"] if move.startswith("t")]
        move = self._choose.choice(removes or attempt["legal"])
        key = f"{self._choose.getrandbits(64):016x}"
        entry: list[Any] = [attempt["id"], attempt["ply"] + 1, move, key, due, time.monotonic(), None]
        self.log.moves.append(entry)
        try:
            reply = link.move(attempt["id"], move, attempt["ply"], key)
        except ApiError as error:
            self.log.errors.append([time.monotonic(), error.code])
            return self._again(link, attempt)
        entry[6] = time.monotonic()
        return reply["attempt"]

    def _again(self, link: PlaySocket, attempt: Attempt) -> Attempt:
        """As it stands, after a refusal; a game that cannot be asked for is left."""
        try:
            return link.resume(attempt["id"], attempt["ply"])
        except ApiError as error:
            self.log.errors.append([time.monotonic(), f"resume: {error.code}"])
            return {**attempt, "legal": []}

    def _think(self) -> float:
        seconds = self._choose.lognormvariate(0.0, THINK_SIGMA) * THINK_MEDIAN
        return min(max(seconds, SHORTEST), LONGEST)


def _end_with_our_maker() -> None:
    """Its end closes our input; nobody is left then to be told anything."""
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    """See the module."""
    orders = Orders(**json.loads(sys.stdin.readline()))
    threading.stack_size(256 * 1024)
    begin = threading.Event()
    players = [Player(number, orders, begin) for number in range(len(orders.tokens))]
    for player in players:
        player.start()
    for player in players:
        player.ready.wait()
    print("ready", flush=True)  # noqa: T201
    until = time.monotonic() + orders.seconds if sys.stdin.readline().startswith("go") else 0.0
    threading.Thread(target=_end_with_our_maker, daemon=True).start()
    for player in players:
        player.until = until
    begin.set()
    for player in players:
        player.join(max(0.1, until + PATIENCE + 10 - time.monotonic()))
    logs = [player.log for player in players]
    told = {
        "moves": [move for log in logs for move in log.moves],
        "starts": [start for log in logs for start in log.starts],
        "errors": [error for log in logs for error in log.errors],
        "repeated": sum((log.repeated for log in logs), Counter()),
        "ended": sum(log.ended for log in logs),
        "stuck_threads": sum(player.is_alive() for player in players),
    }
    print(json.dumps(told), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
