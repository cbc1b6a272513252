"""Reading boards: pages, one's own place, snapshots. PostgreSQL is the truth; the Redis copy only makes it faster.

Every reader has both ways and gives the same answer by either; which one is used shows nowhere.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Q

from games.clock import iso, milliseconds
from games.clock import now as clock_now
from games.engine.rulesets import RankingName, find_ruleset
from games.errors import BadInput, NotFound
from games.models import Attempt, Player
from games.redis import redis_available
from games.replica import check_version, from_replica
from games.retry import repeat_once
from leaderboards import standings
from leaderboards.models import Board, DailyChallenge
from leaderboards.results import attempt_key, attempt_values, is_first
from leaderboards.scopes import BoardName, parse_board

from . import ranks
from .dailies import daily_counts, daily_status
from .ranks import Place, Row
from .standing import off

AROUND = 5
LIMIT = 100
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class BoardState:
    """A board's row at one version, or what it would be before anybody is on it (`id` 0, version 0)."""

    id: int
    name: BoardName
    ranking: RankingName
    timed: bool
    version: int
    entries: int
    started: int
    finished: int


_STATE = """
SELECT b.id, b.ranking, b.timed, b.version, b.entries, b.started, b.finished, e.key, e.finished_ms, e.attempt_id
  FROM leaderboards_board b
  LEFT JOIN leaderboards_entry e ON e.board_id = b.id AND e.active AND e.player_id = coalesce(
            (SELECT m.main_id FROM leaderboards_mergedaccount m WHERE m.second_id = %(player)s), %(player)s)
 WHERE b.scope = %(scope)s AND b.kind = %(kind)s AND b.view = %(view)s"""


def board_state(name: BoardName, player_id: int | None = None) -> tuple[BoardState, Place | None]:
    """The board's row and, with a player, the place of that player's entry, or of the account's that the player is merged
    into: one query.

    Raises NotFound for a daily that is not prepared.
    """
    values = {"player": player_id or 0, "scope": name.scope.text, "kind": name.kind, "view": name.view}
    row = next(iter(ranks.ask(_STATE, values)), None)
    check_version(name.scope.text, name.kind, name.view, row[3] if row is not None else 0)
    if row is not None:
        state = BoardState(row[0], name, row[1], row[2], row[3], row[4], row[5], row[6])
        return state, None if row[7] is None else (row[7], row[8], row[9])
    return BoardState(0, name, _ranking(name), name.scope.timed, 0, 0, 0, 0), None


def _ranking(name: BoardName) -> RankingName:
    """The ranking rule of a board that has no row yet; NotFound for a daily that is not prepared."""
    letters = name.scope.ruleset
    if name.scope.date is not None:
        letters = DailyChallenge.objects.filter(date=name.scope.date).values_list("ruleset", flat=True).first()
    if letters is None:
        raise NotFound("There is no such daily (yet).")
    return find_ruleset(letters).ranking


# --- rows ----------------------------------------------------------------------------------------------------------


def rows_top(board: BoardState, count: int) -> list[Row]:
    """The first rows."""
    copied = standings.window_top(board.id, board.version, board.entries, count)
    return _from_copy(board, copied) or ranks.rows_top(board.id, count, version=board.version)


def rows_after(board: BoardState, place: Place, count: int) -> list[Row]:
    """The rows that follow a place."""
    copied = standings.window_after(board.id, board.version, board.entries, place, count)
    return _from_copy(board, copied) or ranks.rows_after(
        board.id, board.version, board.ranking, board.timed, place, count
    )


def rows_around(board: BoardState, place: Place, before: int, count: int) -> list[Row]:
    """The rows before a place, and those from it on."""
    copied = standings.window_around(board.id, board.version, board.entries, place, before, count)
    return _from_copy(board, copied) or ranks.rows_around(
        board.id, board.version, board.ranking, board.timed, place, before, count
    )


def _from_copy(board: BoardState, window: standings.Window | None) -> list[Row] | None:
    """A window of the copy with the rows' contents from PostgreSQL; None when they do not match."""
    if window is None or not window.places:
        return None
    rows = ranks.rows_at(board.id, window.places, window.ranks)
    return rows if [row.place for row in rows] == window.places else None


