"""Players who finish attempts and ask about them, over the API, with the server's clock as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from games import clock
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.moves import format_log, parse_log
from games.engine.position import start
from games.engine.rulesets import find_ruleset
from games.models import Attempt
from games.solver.exact import solve
from tests.attempts.hand import Hand
from tests.calls import Answer, call

EASY = "TP1-E-AAAAAAB"
CLASSIC_LOST = "TP1-C-AAAAAAD"


@dataclass
class Caller:
    """A hand, and its token on the API."""

    hand: Hand

    @property
    def id(self) -> int:
        return self.hand.player.pk

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        return call(method, path, body, token=self.hand.secret)

    def start(self, code: str = EASY, key: str = "k1", *, practice: bool = False) -> Attempt:
        self.hand.at = clock.now()
        return self.hand.start(code, key, practice=practice)

    def finished(self, code: str = EASY, log: str = "", key: str = "f1") -> Attempt:
        """Play this log and resign, unless it ended by itself."""
        attempt = self.start(code, key)
        self.hand.play_all(attempt, log)
        attempt.refresh_from_db()
        if attempt.closed_at is None:
            self.hand.resign(attempt)
            attempt.refresh_from_db()
        return attempt

    def analysis(self, attempt: Attempt | str) -> Answer:
        return self.ask("GET", f"/attempts/{_id(attempt)}/analysis")

    def open_analysis(self, attempt: Attempt | str) -> Answer:
        return self.ask("POST", f"/attempts/{_id(attempt)}/analysis")

    def hint(self, attempt: Attempt | str) -> Answer:
        return self.ask("POST", f"/attempts/{_id(attempt)}/hint")

    def winnable(self, attempt: Attempt | str) -> Answer:
        return self.ask("POST", f"/attempts/{_id(attempt)}/winnable")


def _id(attempt: Attempt | str) -> str:
    return attempt if isinstance(attempt, str) else attempt.public_id


def best_line(code: str, after: str = "") -> str:
    """Moves of a best line from after `after` on."""
    given = parse_code(code)
    position = start(find_ruleset(given.ruleset), deal_cards(given))
    for move in parse_log(after):
        position = position.play(move)
    return format_log(solve(position).line)


def stuck_log(code: str = EASY) -> str:
    """Draw the whole stock, then remove what fits until nothing does."""
    given = parse_code(code)
    position = start(find_ruleset(given.ruleset), deal_cards(given))
    log: list[int] = []
    while position.outcome is None:
        legal = position.legal_moves()
        move = 28 if 28 in legal else legal[0]
        log.append(move)
        position = position.play(move)
    assert position.outcome == "stuck"
    return format_log(log)
