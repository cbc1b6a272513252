"""One standings event to 5,000 sockets of a process, next to `websockets.broadcast` doing the same in the same run.

With several processes each has its share of the sockets, the floor as many as one of them. Afterwards some more sockets
of each process stop reading; they must hold up nobody, cost a bounded amount of memory, and have the truth when they read again.

The server is the real standings socket on uvicorn; an event is a real result: a bot's last move, committed and
announced here, carried by Redis to the server's relay, read from the board, encoded once and written to all. The floor
broadcasts a frame of 1 KB. Both have the same light clients, in a process of their own; events alternate. Times run from the
moment the server begins to write (for the floor: calls `broadcast`) until the last client has the whole frame.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import secrets
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from games import clock
from games.bench.processes import free_port
from games.engine.cards import parse_cards
from games.engine.codes import composed_code
from games.engine.rulesets import find_ruleset
from games.models import Attempt, Credential, Player
from games.services import attempt_move, attempt_start
from games.services.credentials import credential_create

from .pipes import end, expect_line, read_line, write_line

# Clears in one chain, slots in this order, without a draw (the cases' deck Z).
DECK: Final = (
    "4C 5C 6C 4D 3C 2C AC 2D 3D KC QC JC TC 9C 8C 7C 6D 5D 3H 4H 5H 6H 7D 8D 9D TD JD QD 2H 7H 9H JH AD AH AS 2S 3S 4S "
    "5S 6S 7S 8H 8S 9S TH TS JS QH QS KD KH KS"
)
LINE: Final = (*range(18, 28), *range(9, 18), *range(3, 9), 0, 1, 2)
ON_BOARD: Final = 20  # results already there: an event is then about 1 KB
FLOOR_BYTES: Final = 1024
EVENT_SECONDS: Final = 15.0
WAIT_SECONDS: Final = 0.4  # the clients wait by then, and the feed's pause after the event before is over
SLOW_SECONDS: Final = 4.0
SPARE_FILES: Final = 200


def run(
    serving: Sequence[str], sockets: int = 5000, events: int = 20, processes: int = 1, slow: int = 25
) -> dict[str, Any]:
    """Figures of `events` events to `sockets` sockets, milliseconds; `lost` counts frames that did not come in time.

    `serving`: uvicorn's application and options, the site's own; the application is replaced by one that tells times.
    `slow`: how many sockets of each process stop reading in the end.
    """
    share = min(sockets // processes, _raise_file_limit() - SPARE_FILES - slow)
    sockets = share * processes
    players = _Players(ON_BOARD + events + 2)
    for number in range(ON_BOARD):
        players.finish(number)
    with contextlib.ExitStack() as stack:
        ports, floor_port = [free_port() for _ in range(processes)], free_port()
        ours = [stack.enter_context(_process(*_uvicorn(port, serving[1:]))) for port in ports]
        floor = stack.enter_context(_process("-m", f"{__package__}.fanout_floor", str(floor_port), str(FLOOR_BYTES)))
        for port in (*ports, floor_port):
            _wait_for_port(port)
        read_line(floor)
        hello = json.dumps({"type": "subscribe", "board": players.board, "kind": "bots", "view": "best"})
        with _clients(ports[0], "/", 1, hello):
            pass  # what a process loads once
        empty = _memory_kb(ours)
        clients = [stack.enter_context(_clients(port, "/", share, hello)) for port in ports]
        full = _memory_kb(ours)
        floor_clients = stack.enter_context(_clients(floor_port, "/", share, ""))
        measured = _Series(), _Series()
        for event in range(-1, events):  # the first of each warms up
            _ask(floor_clients)
            write_line(floor, "go")
            began = int(read_line(floor))
            measured[0].add(event, began, began, [_answer(floor_clients)])
            _event(players, ON_BOARD + 1 + event, ours, clients, measured[1])
        slow_figures = _slow_readers(players, ports, ours, clients, hello, slow) if slow else {}
    floor_figures, our_figures = measured[0].figures(share), measured[1].figures(sockets)
    return {
        "name": f"fanout: one standings event to {sockets:,} sockets of {processes} process{'es' * (processes > 1)}",
        "sockets": sockets,
        "processes": processes,
        "events": events,
        "memory_kb_a_socket": (full - empty) / sockets,
        "websockets_broadcast_ms": floor_figures,
        "standings_socket_ms": our_figures,
        "ratio_p50": our_figures["p50"] / floor_figures["p50"],
        "ratio_best": our_figures["best"] / floor_figures["best"],
        "target_ratio": 1.5,
        "slow_readers": slow_figures,
    }


Processes = Sequence[subprocess.Popen[str]]


def _event(players: _Players, number: int, servers: Processes, clients: Processes, series: _Series) -> None:
    """One more result, to all sockets of all processes."""
    for each in clients:
        write_line(each, str(EVENT_SECONDS))
    time.sleep(WAIT_SECONDS)
    players.finish(number)
    committed = time.monotonic_ns()
    began = min(int(read_line(server)) for server in servers)
    series.add(number - ON_BOARD - 1, began, committed, [_answer(each) for each in clients])


def _slow_readers(
    players: _Players, ports: Sequence[int], servers: Processes, clients: Processes, hello: str, slow: int
) -> dict[str, Any]:
    """`slow` more sockets of each process ask for snapshots and read none, then one event, then they read."""
    before = _memory_kb(servers)
    resync = json.dumps({**json.loads(hello), "type": "resync"})
    arguments = ["-m", f"{__package__}.fanout_slow", "/", str(slow), hello, resync, *map(str, ports)]
    with _process(*arguments) as sleepers:
        read_line(sleepers)
        asked = int(read_line(sleepers))
        meanwhile = _Series()
        _event(players, ON_BOARD + 1 + players.events, servers, clients, meanwhile)
        held = _memory_kb(servers) - before
        write_line(sleepers, str(SLOW_SECONDS))
        answer = json.loads(read_line(sleepers))
    newest = max(answer["versions"])
    return {
        "sockets": slow * len(ports),
        "snapshots_asked_for": asked,
        "snapshots_sent": answer["snapshots"],
        "memory_kb_a_socket": held / (slow * len(ports)),
        "event_to_the_others_ms": meanwhile.last[0],
        "have_the_truth": sum(version == newest for version in answer["versions"]),
    }


def _memory_kb(servers: Processes) -> float:
    """Resident memory of all; 0 where /proc does not tell."""
    total = 0
    for server in servers:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{server.pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    total += int(line.split()[1])
    return total


class _Series:
    """Times of one side."""

    def __init__(self) -> None:
        self.last: list[float] = []
        self.whole: list[float] = []
        self.lost = 0
        self.twice = 0
        self.bytes = 0
        self.expected = 0

    def add(self, event: int, began: int, committed: int, answers: Sequence[dict[str, int]]) -> None:
        self.lost -= sum(answer["got"] for answer in answers)
        self.twice += sum(answer["twice"] for answer in answers)
        self.expected += 1
        if event >= 0:
            last = max(answer["last_ns"] for answer in answers)
            self.last.append((last - began) / 1e6)
            self.whole.append((last - committed) / 1e6)
            self.bytes = answers[0]["bytes"]

    def figures(self, sockets: int) -> dict[str, Any]:
        return {
            "best": min(self.last),
            "p50": statistics.median(self.last),
            "p99": sorted(self.last)[max(0, -(-len(self.last) * 99 // 100) - 1)],
            "from_commit_p50": statistics.median(self.whole),
            "samples": len(self.last),
            "frame_bytes": self.bytes,
            "lost": self.lost + self.expected * sockets,
            "twice": self.twice,
        }


class _Players:
    """Bots, each one move from winning the same composed deal."""

    def __init__(self, count: int) -> None:
        now = clock.now()
        owner = Player.objects.create(
            kind="person", name=f"bench {secrets.token_hex(4)}", name_key=secrets.token_hex(8)
        )
        cards = parse_cards(DECK)
        code = composed_code(find_ruleset("R").letters, cards)
        self.board = code.text
        self.events = count - ON_BOARD - 2
        self._attempts: list[tuple[Attempt, Credential]] = []
        for number in range(count):
            bot = Player.objects.create(
                kind="bot", owner=owner, name=f"bench {secrets.token_hex(4)}", name_key=secrets.token_hex(8)
            )
            credential, _ = credential_create(player=bot, kind="token", via="bearer", name="bench", now=now)
            attempt, _ = attempt_start(player_id=bot.pk, code=code, start_key="bench", practice=False, now=now)
            self._attempts.append((attempt, credential))
            for ply in range(len(LINE) - 1):
                self._move(number, ply)

    def finish(self, number: int) -> None:
        """The last move of one bot: a new row on the board."""
        self._move(number, len(LINE) - 1)

    def _move(self, number: int, ply: int) -> None:
        attempt, credential = self._attempts[number]
        attempt_move(
            attempt_id=attempt.public_id,
            token_hash=bytes(credential.token_hash),
            via="bearer",
            move=LINE[ply],
            expected_ply=ply,
            move_id=f"m{ply}",
            now=clock.now(),
        )


# --- processes -----------------------------------------------------------------------------------------------------


def _raise_file_limit() -> int:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = 1_000_000 if hard == resource.RLIM_INFINITY else hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def _uvicorn(port: int, options: Sequence[str]) -> Sequence[str]:
    where = ["--host", "127.0.0.1", "--port", str(port), "--ws-ping-interval", "0"]  # the light clients answer no pings
    return ["-m", "uvicorn", f"{__package__}.fanout_server:application", *options, *where]


@contextlib.contextmanager
def _process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=settings.BASE_DIR,
        env={
            **os.environ,
            "DATABASE_URL": settings.DATABASE_URL,
            "REDIS_URL": settings.REDIS_URL,
            "TRIPEAKS_SECRET_KEY": settings.SECRET_KEY,
            "TRIPEAKS_SOCKETS_PER_ADDRESS": "1000000",
            "TRIPEAKS_SOCKET_FRAMES_PER_SECOND": "1000000",
            "TRIPEAKS_THROTTLE_SOCKET": "1000000/60",
            "TRIPEAKS_THROTTLE_READ": "1000000/60",
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        end(process)


@contextlib.contextmanager
def _clients(port: int, path: str, count: int, hello: str) -> Iterator[subprocess.Popen[str]]:
    arguments = ["-m", f"{__package__}.fanout_client", "127.0.0.1", str(port), path, str(count), hello]
    with _process(*arguments) as process:
        expect_line(process, "ready")
        yield process


def _ask(clients: subprocess.Popen[str]) -> None:
    write_line(clients, str(EVENT_SECONDS))
    time.sleep(WAIT_SECONDS)


def _answer(clients: subprocess.Popen[str]) -> dict[str, int]:
    answer: dict[str, int] = json.loads(read_line(clients))
    return answer


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        if time.monotonic() > deadline:
            raise RuntimeError("a server of the benchmark did not start")
        time.sleep(0.05)
