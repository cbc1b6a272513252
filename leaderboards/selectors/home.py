"""What the home page shows, in six queries: today's daily, both its lists, and who won yesterday's."""

from __future__ import annotations

import datetime as dt
from typing import Any

from games.errors import NotFound
from leaderboards.models import Board, DailyChallenge

from . import ranks
from .boards import row_json
from .dailies import daily_counts, daily_json, daily_status

KINDS = ("people", "bots")
TOP = 50
WINNERS = 3


def home_get(*, now: dt.datetime) -> dict[str, Any]:
    """`{"daily", "lists", "yesterday"}`.

    `lists`: people and bots, each `{"board", "kind", "view", "version", "entries", "counts", "rows"}` as in a snapshot of
    the standings socket. `yesterday`: None on day one, else `{"daily", "winners": [{"kind", "row"}]}`, the winners (rank
    1 of either list, three at most) once it is final. Raises NotFound while today's is not prepared.
    """
    dailies = list(DailyChallenge.objects.select_related("deal").filter(opens_at__lte=now).order_by("-date")[:2])
    if not dailies or dailies[0].closes_at <= now:
        raise NotFound("Today's daily is not prepared yet.")
    scopes = [daily.key for daily in dailies]
    boards = {(board.scope, board.kind): board for board in Board.objects.filter(scope__in=scopes, view="best")}

    def shown(daily: DailyChallenge) -> dict[str, Any]:
        people = boards.get((daily.key, "people"))
        return daily_json(daily, now, counters=(people.started, people.finished) if people else (0, 0))

    today, *before = dailies
    return {
        "daily": shown(today),
        "lists": [_list(today, kind, boards.get((today.key, kind)), now) for kind in KINDS],
        "yesterday": {"daily": shown(before[0]), "winners": _winners(before[0], boards, now)} if before else None,
    }


def _list(daily: DailyChallenge, kind: str, board: Board | None, now: dt.datetime) -> dict[str, Any]:
    started, finished = (board.started, board.finished) if board else (0, 0)
    return {
        "board": daily.key,
        "kind": kind,
        "view": "best",
        "version": board.version if board else 0,
        "entries": board.entries if board else 0,
        "counts": daily_counts(started, finished, daily_status(daily, now)),
        "rows": [row_json(row) for row in ranks.rows_top(board.pk, TOP)] if board and board.entries else [],
    }


def _winners(daily: DailyChallenge, boards: dict[tuple[str, str], Board], now: dt.datetime) -> list[dict[str, Any]]:
    if daily_status(daily, now) != "final":
        return []
    return [
        {"kind": kind, "row": row_json(row)}
        for kind in KINDS
        if (board := boards.get((daily.key, kind)))
        for row in ranks.rows_top(board.pk, WINNERS)
        if row.rank == 1
    ]
