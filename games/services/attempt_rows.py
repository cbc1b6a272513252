"""The two statements of one move: lock and read everything in one, write in one. Raw SQL because the ORM costs eight times as much."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

import psycopg
from django.db import connection
from psycopg.rows import tuple_row

from games.engine.position import Position
from games.engine.replay import replay
from games.engine.rulesets import find_ruleset
from games.selectors.attempts import AttemptFacts, Recorded

# The credential row is read in the statement that locks the attempt: rights are those of this very moment (case C21).
# A bot's rights end with its owner's.
_LOCK = """
SELECT a.id, a.player_id, a.public_id, a.code, a.competition_key, a.ruleset, a.ranked, a.number, a.undo_allowed,
       a.started_at, a.deadline, a.sealed_until, a.ply, a.outcome, a.finished_at, a.closed_at, a.last_move_at,
       a.result_outcome, a.result_score, a.result_moves, a.result_peaks, a.result_cards_left, a.result_undos,
       a.result_ply, a.result_elapsed_ms, a.result_at, d.cards,
       (SELECT array_agg(m.move ORDER BY m.ply) FROM games_move m WHERE m.attempt_id = a.id),
       (SELECT m.ply FROM games_move m WHERE m.attempt_id = a.id AND m.move_id = %s)
  FROM games_credential c
  JOIN games_player p ON p.id = c.player_id
  LEFT JOIN games_player o ON o.id = p.owner_id
  JOIN games_attempt a ON a.player_id = c.player_id AND a.public_id = %s
  JOIN games_deal d ON d.id = a.deal_id
 WHERE c.token_hash = %s AND c.via = %s AND 'play' = ANY (c.scopes)
   AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > %s)
   AND p.deleted_at IS NULL AND (p.banned_at IS NULL OR p.banned_until <= %s)
   AND (o.id IS NULL OR (o.deleted_at IS NULL AND (o.banned_at IS NULL OR o.banned_until <= %s)))
   FOR UPDATE OF a
"""

_WRITE = """
WITH written AS (
    INSERT INTO games_move (attempt_id, ply, move, move_id, at) VALUES (%s, %s, %s, %s, %s)
)
UPDATE games_attempt
   SET ply = %s, score = %s, moves = %s, run = %s, peaks = %s, cards_left = %s, undos = %s, last_move_at = %s,
       outcome = NULL, finished_at = NULL
 WHERE id = %s
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
    closed_at: dt.datetime | None
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


def _execute(statement: str, values: tuple[Any, ...]) -> psycopg.Cursor[Any]:
    """Run on Django's connection, inside its transaction, as a prepared statement: a third of the cursor's usual cost."""
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
    for _ in range(2):
        row = _execute(_LOCK, (move_id, public_id, token_hash, via, now, now, now)).fetchone()
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
        facts=AttemptFacts(*row[2:12]),
        ply=row[12],
        outcome=row[13],
        finished_at=row[14],
        closed_at=row[15],
        last_move_at=row[16],
        recorded=None if row[17] is None else Recorded(*row[17:26]),
        cards=tuple(row[26]),
        log=log,
        repeat_ply=row[28],
    )


def move_write(*, locked: LockedAttempt, move: int, move_id: str, position: Position, now: dt.datetime) -> None:
    """Append the move row and bring the attempt's numbers up to `position`. Assumes the lock of `attempt_lock`."""
    ply = locked.ply + 1
    _execute(
        _WRITE,
        (
            locked.id,
            ply,
            move,
            move_id,
            now,
            ply,
            position.score,
            position.moves,
            position.run,
            position.peaks,
            position.cards_left,
            position.undos,
            now,
            locked.id,
        ),
    )
