"""The two statements of one move: read everything in one, append in one. Raw SQL: the ORM costs eight times as much."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import dataclass, field

from games.clock import EPOCH, from_milliseconds
from games.engine.position import Position
from games.engine.replay import replay
from games.engine.rulesets import find_ruleset
from games.metrics import REPLAY_SECONDS
from games.selectors.attempts import AttemptFacts, Recorded, stuck_is_over
from games.selectors.logs import log_compact
from games.statements import execute

from .clients import Source, client_record

# Whoever may play right now. It stands in every statement of a move, so rights are those of this very moment (case C21);
# a bot's rights end with its owner's.
_RIGHTS = """
       c.token_hash = %(token_hash)s AND c.via = %(via)s AND 'play' = ANY (c.scopes)
   AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > %(now)s)
   AND p.deleted_at IS NULL AND (p.banned_at IS NULL OR p.banned_until <= %(now)s)
   AND (o.id IS NULL OR (o.deleted_at IS NULL AND (o.banned_at IS NULL OR o.banned_until <= %(now)s)))
"""

# Times come as whole milliseconds: Django reads a timestamptz in Python, 15 us each.
_READ = f"""
SELECT a.id, a.player_id, a.public_id, a.code, a.competition_key, a.ruleset, a.ranked, a.number, a.undo_allowed,
       (extract(epoch FROM a.started_at) * 1000)::bigint, (extract(epoch FROM a.deadline) * 1000)::bigint, (extract(epoch FROM a.sealed_until) * 1000)::bigint,
       a.ply, a.outcome, (extract(epoch FROM a.finished_at) * 1000)::bigint, a.closed_at IS NOT NULL, (extract(epoch FROM a.last_move_at) * 1000)::bigint,
       a.result_outcome, a.result_score, a.result_moves, a.result_peaks, a.result_cards_left, a.result_undos,
       a.result_ply, a.result_elapsed_ms, (extract(epoch FROM a.result_at) * 1000)::bigint, d.cards,
       (SELECT array_agg(m.move ORDER BY m.ply) FROM games_move m WHERE m.attempt_id = a.id),
       (SELECT m.ply FROM games_move m WHERE m.attempt_id = a.id AND m.move_id = %(move_id)s), c.id
  FROM games_credential c
  JOIN games_player p ON p.id = c.player_id
  LEFT JOIN games_player o ON o.id = p.owner_id
  JOIN games_attempt a ON a.player_id = c.player_id AND a.public_id = %(public_id)s
  JOIN games_deal d ON d.id = a.deal_id
 WHERE {_RIGHTS}
"""

# Not FOR UPDATE: who refers to the row meanwhile (an entry of the player's, put back by a moderator) need not wait.
_LOCK = _READ + " FOR NO KEY UPDATE OF a"

# The UPDATE takes the row's lock and holds only if nothing has happened to the attempt since it was read.
_APPEND = f"""
WITH moved AS (
    UPDATE games_attempt a
       SET ply = %(ply)s, score = %(score)s, moves = %(moves)s, run = %(run)s, peaks = %(peaks)s,
           cards_left = %(cards_left)s, undos = %(undos)s, last_move_at = %(now)s, outcome = NULL, finished_at = NULL
      FROM games_credential c JOIN games_player p ON p.id = c.player_id LEFT JOIN games_player o ON o.id = p.owner_id
     WHERE a.id = %(id)s AND a.ply = %(ply)s - 1 AND a.closed_at IS NULL AND c.player_id = a.player_id AND {_RIGHTS}
    RETURNING a.id
)
INSERT INTO games_move (attempt_id, ply, move, move_id, at)
SELECT id, %(ply)s, %(move)s, %(move_id)s, %(now)s FROM moved
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a write of a player's attempt comes with: whose, by which credential, under which id, when, whence."""

    public_id: str
    token_hash: bytes
    via: str
    move_id: str
    now: dt.datetime
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """An attempt row with its deal and its whole log, locked or not."""

    id: int
    player_id: int
    facts: AttemptFacts
    ply: int
    outcome: str | None
    finished_at: dt.datetime | None
    closed: bool
    last_move_at: dt.datetime
    recorded: Recorded | None
    cards: tuple[int, ...] = field(repr=False)  # R10.1: reprs end up in logs and tracebacks
    log: list[int]
    repeat_ply: int | None
    """The ply already logged under this move id, if any."""
    credential_id: int
    """The row behind the credential that was asked with."""

    def is_over(self, now: dt.datetime) -> bool:
        """Closed, or stuck and ended by time alone. An attempt that goes on past its deadline is to be expired first."""
        stuck = self.outcome == "stuck"
        return self.closed or (stuck and stuck_is_over(self.last_move_at, self.facts.deadline, now))

    def position(self, upto: int | None = None) -> Position:
        """The replayed position after `upto` plies (all by default); a log that does not hold is damage."""
        log = self.log if upto is None else self.log[:upto]
        begun = time.perf_counter()
        done = replay(find_ruleset(self.facts.ruleset), self.cards, log, undo_allowed=self.facts.undo_allowed)
        REPLAY_SECONDS.observe(time.perf_counter() - begun)
        if done.error is not None:
            raise RuntimeError(f"the log of attempt {self.facts.public_id} breaks at ply {done.error_ply}")
        return done.position


