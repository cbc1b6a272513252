"""Reading boards: pages, one's own place, snapshots. PostgreSQL is the truth; the Redis copy only makes it faster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def standings_snapshot(scope: str, kind: str, view: str, limit: int = 50) -> dict[str, Any]:
    """The top of a board at one version: `{"board", "kind", "view", "version", "entries", "counts", "rows"}`.

    `counts` is `{"players", "playing", "finished"}`; version 0 and no rows for a board nobody is on yet. Raises BadInput
    for names that are none, NotFound for a daily that is not prepared.
    """
    raise NotImplementedError


def board_versions(names: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str, str], int]:
    """The committed version of each (scope, kind, view), 0 where nobody is on it yet; one query."""
    raise NotImplementedError
