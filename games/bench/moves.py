"""What one accepted move costs the server: CPU per move over the socket and over REST, next to a bare psycopg loop.

The floor is one single-row INSERT and one single-row UPDATE in a transaction by a bare psycopg connection, measured in
the same run on the same PostgreSQL. CPU time counts, not wall time: it hardly depends on what else the machine does.
"""

from __future__ import annotations

import datetime as dt
import http.client
import json
import secrets
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import psycopg
from django.conf import settings
from django.db import connection
from websockets.sync.client import connect

from games import clock
from games.engine.codes import parse_code
from games.engine.moves import parse_log
from games.models import Player
from games.services import attempt_move, attempt_start
from games.services.credentials import credential_create

from .processes import bench_server, cpu_seconds

CODE: Final = "TP1-E-AAAAAAB"
LINE: Final = (
    "d d d d t20 d d t24 t23 t22 t18 t21 t19 d t9 t11 t14 t27 t25 t26 t16 t13 d t10 t12 t15 t17 d t8 d d t6 d t3 t5 t4 t0 "
    "t7 d d d t2 d d d d d d d t1"
).split()
PLAYED: Final = 30
CLIENTS: Final = 4
LIMITS_OFF: Final = {"TRIPEAKS_THROTTLE_MOVE": "1000000/60", "TRIPEAKS_SOCKET_FRAMES_PER_SECOND": "1000000"}


class Floor:
    """The bare loop: its CPU microseconds per transaction, a slice at a time."""

    def __init__(self) -> None:
        self.link = psycopg.connect(settings.DATABASE_URL)
        self.ply = 0
        self.link.execute("DROP TABLE IF EXISTS bench_attempt, bench_move")
        self.link.execute("CREATE TABLE bench_attempt (id bigint PRIMARY KEY, ply int, score int, at timestamptz)")
        self.link.execute(
            "CREATE TABLE bench_move (attempt_id bigint, ply int, move int, move_id text, at timestamptz,"
            " PRIMARY KEY (attempt_id, ply))"
        )
        self.link.execute("INSERT INTO bench_attempt VALUES (1, 0, 500, now())")
        self.link.commit()

    def slice_us(self, rounds: int = 300) -> float:
        now = dt.datetime.now(dt.UTC)
        link = self.link
        before = time.thread_time()
        for ply in range(self.ply, self.ply + rounds):
            link.execute("INSERT INTO bench_move VALUES (1, %s, %s, %s, %s)", (ply, 3, "m", now))
            link.execute("UPDATE bench_attempt SET ply = %s, score = %s, at = %s WHERE id = 1", (ply, 490, now))
            link.commit()
        self.ply += rounds
        return (time.thread_time() - before) / rounds * 1e6

    def close(self) -> None:
        self.link.execute("DROP TABLE bench_attempt, bench_move")
        self.link.commit()
        self.link.close()


def _prepare(attempts: int) -> tuple[str, list[str]]:
    """A bot's token and that many attempts of it, each 30 plies into the same game."""
    now = clock.now()
    owner = Player.objects.create(kind="person", name=f"bench {secrets.token_hex(4)}", name_key=secrets.token_hex(8))
    bot = Player.objects.create(
        kind="bot", owner=owner, name=f"bench bot {secrets.token_hex(4)}", name_key=secrets.token_hex(8)
    )
    credential, token = credential_create(player=bot, kind="token", via="bearer", name="bench", now=now)
    made = []
    for index in range(attempts):
        attempt, _ = attempt_start(
            player_id=bot.pk, code=parse_code(CODE), start_key=f"bench{index}", practice=False, now=now
        )
        for ply, move in enumerate(parse_log(" ".join(LINE[:PLAYED]))):
            attempt_move(
                attempt_id=attempt.public_id,
                token_hash=bytes(credential.token_hash),
                via="bearer",
                move=move,
                expected_ply=ply,
                move_id=f"m{ply}",
                now=now,
            )
        made.append(attempt.public_id)
    return token, made


Play = Callable[[str, int], None]


def _rest_player(address: str, token: str) -> tuple[Play, Callable[[], None]]:
    link = http.client.HTTPConnection(address, timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def play(attempt: str, ply: int) -> None:
        body = json.dumps({"move": LINE[ply], "expected_ply": ply, "move_id": f"m{ply}"})
        link.request("POST", f"/api/v1/attempts/{attempt}/moves", body, headers)
        answer = link.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"ply {ply}: {answer.status} {text[:300]!r}")

    return play, link.close


