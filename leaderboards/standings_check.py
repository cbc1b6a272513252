"""Whether the order of a board's copy in Redis is PostgreSQL's, also while the board is played (C13)."""

from __future__ import annotations

import hashlib
import time
from typing import Final, Literal

from django.db import connection

from . import standings
from .selectors.ranks import snapshot

Order = Literal["none", "same", "different", "busy"]
"""No copy; the same order; another one; played all the while, so that the two were never seen at one version."""

TRIES: Final = 5
PAUSE: Final = 0.05
"""Seconds before the second look; one more of them before each that follows."""


def order_check(board_id: int) -> Order:
    """Compare the whole order as the copy and as PostgreSQL have it. May raise REDIS_ERRORS.

    The copy is read in pages, and any reader may bring it up to date between two of them, so a look counts only when
    its version was the same before and after the pages, and is the board's own in the snapshot.
    """
    for look in range(TRIES):
        if look:
            time.sleep(PAUSE * look)
        if not standings.sync(board_id):
            return "none"
        if (same := _look(board_id)) is not None:
            return "same" if same else "different"
    return "busy"


def _look(board_id: int) -> bool | None:
    """Whether the orders are the same; None when the copy and the database were not at one version."""
    copy, truth = hashlib.sha256(), hashlib.sha256()
    with snapshot(), connection.chunked_cursor() as rows:
        rows.execute("SELECT version FROM leaderboards_board WHERE id = %s", (board_id,))
        version = (rows.fetchone() or [None])[0]
        if standings.copied_version(board_id) != version:
            return None
        for page in standings.copied_pages(board_id):
            for member, score in page:
                copy.update(f"{int(score)} {member.decode()}\n".encode())
        if standings.copied_version(board_id) != version:
            return None
        rows.execute(
            """SELECT key, finished_ms, attempt_id FROM leaderboards_entry WHERE board_id = %s AND active
                ORDER BY key, finished_ms, attempt_id""",
            (board_id,),
        )
        while chunk := rows.fetchmany(standings.CHUNK):
            for key, finished_ms, attempt_id in chunk:
                truth.update(f"{key} {standings.member_of(finished_ms, attempt_id)}\n".encode())
    return copy.digest() == truth.digest()
