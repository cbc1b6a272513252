"""Whether a web process that was away serves like the others again, asked directly, past nginx."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass
from typing import Final, Protocol

import psycopg

from games.client import ApiError, Client
from games.client_sockets import StandingsSocket

from .load_generator import Stage

LATE: Final = 1.5
"""Seconds after which news that has not arrived is late: the target of the load generator."""
WATCHED: Final = 8.0
"""Seconds without anything late that count as recovered."""
GIVEN_UP: Final = 90.0


class Web(Protocol):
    """A web process."""

    @property
    def url(self) -> str: ...


@dataclass(frozen=True)
class Again:
    """The instants (monotonic clock) from which on a fresh player and a fresh spectator noticed nothing."""

    played: float
    watched: float


def serves_again(stage: Stage, web: Web, board: str) -> Again:
    """Let a fresh player and a fresh spectator of this process try until all is well.

    Takes WATCHED seconds more than that; raises TimeoutError after GIVEN_UP.
    """
    begun = time.monotonic()
    following = StandingsSocket(web.url, board, "people", "best", patience=GIVEN_UP)
    threading.Thread(target=_follow, args=(following,), daemon=True).start()
    played: list[float] = []
    playing = threading.Thread(target=_play, args=(web.url, played), daemon=True)
    playing.start()
    good_since = time.monotonic()
    while not played or time.monotonic() - good_since < WATCHED:
        version = version_of(stage, board)
        time.sleep(LATE)
        if following.standings.version < version:
            good_since = time.monotonic()
        if time.monotonic() - begun > GIVEN_UP:
            raise TimeoutError(f"{web.url} did not serve again")
    following.close()
    return Again(played[0], good_since)


def _play(url: str, played: list[float]) -> None:
    until = time.monotonic() + GIVEN_UP
    while not _played(url) and time.monotonic() < until:
        time.sleep(0.1)
    played.append(time.monotonic())


def _follow(following: StandingsSocket) -> None:
    with contextlib.suppress(ApiError, OSError, AttributeError):  # its end is a close from the other thread
        for _ in following:
            pass


def _played(url: str) -> bool:
    """Whether a new guest can start the daily and move."""
    try:
        with Client(url, timeout=2, patience=0) as client:
            client.guest()
            attempt = client.start_daily()
            with client.play_socket() as link:
                link.move(attempt["id"], attempt["legal"][0], 0)
    except ApiError:
        return False
    return True


def version_of(stage: Stage, board: str) -> int:
    """The board's version in the database; 0 while that is away."""
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(stage.database_url) as connection:
        query = "SELECT version FROM leaderboards_board WHERE scope = %s AND kind = 'people' AND view = 'best'"
        row = connection.execute(query, (board,)).fetchone()
        return int(row[0]) if row else 0
    return 0