def attempt_read(asked: Asked, *, lock: bool) -> AttemptRow | None:
    """Read the caller's attempt, under its lock (`FOR NO KEY UPDATE`) if asked; None when it, or the right to play it, is not there.

    Row and log come from one statement. When that had to wait for the lock, its snapshot is older than the row it got:
    the ply tells, and the statement is run once more under the lock.
    """
    values = {
        "public_id": asked.public_id,
        "token_hash": asked.token_hash,
        "via": asked.via,
        "move_id": asked.move_id,
        "now": asked.now,
    }
    for _ in range(2):
        row = execute(_LOCK if lock else _READ, values).fetchone()
        if row is None:
            return None
        log: list[int] = row[27] or []
        repeat_ply: int | None = row[28]
        if not log and row[12]:
            compact = log_compact(row[0], asked.move_id)  # closed long ago
            if compact is not None:
                log, repeat_ply = list(compact[0].moves), compact[1]
        if len(log) == row[12]:
            break
    else:
        raise RuntimeError(f"the log of attempt {asked.public_id} does not match its ply")
    return AttemptRow(
        id=row[0],
        player_id=row[1],
        facts=AttemptFacts(*[*row[2:9], *map(from_milliseconds, row[9:12])]),
        ply=row[12],
        outcome=row[13],
        finished_at=from_milliseconds(row[14]),
        closed=row[15],
        last_move_at=EPOCH + dt.timedelta(milliseconds=row[16]),
        recorded=None if row[17] is None else Recorded(*[*row[17:25], from_milliseconds(row[25])]),
        cards=tuple(row[26]),
        log=log,
        repeat_ply=repeat_ply,
        credential_id=row[29],
    )


def move_append(row: AttemptRow, asked: Asked, *, move: int, position: Position) -> bool:
    """Append the move and bring the attempt's numbers up to `position`, if the attempt and the rights are still as read.

    One statement, whole or not at all; False when somebody was faster or the rights are gone. Before it, whence the
    move comes is written down if that is new, so that a kill between the two loses a move and not its evidence.
    """
    if asked.source is not None:
        client_record(
            attempt_id=row.id, credential_id=row.credential_id, source=asked.source, ply=row.ply + 1, now=asked.now
        )
    done = execute(
        _APPEND,
        {
            "id": row.id,
            "ply": row.ply + 1,
            "move": move,
            "move_id": asked.move_id,
            "now": asked.now,
            "token_hash": asked.token_hash,
            "via": asked.via,
            "score": position.score,
            "moves": position.moves,
            "run": position.run,
            "peaks": position.peaks,
            "cards_left": position.cards_left,
            "undos": position.undos,
        },
    )
    return done.rowcount == 1
