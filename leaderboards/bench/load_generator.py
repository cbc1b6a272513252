"""The processes of the load generator: players and spectators, begun, let go, and asked for what they have seen."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Protocol

from django.conf import settings

from games.client import Client

from . import load_players, load_spectators
from .pipes import end, expect_line, read_line, write_line

SETTLE_SECONDS: Final = 30.0
GAME_SECONDS: Final = 75.0  # a game takes longer than that


class Stage(Protocol):
    """What is loaded: the site's Topology, which nothing here may import."""

    url: str
    database_url: str

    @property
    def environment(self) -> dict[str, str]: ...

    def pids(self) -> dict[str, list[int]]: ...


@dataclass
class Seen:
    """What the generator has seen. Instants: `began` on the monotonic clock and since 1970 say how to compare them."""

    board: str
    began: float = 0.0
    began_at: float = 0.0
    seconds: float = 0.0
    moves: list[list[Any]] = field(default_factory=list)
    """attempt, ply it led to, move, move id, due, sent, answered (None: not)"""
    starts: list[list[Any]] = field(default_factory=list)
    errors: list[list[Any]] = field(default_factory=list)
    repeated: Counter[str] = field(default_factory=Counter)
    """What players had to send again, by code."""
    connected_before: int = 0
    """How often spectators had connected again before the run began: thousands come at once then."""
    ended: int = 0
    stuck_threads: int = 0
    spectators: list[dict[str, Any]] = field(default_factory=list)

    @property
    def answered(self) -> list[list[Any]]:
        """The moves that the server has acknowledged."""
        return [move for move in self.moves if move[6] is not None]


class Generator:
    """Players and spectators in processes of their own. A context manager; at its end they have ended."""

    def __init__(
        self, stage: Stage, *, players: int, spectators: int, seconds: float, processes: int = 2, played: int = 46
    ) -> None:
        self._stage = stage
        self._players, self._spectators, self._seconds = players, spectators, seconds
        self._processes, self._played = processes, played
        self._stack = contextlib.ExitStack()
        self._player_processes: list[subprocess.Popen[str]] = []
        self._spectator_processes: list[subprocess.Popen[str]] = []
        self.seen: Seen

    def __enter__(self) -> Generator:
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

    def pids(self) -> list[int]:
        """Of its processes."""
        return [process.pid for process in (*self._player_processes, *self._spectator_processes)]

    def _start(self) -> None:
        url = self._stage.url
        with Client(url) as client:
            self.seen = Seen(f"daily-{client.daily()['date']}")
        games = 1 + int(self._seconds / GAME_SECONDS) + 1
        tokens = _accounts(self._players * games, self._stage.environment)
        for share in shares(self._spectators, self._processes):
            orders = load_spectators.Orders(url, self.seen.board, share)
            self._spectator_processes.append(self._process("load_spectators", asdict(orders)))
        for process in self._spectator_processes:
            expect_line(process, "ready")
        at = 0
        for number, share in enumerate(shares(self._players, self._processes)):
            own = [tokens[(at + player) * games : (at + player + 1) * games] for player in range(share)]
            at += share
            playing = load_players.Orders(url, own, self._seconds, number, self._played)
            self._player_processes.append(self._process("load_players", asdict(playing)))
        for process in self._player_processes:
            expect_line(process, "ready")

    def _process(self, name: str, orders: Mapping[str, Any]) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.{name}"],
            cwd=settings.BASE_DIR,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._stack.callback(end, process)
        write_line(process, json.dumps(orders))
        return process

    def go(self) -> None:
        """Let the players play."""
        self.seen.connected_before = sum(told["reconnects"] for told in self._spectators_told())
        self.seen.began, self.seen.began_at, self.seen.seconds = time.monotonic(), time.time(), self._seconds
        for process in self._player_processes:
            write_line(process, "go")

    def versions(self) -> dict[int, int]:
        """How many spectators have which version of the board (-1: none)."""
        found: dict[int, int] = {}
        for told in self._spectators_told():
            for version, count in told["versions"].items():
                found[int(version)] = found.get(int(version), 0) + count
        return found

    def _spectators_told(self) -> Iterator[dict[str, Any]]:
        for process in self._spectator_processes:
            write_line(process, "versions")
            yield json.loads(read_line(process))

    def players_end(self) -> Seen:
        """Wait for the end of the run (and of what is still on its way then); all that the players did."""
        for process in self._player_processes:
            told = json.loads(read_line(process))
            for name in ("moves", "starts", "errors"):
                getattr(self.seen, name).extend(told[name])
            self.seen.repeated.update(told["repeated"])
            self.seen.ended += told["ended"]
            self.seen.stuck_threads += told["stuck_threads"]
        return self.seen

    def settle(self, version: int, *, timeout: float = SETTLE_SECONDS) -> int:
        """Wait until every spectator has this version; how many have not."""
        deadline = time.monotonic() + timeout
        while True:
            behind = sum(count for one, count in self.versions().items() if one != version)
            if not behind or time.monotonic() > deadline:
                return behind
            time.sleep(0.5)

    def spectators_end(self) -> Seen:
        """What the spectators have seen in all."""
        for process in self._spectator_processes:
            write_line(process, "stop")
        self.seen.spectators = [json.loads(read_line(process)) for process in self._spectator_processes]
        return self.seen


def shares(whole: int, parts: int) -> list[int]:
    """`whole` in `parts` nearly equal numbers, without zeros."""
    each = [whole // parts + (number < whole % parts) for number in range(parts)]
    return [share for share in each if share]


def _accounts(count: int, environment: Mapping[str, str]) -> list[str]:
    command = [sys.executable, "-m", f"{__package__}.load_accounts", str(count)]
    env = {**os.environ, **environment}
    done = subprocess.run(command, cwd=settings.BASE_DIR, env=env, capture_output=True, text=True, check=True)
    tokens: list[str] = json.loads(done.stdout)
    return tokens
