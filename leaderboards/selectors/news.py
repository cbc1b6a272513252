"""What a result means for the record of a numbered game (R8.5): the records to compare with, and the comparison."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from games.engine.codes import NUMBERED_RULESET, parse_code
from games.errors import NotFound
from games.models import Attempt, Player
from games.retry import repeat_once
from leaderboards.models import Board, RecordNews

from .ranks import ask
from .standing import off

Kind = RecordNews.Kind
WORTH = {Kind.NO_RECORD: 0, Kind.BEST_SO_FAR: 1, Kind.RECORD_BROKEN: 2, Kind.FIRST_WIN: 3}


@dataclass(frozen=True, slots=True)
class Record:
    """The result that holds the record, by the ranking of numbered games (R8.3)."""

    cards_left: int
    moves: int
    attempt_id: int


@dataclass(frozen=True, slots=True)
class News:
    """What the player is told. `fewer_cards`, `fewer_moves`: than the record before; moves count at equal cards only."""

    kind: Kind
    fewer_cards: int | None = None
    fewer_moves: int | None = None

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "fewer_cards": self.fewer_cards, "fewer_moves": self.fewer_moves}


def compare(cards_left: int, moves: int, record: Record | None) -> News:
    """The news of a result, given the record that stood before it."""
    won = cards_left == 0
    if record is None:
        return News(Kind.FIRST_WIN if won else Kind.BEST_SO_FAR)
    if (cards_left, moves) >= (record.cards_left, record.moves):
        return News(Kind.NO_RECORD)
    cards = record.cards_left - cards_left
    kind = Kind.BEST_SO_FAR if not won else Kind.FIRST_WIN if record.cards_left else Kind.RECORD_BROKEN
    return News(kind, cards, None if cards else record.moves - moves)


def is_numbered(code: str) -> bool:
    """Whether a board's scope or an attempt's code is that of a numbered game."""
    return code.startswith(f"TP1-{NUMBERED_RULESET}-") and parse_code(code).game_number is not None


def record_standing(board_id: int) -> Record | None:
    """The first entry of a board."""
    found = ask(
        """SELECT cards_left, moves, attempt_id FROM leaderboards_entry WHERE board_id = %(board)s AND active
            ORDER BY key, finished_ms, attempt_id LIMIT 1""",
        {"board": board_id},
    )
    return Record(*found[0]) if found else None


def record_before(board_id: int, attempt: Attempt, at: dt.datetime) -> Record | None:
    """The best result older than `at` of another ranked attempt that counts and whose player stands on the board (or is
    this one).

    For results that come to the board later than they were played (R8.6): entries hold only what is best today, attempts
    remember each.
    """
    found = ask(
        """SELECT a.result_cards_left, a.result_moves, a.id FROM games_attempt a
            WHERE a.deal_id = %(deal)s AND a.code = %(code)s AND a.ranked AND a.competition_key IS NULL
              AND a.id <> %(attempt)s AND (a.result_at, a.id) < (%(at)s, %(attempt)s)
              AND NOT EXISTS (SELECT FROM leaderboards_exclusion x WHERE x.attempt_id = a.id)
              AND (a.player_id = %(player)s OR EXISTS (
                  SELECT FROM leaderboards_entry e
                   WHERE e.board_id = %(board)s AND e.active AND e.player_id IN (a.player_id, (
                         SELECT m.main_id FROM leaderboards_mergedaccount m WHERE m.second_id = a.player_id))))
            ORDER BY a.result_cards_left, a.result_moves, a.result_at, a.id LIMIT 1""",
        {
            "deal": attempt.deal_id,
            "code": attempt.code,
            "attempt": attempt.pk,
            "at": at,
            "player": attempt.player_id,
            "board": board_id,
        },
    )
    return Record(*found[0]) if found else None


@repeat_once
def news_get(*, public_id: str, player_id: int) -> dict[str, Any]:
    """What one's own attempt at a numbered game meant for its record: `{"news": … | None, "provisional": bool}`.

    None while there is no result or it does not count (R8.5), in practice and for other deals. A guest is told what it would be among the people's
    results of today (`provisional`, R8.6). NotFound for unknown and foreign attempts alike (case C22).
    """
    own = Attempt.objects.select_related("player").filter(public_id=public_id, player_id=player_id)
    attempt = own.annotate(off=off()).first()
    if attempt is None:
        raise NotFound
    guest = attempt.player.kind == Player.Kind.GUEST
    if attempt.off:
        return {"news": None, "provisional": guest}
    if guest and attempt.ranked and attempt.result_at is not None and is_numbered(attempt.code):
        board = Board.objects.filter(scope=attempt.code, kind=Board.Kind.PEOPLE, view=Board.View.BEST).first()
        record = None if board is None else record_standing(board.pk)
        assert attempt.result_cards_left is not None
        assert attempt.result_moves is not None
        return {"news": compare(attempt.result_cards_left, attempt.result_moves, record).as_json(), "provisional": True}
    row = RecordNews.objects.filter(attempt=attempt).first()
    news = None if row is None else News(Kind(row.kind), row.fewer_cards, row.fewer_moves).as_json()
    return {"news": news, "provisional": guest}
