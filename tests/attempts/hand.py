"""A player's hand in the tests of attempts: the services with a credential, and nothing else."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from games.engine.cards import parse_cards
from games.engine.codes import composed_code, parse_code
from games.engine.moves import parse_move
from games.models import Attempt, Credential, Player
from games.services import Competition, MoveReply, attempt_move, attempt_resign, attempt_start
from games.services.credentials import credential_create

NOON = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
DECKS: dict[str, list[str]] = json.loads((Path(__file__).parents[1] / "golden" / "decks.json").read_text())
DAILY = Competition(
    key="daily-test",
    deadline=NOON + dt.timedelta(hours=12, minutes=30),
    sealed_until=NOON + dt.timedelta(hours=12, minutes=31),
    undo_allowed=False,
    ranked=True,
)
Z_LINE = [f"t{slot}" for slot in [*range(18, 28), *range(9, 18), *range(3, 9), 0, 1, 2]]


def deck_code(name: str, ruleset: str) -> str:
    """The TPX code of a fixture deck (Z, P or V) under a ruleset."""
    return composed_code(ruleset, parse_cards(" ".join(DECKS[name]))).text


@dataclass
class Hand:
    """One player with one token; `at` is the server's time, stepped by the test."""

    player: Player
    credential: Credential
    secret: str
    at: dt.datetime = NOON
    attempts: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, player: Player) -> Hand:
        credential, secret = credential_create(player=player, kind="token", via="bearer", name="test", now=NOON)
        return cls(player, credential, secret)

    def start(
        self, code: str, key: str = "k1", *, practice: bool = False, competition: Competition | None = None
    ) -> Attempt:
        attempt, _ = attempt_start(
            player_id=self.player.pk,
            code=parse_code(code),
            start_key=key,
            practice=practice,
            now=self.at,
            competition=competition,
        )
        self.attempts.setdefault(attempt.public_id, attempt.ply)
        return attempt

    def play(
        self, attempt: Attempt | str, move: str, *, ply: int | None = None, move_id: str | None = None
    ) -> MoveReply:
        public_id = attempt if isinstance(attempt, str) else attempt.public_id
        expected = self.attempts.get(public_id, 0) if ply is None else ply
        reply = attempt_move(
            attempt_id=public_id,
            token_hash=bytes(self.credential.token_hash),
            via="bearer",
            move=parse_move(move),
            expected_ply=expected,
            move_id=move_id or f"ply{expected}",
            now=self.at,
        )
        self.attempts[public_id] = reply.ply
        return reply

    def play_all(self, attempt: Attempt, moves: list[str] | str) -> list[dict[str, Any]]:
        """The states after each of the moves."""
        listed = moves.split() if isinstance(moves, str) else moves
        return [self.play(attempt, move).attempt for move in listed]

    def resign(self, attempt: Attempt, *, move_id: str = "resign") -> dict[str, Any]:
        return attempt_resign(
            attempt_id=attempt.public_id,
            token_hash=bytes(self.credential.token_hash),
            via="bearer",
            move_id=move_id,
            now=self.at,
        ).attempt

    def wait(self, **delta: float) -> None:
        self.at += dt.timedelta(**delta)