def _socket_player(address: str, token: str) -> tuple[Play, Callable[[], None]]:
    link = connect(
        f"ws://{address}/ws/v1/play",
        additional_headers={"Authorization": f"Bearer {token}"},
        max_size=2**20,
        compression=None,
    )

    def play(attempt: str, ply: int) -> None:
        link.send(
            json.dumps(
                {"type": "move", "attempt": attempt, "move": LINE[ply], "expected_ply": ply, "move_id": f"m{ply}"}
            )
        )
        while True:
            answer = json.loads(link.recv(30))
            if answer["type"] == "error":
                raise RuntimeError(f"ply {ply}: {answer}")
            if answer["type"] == "ack":
                return

    return play, link.close


class Way:
    """One way to play (REST or socket): four clients, and what the server paid for their moves."""

    def __init__(self, pid: int, players: list[tuple[Play, Callable[[], None]]], attempts: list[str]) -> None:
        self.pid, self.players, self.attempts = pid, players, attempts
        self.waits: list[float] = []
        self.cpu_us: list[float] = []
        self.ratios: list[float] = []
        self.seconds = 0.0

    def _play(self, client: int, attempts: list[str]) -> list[float]:
        play, _ = self.players[client]
        waits = []
        for attempt in attempts:
            for ply in range(PLAYED, len(LINE) - 1):  # the last move would end the attempt, which costs more
                begun = time.perf_counter()
                play(attempt, ply)
                waits.append((time.perf_counter() - begun) * 1000)
        return waits

    def round(self, pool: ThreadPoolExecutor, floor_us: float | None) -> None:
        """Every client plays two attempts; without a floor it only warms up."""
        mine = [[self.attempts.pop() for _ in range(2)] for _ in self.players]
        cpu, begun = cpu_seconds(self.pid), time.perf_counter()
        waits = [wait for played in pool.map(self._play, range(len(mine)), mine) for wait in played]
        cpu, taken = cpu_seconds(self.pid) - cpu, time.perf_counter() - begun
        if floor_us is not None:
            self.waits += waits
            self.seconds += taken
            self.cpu_us.append(cpu / len(waits) * 1e6)
            self.ratios.append(self.cpu_us[-1] / floor_us)

    def figure(self, target: float) -> dict[str, Any]:
        waits = sorted(self.waits)
        return {
            "ratio": statistics.median(self.ratios),
            "target": target,
            "cpu_us": statistics.median(self.cpu_us),
            "p50_ms": waits[len(waits) // 2],
            "p99_ms": waits[int(len(waits) * 0.99)],
            "moves_per_s": len(waits) / self.seconds,
            "samples": len(waits),
        }


def run(serving: Sequence[str], *, rounds: int = 16) -> dict[str, Any]:
    """Both ways and the floor, turn by turn, so that a busy moment of the machine touches all three alike.

    A round is 300 transactions of the floor and 152 moves of each way; the ratio is the median over the rounds.
    `serving`: as in `bench_server`.
    """
    each = (rounds + 1) * 2 * CLIENTS
    token, made = _prepare(each * 2)
    connection.close()
    floor = Floor()
    floors: list[float] = []
    with bench_server(serving, LIMITS_OFF) as (address, pid), ThreadPoolExecutor(CLIENTS) as pool:
        ways = [
            Way(pid, [player(address, token) for _ in range(CLIENTS)], attempts)
            for player, attempts in ((_rest_player, made[:each]), (_socket_player, made[each:]))
        ]
        floor.slice_us()
        for way in ways:
            way.round(pool, None)
        for _ in range(rounds):
            before = floor.slice_us()
            for way in ways:
                way.round(pool, (before + (after := floor.slice_us())) / 2)
                floors.append(before)
                before = after
        for way in ways:
            for _, close in way.players:
                close()
    floor.close()
    rest, socket = ways
    return {
        "name": "moves",
        "floor_us": statistics.median(floors),
        "floor": "bare psycopg: one INSERT and one UPDATE in a transaction, client CPU",
        "socket": socket.figure(5),
        "rest": rest.figure(12),
    }
