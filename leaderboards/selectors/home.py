"""What the home page shows, in six queries at most (the visitor's credential is one of them): today's daily with both its
lists, where the visitor stands, and who won yesterday's."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any, cast

from games.clock import iso, milliseconds
from games.engine.rulesets import RankingName
from games.errors import NotFound
from games.models import Attempt, Player
from games.retry import repeat_once
from games.selectors.attempts import elapsed, progress_of
from games.services.credentials import Actor
from leaderboards import dates
from leaderboards.models import Board, Calendar, DailyChallenge
from leaderboards.results import attempt_key, attempt_values
from leaderboards.scopes import KINDS

from . import ranks
from .boards import row_json
from .dailies import daily_counts, daily_json, daily_status
from .ranks import Row
from .standing import COUNTS, off, standing_kind

TOP = 10
"""Rows of a list on the home page, before one's own and its neighbours."""
NEIGHBOURS = 2
WINNERS = 3
NOBODY: dict[str, Any] = {"kind": "people", "player": "", "state": "none"}


@repeat_once
def home_get(*, who: Actor | None, now: dt.datetime) -> dict[str, Any]:
    """`{"daily", "lists", "mine", "yesterday"}`.

    `lists`: people and bots, each `{"board", "kind", "view", "version", "entries", "counts", "rows"}` as in a snapshot of
    the standings socket, ten rows of it. `mine`: see `_mine`. `yesterday`: None on day one, else `{"daily", "winners":
    [{"kind", "row"}]}`, the winners (rank 1 of either list, three at most) once it is final. Raises NotFound while
    today's is not prepared.
    """
    dailies = list(DailyChallenge.objects.select_related("deal").filter(opens_at__lte=now).order_by("-date")[:2])
    if not dailies or dailies[0].closes_at <= now:
        raise NotFound("Today's daily is not prepared yet.")
    scopes = [daily.key for daily in dailies]
    boards = {(board.scope, board.kind): board for board in Board.objects.filter(scope__in=scopes, view="best")}
    today, *before = dailies
    over = bool(before) and daily_status(before[0], now) == "final"
    wanted = {today.key: TOP} | ({before[0].key: WINNERS} if over else {})
    tops = ranks.rows_tops({board.pk: wanted[board.scope] for board in boards.values() if board.scope in wanted})

    def rows(daily: DailyChallenge, kind: str) -> list[Row]:
        board = boards.get((daily.key, kind))
        return tops.get(board.pk, []) if board else []

    def shown(daily: DailyChallenge) -> dict[str, Any]:
        people = boards.get((daily.key, "people"))
        return daily_json(daily, now, counters=(people.started, people.finished) if people else (0, 0))

    winners = [
        {"kind": kind, "row": row_json(row)}
        for kind in KINDS
        for row in (rows(before[0], kind) if over else [])
        if row.rank == 1
    ]
    return {
        "daily": shown(today),
        "lists": [_list(today, kind, boards.get((today.key, kind)), rows(today, kind), now) for kind in KINDS],
        "mine": NOBODY if who is None else _mine(today.key, boards, who, now),
        "yesterday": {"daily": shown(before[0]), "winners": winners} if before else None,
    }


def _list(daily: DailyChallenge, kind: str, board: Board | None, rows: list[Row], now: dt.datetime) -> dict[str, Any]:
    started, finished = (board.started, board.finished) if board else (0, 0)
    return {
        "board": daily.key,
        "kind": kind,
        "view": "best",
        "version": board.version if board else 0,
        "entries": board.entries if board else 0,
        "counts": daily_counts(started, finished, daily_status(daily, now)),
        "rows": [row_json(row) for row in rows],
    }


@repeat_once
def daily_mine(*, key: str, who: Actor, now: dt.datetime) -> dict[str, Any]:
    """Where a visitor stands at the daily of this key, as `home_get` has it in "mine"."""
    boards = {(board.scope, board.kind): board for board in Board.objects.filter(scope=key, view="best")}
    return _mine(key, boards, who, now)


def _mine(key: str, boards: dict[tuple[str, str], Board], who: Actor, now: dt.datetime) -> dict[str, Any]:
    """`{"kind", "player", "state", …}`: on which list a visitor is or would be, and how far.

    `state` is `none`, `playing` (with "started_at" and "elapsed_ms"), `finished` (with "row", "around", "provisional" as
    `board_me` has them) or `over`: given up or out of time, or its result counts for nothing ("standing" is `held`,
    `disqualified` or `hidden` then, else `counts`).
    """
    kind = "bots" if who.kind == Player.Kind.BOT else "people"
    mine = {"kind": kind, "player": who.player_public_id, "state": "none"}
    own = Attempt.objects.filter(player_id=who.player_id, competition_key=key)
    attempt = own.annotate(standing=standing_kind(), off=off()).first()
    if attempt is None:
        return mine
    progress = progress_of(attempt, now)
    if progress.outcome is None:
        started = {"started_at": iso(attempt.started_at), "elapsed_ms": elapsed(attempt.started_at, now)}
        return {**mine, "state": "playing", **started}
    if progress.recorded is None:
        return {**mine, "state": "over", "standing": COUNTS}
    if attempt.off:
        return {**mine, "state": "over", "standing": attempt.standing if attempt.standing != COUNTS else "hidden"}
    row, around, provisional = _place(boards.get((key, kind)), attempt, who)
    return {
        **mine,
        "state": "finished",
        "row": row_json(row),
        "around": [row_json(each) for each in around],
        "provisional": provisional,
    }


def _place(board: Board | None, attempt: Attempt, who: Actor) -> tuple[Row, list[Row], bool]:
    """The ranked row of a result, the listed rows around it, and whether it is not one of them."""
    assert attempt.result_at is not None
    place = (attempt_key(attempt), milliseconds(attempt.result_at), attempt.pk)
    around: list[Row] = []
    if board is not None and board.entries:
        around = _around(board, place)
    own = next((row for row in around if row.place == place), None)
    if own is not None:
        return own, around, False
    own = Row(
        *place,
        id=attempt.public_id,
        number=attempt.number,
        player_id=who.player_public_id,
        player_name=who.name,
        **attempt_values(attempt),
    )
    # Whoever follows is one behind those that are better; an equal result stands next to it and has its very rank.
    following = next((row for row in around if row.key >= own.key), None)
    last = board.entries + 1 if board is not None else 1
    return replace(own, rank=last if following is None else following.rank), around, True


def _around(board: Board, place: ranks.Place) -> list[Row]:
    """The rows around a place; read again where the board has changed since it was read itself."""
    known = [board]

    def read() -> list[Row]:
        at = known.pop() if known else Board.objects.get(pk=board.pk)
        board.entries = at.entries
        # One more on each side: whether they follow on what is shown above.
        before, count = NEIGHBOURS + 1, NEIGHBOURS + 2
        return ranks.rows_around(
            at.pk, at.version, cast(RankingName, at.ranking), at.timed, place, before=before, count=count
        )

    return ranks.at_one_version(read)


@repeat_once
def home_before(*, now: dt.datetime) -> dict[str, Any]:
    """Before day one: `{"date", "opens_at"}` of the first daily. Raises NotFound where no calendar is stored yet."""
    calendar = Calendar.objects.first()
    if calendar is None:
        raise NotFound("There is no calendar yet.")
    date = max(calendar.day_one, dates.official_date(now, calendar.zone))
    return {"date": date, "opens_at": dates.midnight(date, calendar.zone)}
