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
import threading
import time
from collections.abc import Callable
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


def floor_cpu_us(rounds: int = 3000) -> float:
    """CPU microseconds of the bare loop per transaction, the better half of its rounds."""
    url = settings.DATABASE_URL
    with psycopg.connect(url) as link:
        link.execute("DROP TABLE IF EXISTS bench_attempt, bench_move")
        link.execute("CREATE TABLE bench_attempt (id bigint PRIMARY KEY, ply int, score int, at timestamptz)")
        link.execute(
            "CREATE TABLE bench_move (attempt_id bigint, ply int, move int, move_id text, at timestamptz,"
            " PRIMARY KEY (attempt_id, ply))"
        )
        link.execute("INSERT INTO bench_attempt VALUES (1, 0, 500, now())")
        link.commit()
        now = dt.datetime.now(dt.UTC)
        slices: list[float] = []
        for piece in range(10):
            before = time.process_time()
            for ply in range(piece * rounds // 10, (piece + 1) * rounds // 10):
                link.execute("INSERT INTO bench_move VALUES (1, %s, %s, %s, %s)", (ply, 3, "m", now))
                link.execute("UPDATE bench_attempt SET ply = %s, score = %s, at = %s WHERE id = 1", (ply, 490, now))
                link.commit()
            slices.append((time.process_time() - before) / (rounds // 10) * 1e6)
        link.execute("DROP TABLE bench_attempt, bench_move")
        link.commit()
        return statistics.median(slices)


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


def _measure(
    address: str,
    pid: int,
    token: str,
    attempts: list[str],
    player: Callable[[str, str], tuple[Play, Callable[[], None]]],
) -> dict[str, Any]:
    """Play plies 31–49 of every attempt with four clients; the first attempt of each client only warms up."""
    waits: list[float] = []
    faults: list[BaseException] = []
    warm = threading.Barrier(CLIENTS + 1)
    done = threading.Barrier(CLIENTS + 1)
    plies = range(PLAYED, len(LINE) - 1)

    def work(mine: list[str]) -> None:
        try:
            play, close = player(address, token)
            for ply in plies:
                play(mine[0], ply)
            warm.wait()
            for attempt in mine[1:]:
                for ply in plies:
                    begun = time.perf_counter()
                    play(attempt, ply)
                    waits.append((time.perf_counter() - begun) * 1000)
            done.wait()
            close()
        except BaseException as fault:
            faults.append(fault)
            warm.abort()
            done.abort()

    threads = [threading.Thread(target=work, args=(attempts[one::CLIENTS],)) for one in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        warm.wait()
        cpu, begun = cpu_seconds(pid), time.perf_counter()
        done.wait()
        cpu, taken = cpu_seconds(pid) - cpu, time.perf_counter() - begun
    except threading.BrokenBarrierError:
        raise RuntimeError("a benchmark client failed") from (faults[0] if faults else None)
    for thread in threads:
        thread.join()
    waits.sort()
    return {
        "cpu_us": cpu / len(waits) * 1e6,
        "p50_ms": waits[len(waits) // 2],
        "p99_ms": waits[int(len(waits) * 0.99)],
        "moves_per_s": len(waits) / taken,
        "samples": len(waits),
    }


def run(*, attempts: int = 120) -> dict[str, Any]:
    """Both ways and the floor. `attempts` (a multiple of 4) are prepared for each way; 19 moves of each are played."""
    token, made = _prepare(attempts * 2)
    connection.close()
    with bench_server(LIMITS_OFF) as (address, pid):
        floor_before = floor_cpu_us()
        rest = _measure(address, pid, token, made[:attempts], _rest_player)
        socket = _measure(address, pid, token, made[attempts:], _socket_player)
        floor = (floor_before + floor_cpu_us()) / 2
    return {
        "name": "moves",
        "floor_us": floor,
        "floor": "bare psycopg: one INSERT and one UPDATE in a transaction, client CPU",
        "socket": {**socket, "ratio": socket["cpu_us"] / floor, "target": 5},
        "rest": {**rest, "ratio": rest["cpu_us"] / floor, "target": 12},
    }
