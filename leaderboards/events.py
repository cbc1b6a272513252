"""Events of the boards, announced like those of `games`: hints after commit, the database is the truth."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from games.events import Hint
from games.events import announce as announce

_SAFE_SCOPE = re.compile(r"[A-Za-z0-9-]{1,80}")


def board_topic(scope: str) -> str:
    """The topic of all boards of one scope (game code or competition key); always a valid group name."""
    if not _SAFE_SCOPE.fullmatch(scope):  # channel layers refuse other characters and 100 or more of them
        scope = hashlib.sha256(scope.encode("utf-8", "surrogatepass")).hexdigest()
    return f"board.{scope}"


@dataclass(frozen=True, slots=True)
class BoardChanged:
    """The board (scope, kind, view) has reached `version`: an entry or one of its counters changed."""

    scope: str
    kind: str
    view: str
    version: int

    @property
    def topic(self) -> str:
        return board_topic(self.scope)

    @property
    def merge_key(self) -> object:
        return (self.kind, self.view)

    def hint(self) -> Hint:
        return [self.scope, self.kind, self.view, self.version]
