"""The two statements of one move: lock and read everything in one, write in one. Raw SQL because the ORM costs eight times as much."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg.rows import tuple_row

from games.clock import EPOCH, from_milliseconds
from games.engine.position import Position
from games.engine.replay import replay
from games.engine.rulesets import find_ruleset
from games.selectors.attempts import AttemptFacts, Recorded

# The credential row is read in the statement that locks the attempt: rights are those of this very moment (case C21).
# A bot's rights end with its owner's. Times come as whole milliseconds: Django reads a timestamptz in Python, 15 us each.
_LOCK = """
SELECT a.id, a.player_id, a.public_id, a.code, a.competition_key, a.ruleset, a.ranked, a.number, a.undo_allowed,
       (extract(epoch FROM a.started_at) * 1000)::bigint, (extract(epoch FROM a.deadline) * 1000)::bigint, (extract(epoch FROM a.sealed_until) * 1000)::bigint,
       a.ply, a.outcome, (extract(epoch FROM a.finished_at) * 1000)::bigint, a.closed_at IS NOT NULL, (extract(epoch FROM a.last_move_at) * 1000)::bigint,
       a.result_outcome, a.result_score, a.result_moves, a.result_peaks, a.result_cards_left, a.result_undos,
       a.result_ply, a.result_elapsed_ms, (extract(epoch FROM a.result_at) * 1000)::bigint, d.cards,
       (SELECT array_agg(m.move ORDER BY m.ply) FROM games_move m WHERE m.attempt_id = a.id),
       (SELECT m.ply FROM games_move m WHERE m.attempt_id = a.id AND m.move_id = %(move_id)s)
  FROM games_credential c
  JOIN games_player p ON p.id = c.player_id
  LEFT JOIN games_player o ON o.id = p.owner_id
  JOIN games_attempt a ON a.player_id = c.player_id AND a.public_id = %(public_id)s
  JOIN games_deal d ON d.id = a.deal_id
 WHERE c.token_hash = %(token_hash)s AND c.via = %(via)s AND 'play' = ANY (c.scopes)
   AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > %(now)s)
   AND p.deleted_at IS NULL AND (p.banned_at IS NULL OR p.banned_until <= %(now)s)
   AND (o.id IS NULL OR (o.deleted_at IS NULL AND (o.banned_at IS NULL OR o.banned_until <= %(now)s)))
   FOR UPDATE OF a
"""

_WRITE = """
WITH written AS (
    INSERT INTO games_move (attempt_id, ply, move, move_id, at)
    VALUES (%(id)s, %(ply)s, %(move)s, %(move_id)s, %(now)s)
)
UPDATE games_attempt
   SET ply = %(ply)s, score = %(score)s, moves = %(moves)s, run = %(run)s, peaks = %(peaks)s,
       cards_left = %(cards_left)s, undos = %(undos)s, last_move_at = %(now)s, outcome = NULL, finished_at = NULL
 WHERE id = %(id)s
"""


@dataclass(frozen=True, slots=True)
class LockedAttempt:
    """An attempt row under its lock, with its deal and its whole log."""

    id: int
    player_id: int
    facts: AttemptFacts
    ply: int
    outcome: str | None
    finished_at: dt.datetime | None
    closed: bool
    last_move_at: dt.datetime
    recorded: Recorded | None
    cards: tuple[int, ...]
    log: list[int]
    repeat_ply: int | None
    """The ply already logged under this move id, if any."""

    def position(self, upto: int | None = None) -> Position:
        """The replayed position after `upto` plies (all by default); a log that does not hold is damage."""
        log = self.log if upto is None else self.log[:upto]
        done = replay(find_ruleset(self.facts.ruleset), self.cards, log, undo_allowed=self.facts.undo_allowed)
        if done.error is not None:
            raise RuntimeError(f"the log of attempt {self.facts.public_id} breaks at ply {done.error_ply}")
        return done.position


def _execute(statement: str, values: dict[str, Any]) -> psycopg.Cursor[Any]:
    """Run on Django's connection, inside its transaction, as a prepared statement: a third of the cursor's usual cost."""
    connection = connections[DEFAULT_DB_ALIAS]  # looked up once: each access through the usual proxy costs 3 us
    connection.ensure_connection()
    driver = connection.connection
    assert isinstance(driver, psycopg.Connection)
    with connection.wrap_database_errors:
        cursor = psycopg.Cursor(driver, row_factory=tuple_row)
        return cursor.execute(statement, values, prepare=True)


def attempt_lock(
    *, public_id: str, token_hash: bytes, via: str, move_id: str, now: dt.datetime
) -> LockedAttempt | None:
    """Lock the caller's attempt (`FOR UPDATE`) and read it; None when it, or the right to play it, is not there.

    The log is read by the same statement. When that statement had to wait for the lock, its snapshot is older than the
    row it got: the ply tells, and the statement is run once more under the lock.
    """
    values = {"move_id": move_id, "public_id": public_id, "token_hash": token_hash, "via": via, "now": now}
    for _ in range(2):
        row = _execute(_LOCK, values).fetchone()
        if row is None:
            return None
        log: list[int] = row[27] or []
        if len(log) == row[12]:
            break
    else:
        raise RuntimeError(f"the log of attempt {public_id} does not match its ply")
    return LockedAttempt(
        id=row[0],
        player_id=row[1],
        facts=AttemptFacts(*row[2:9], *map(from_milliseconds, row[9:12])),  # type: ignore[arg-type]  (started_at is there)
        ply=row[12],
        outcome=row[13],
        finished_at=from_milliseconds(row[14]),
        closed=row[15],
        last_move_at=EPOCH + dt.timedelta(milliseconds=row[16]),
        recorded=None if row[17] is None else Recorded(*row[17:25], EPOCH + dt.timedelta(milliseconds=row[25])),
        cards=tuple(row[26]),
        log=log,
        repeat_ply=row[28],
    )


def move_write(*, locked: LockedAttempt, move: int, move_id: str, position: Position, now: dt.datetime) -> None:
    """Append the move row and bring the attempt's numbers up to `position`. Assumes the lock of `attempt_lock`."""
    _execute(
        _WRITE,
        {
            "id": locked.id,
            "ply": locked.ply + 1,
            "move": move,
            "move_id": move_id,
            "now": now,
            "score": position.score,
            "moves": position.moves,
            "run": position.run,
            "peaks": position.peaks,
            "cards_left": position.cards_left,
            "undos": position.undos,
        },
    )
