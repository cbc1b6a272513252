"""What the generator has seen against what the database holds: lost and doubled moves, and how late news came."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from django.conf import settings

from games.engine.moves import move_text

from .load_generator import Seen


@dataclass(frozen=True)
class Moves:
    """Of the moves that players sent: what the server acknowledged must be there once, and nothing else."""

    acknowledged: int
    lost: int
    """Acknowledged, but another move or none at that ply."""
    doubled: int
    """Logged twice, or logged although nobody sent it."""
    unanswered: int
    """Sent without an answer in time: whether they count is open, and no error."""


def moves_compared(database_url: str, seen: Seen) -> Moves:
    """Every move of the generator's attempts, in the database and in its own log."""
    attempts = sorted({move[0] for move in seen.moves})
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            """SELECT a.public_id, m.ply, m.move, m.move_id FROM games_move m JOIN games_attempt a ON a.id = m.attempt_id
                WHERE a.public_id = ANY(%s)""",
            (attempts,),
        ).fetchall()
    return compared(seen.moves, [(attempt, ply, move_text(move), key) for attempt, ply, move, key in rows])


def compared(sent: Sequence[Sequence[Any]], logged: Sequence[tuple[str, int, str, str]]) -> Moves:
    """`sent` as in `Seen.moves`; `logged`: attempt, ply, move, move id."""
    there = {(attempt, ply): (move, key) for attempt, ply, move, key in logged}
    acknowledged = [move for move in sent if move[6] is not None]
    lost = sum(there.get((move[0], move[1])) != (move[2], move[3]) for move in acknowledged)
    known = {(move[0], move[3]) for move in sent}
    times = Counter((attempt, key) for attempt, _ply, _move, key in logged)
    doubled = sum(count - (one in known) for one, count in times.items())
    return Moves(len(acknowledged), lost, doubled, len(sent) - len(acknowledged))


def standings_checked(board: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """load_check's answer."""
    command = [sys.executable, "-m", f"{__package__}.load_check", board]
    env = {**os.environ, **environment}
    done = subprocess.run(command, cwd=settings.BASE_DIR, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the standings could not be checked:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@dataclass(frozen=True)
class Lags:
    """How long news took to reach sockets: `at` (seconds since 1970) and `ms`, one a socket and frame.

    Counted from the instant at which the server began to handle the start or the last move of a game, its transaction
    included; of several changes in one frame the oldest counts.
    """

    at: list[float]
    ms: list[float]


def lags(database_url: str, seen: Seen) -> Lags:
    """Of all changes since the run began."""
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            """SELECT extract(epoch FROM a.started_at)::float8, extract(epoch FROM a.finished_at)::float8
                 FROM games_attempt a JOIN games_player p ON p.id = a.player_id
                WHERE a.competition_key = %s AND p.kind <> 'bot'""",
            (seen.board,),
        ).fetchall()
    started = sorted(row[0] for row in rows)
    finished = sorted(row[1] for row in rows if row[1] is not None)
    found = Lags([], [])
    for process in seen.spectators:
        for started_before, finished_before, started_now, finished_now, times in process["seen"]:
            changes = started[started_before:started_now] + finished[finished_before:finished_now]
            if changes and min(changes) >= seen.began_at:
                oldest = min(changes)
                found.at.extend(times)
                found.ms.extend((time - oldest) * 1000 for time in times)
    return found