def row_json(row: Row) -> dict[str, Any]:
    """A row as everybody sees it. Names are text: whoever shows them must escape them."""
    return {
        "rank": row.rank,
        "id": row.id,
        "player": {"id": row.player_id, "name": row.player_name},
        "outcome": row.outcome,
        "score": row.score,
        "moves": row.moves,
        "peaks": row.peaks,
        "cards_left": row.cards_left,
        "elapsed_ms": row.elapsed_ms,
        "finished_at": iso(_EPOCH + dt.timedelta(milliseconds=row.finished_ms)),
        "number": row.number,
    }


# --- cursors -------------------------------------------------------------------------------------------------------

_CURSOR = re.compile(r"([0-9a-f]{1,14})\.([0-9a-f]{1,12})\.([0-9a-f]{1,15})", re.ASCII)


def cursor_text(place: Place) -> str:
    """An opaque cursor: the place of the last row shown."""
    return base64.urlsafe_b64encode(".".join(f"{part:x}" for part in place).encode()).decode().rstrip("=")


def parse_cursor(text: str) -> Place:
    """The place behind a cursor. Raises BadInput `bad_cursor`."""
    found = None
    if len(text) <= 80 and text.isascii():
        try:
            plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        except (binascii.Error, ValueError):
            plain = b""
        found = _CURSOR.fullmatch(plain.decode("ascii", "replace"))
    if found is None:
        raise BadInput("bad_cursor", "This list cannot be continued from there.")
    key, finished_ms, attempt_id = (int(part, 16) for part in found.groups())
    if key >= 2**53:
        raise BadInput("bad_cursor", "This list cannot be continued from there.")
    return key, finished_ms, attempt_id


# --- answers -------------------------------------------------------------------------------------------------------


def counts_of(board: BoardState, now: dt.datetime) -> dict[str, int]:
    """`{"players", "playing", "finished"}`: of a daily all who started, guests too; of a code's board its entries."""
    if board.name.scope.date is None:
        return {"players": board.entries, "playing": 0, "finished": board.entries}
    daily = DailyChallenge.objects.filter(date=board.name.scope.date).first()
    status = "final" if daily is None else daily_status(daily, now)
    return daily_counts(board.started, board.finished, status)


@repeat_once
def standings_snapshot(
    scope: str, kind: str, view: str, limit: int = 50, *, now: dt.datetime | None = None
) -> dict[str, Any]:
    """The top of a board at one version: `{"board", "kind", "view", "version", "entries", "counts", "rows"}`.

    `counts` is `{"players", "playing", "finished"}`; version 0 and no rows for a board nobody is on yet. Raises
    BadInput for names that are none, NotFound for a daily that is not prepared.
    """
    name = parse_board(scope, kind, view)

    def read() -> tuple[BoardState, list[Row]]:
        board, _ = board_state(name)
        return board, ranks.rows_top(board.id, limit, version=board.version) if board.id else []

    board, rows = ranks.at_one_version(read)
    return {
        "board": name.scope.text,
        "kind": name.kind,
        "view": name.view,
        "version": board.version,
        "entries": board.entries,
        "counts": counts_of(board, now or clock_now()),
        "rows": [row_json(row) for row in rows],
    }


@repeat_once
def board_versions(names: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str, str], int]:
    """The committed version of each (scope, kind, view), 0 where nobody is on it yet; one query.

    Names as `parse_board` reads them. Raises BadInput.
    """
    parsed = {name: parse_board(*name) for name in names}
    wanted = [(name.scope.text, name.kind, name.view) for name in parsed.values()]
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT b.scope, b.kind, b.view, b.version
                 FROM unnest(%s::text[], %s::text[], %s::text[]) AS w (scope, kind, view)
                 JOIN leaderboards_board b ON b.scope = w.scope AND b.kind = w.kind AND b.view = w.view""",
            ([name[0] for name in wanted], [name[1] for name in wanted], [name[2] for name in wanted]),
        )
        found = {(row[0], row[1], row[2]): row[3] for row in cursor.fetchall()}
    return {name: found.get(key, 0) for name, key in zip(parsed, wanted, strict=True)}


@from_replica()
@repeat_once
def board_page(name: BoardName, *, cursor: str | None, limit: int, now: dt.datetime) -> dict[str, Any]:
    """One page through the total order: `{"board", "rows", "next", "delayed"}`.

    A cursor is a place, not a position: whatever happens between two pages, no row that keeps its place comes twice or
    not at all. Raises BadInput `bad_cursor`, NotFound for a daily that is not prepared.
    """
    after = None if cursor is None else parse_cursor(cursor)

    def read() -> tuple[BoardState, list[Row]]:
        board, _ = board_state(name)
        if not board.id:
            return board, []
        return board, rows_top(board, limit + 1) if after is None else rows_after(board, after, limit + 1)

    board, rows = ranks.at_one_version(read)
    page = rows[:limit]
    return {
        "board": {
            "name": name.scope.text,
            "kind": name.kind,
            "view": name.view,
            "version": board.version,
            "entries": board.entries,
            **counts_of(board, now),
        },
        "rows": [row_json(row) for row in page],
        "next": cursor_text(page[-1].place) if len(rows) > limit else None,
        "delayed": not redis_available(),
    }


@from_replica(viewer="player_id")
@repeat_once
def board_me(name: BoardName, *, player_id: int) -> dict[str, Any]:
    """One's own rank and the rows around it: `{"rank", "row", "around", "provisional", "version"}`.

    Who has no entry but a result sees the place it would have (`provisional`, R8.6) and the rows around that; who has
    neither gets nulls. Raises NotFound for a daily that is not prepared.
    """
    return ranks.at_one_version(lambda: _read_me(name, player_id))


def _read_me(name: BoardName, player_id: int) -> dict[str, Any]:
    board, mine = board_state(name, player_id)
    if mine is not None:
        around = rows_around(board, mine, AROUND, AROUND + 1)
        row = next((row for row in around if row.place == mine), None)
        if row is None:
            raise ranks.Moved
        return _me(board, row_json(row), around, provisional=False)
    attempt = _best_attempt(name, player_id)
    if attempt is None:
        return _me(board, None, [], provisional=False)
    assert attempt.result_at is not None
    place = (attempt_key(attempt), milliseconds(attempt.result_at), attempt.pk)
    around, better = [], 0
    if board.id:
        around = rows_around(board, place, AROUND, AROUND)
        better = ranks.better_count(board.id, board.version, board.ranking, board.timed, place[0])
    player = attempt.player
    shown = Row(
        *place,
        id=attempt.public_id,
        number=attempt.number,
        player_id=player.public_id,
        player_name=player.name,
        rank=better + 1,
        **attempt_values(attempt),
    )
    return _me(board, row_json(shown), around, provisional=True)


def _me(board: BoardState, row: dict[str, Any] | None, around: Sequence[Row], *, provisional: bool) -> dict[str, Any]:
    return {
        "rank": row["rank"] if row else None,
        "row": row,
        "around": [row_json(each) for each in around],
        "provisional": provisional,
        "version": board.version,
    }


def _best_attempt(name: BoardName, player_id: int) -> Attempt | None:
    """The player's best result that would stand on this list if it were ranked; what is held, disqualified or hidden
    would not.
    """
    own = Q(competition_key=name.scope.text) if name.scope.date else Q(code=name.scope.text, competition_key=None)
    found = Attempt.objects.select_related("player").filter(
        own, ~off(), player_id=player_id, result_outcome__isnull=False
    )
    fitting = [
        attempt
        for attempt in found
        if (name.view == "best" or is_first(attempt))
        and (attempt.player.kind == Player.Kind.BOT) == (name.kind == Board.Kind.BOTS)
    ]
    return min(fitting, key=lambda attempt: (attempt_key(attempt), attempt.pk), default=None)


def boards_with_copies(scopes: Sequence[str]) -> list[tuple[int, str]]:
    """(id, text) of the boards large enough for a copy in Redis: of these scopes, or of all."""
    boards = Board.objects.filter(entries__gte=standings.CACHED_FROM).order_by("id")
    if scopes:
        boards = boards.filter(scope__in=scopes)
    return [(board.pk, str(board)) for board in boards]
