"""The registry of rulesets (R6): behaviour comes from the fields of a row, never from its letters (R6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from games.engine.errors import UnknownRuleset, shown
from games.engine.layout import SLOTS

ScoringName = Literal["points500", "runs", "cards_left"]
RankingName = Literal["result", "score", "cards_left"]


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One row of R6."""

    letters: str
    name: str
    joined: bool = True
    """King and ace are neighbours (R2.3)."""
    waste_starts_empty: bool = False
    """All cards after the tableau are stock, and any uncovered card fits on the empty waste (R6.1)."""
    draw_only_when_stuck: bool = False
    """A draw is refused while an uncovered card fits."""
    draw_onto_empty_waste: bool = True
    """A draw is allowed while the waste is empty."""
    faces_up: bool = False
    """The whole tableau is seen from the start."""
    deck_size: int = 52
    """53 with the joker."""
    scoring: ScoringName = "points500"
    ranking: RankingName = "result"
    version: int = 1
    """Raised when the meaning of the row changes; stored with each attempt."""

    @property
    def stock_start(self) -> int:
        """Place in the ordered cards where the stock begins (R7.3)."""
        return SLOTS if self.waste_starts_empty else SLOTS + 1

    @property
    def stock_size(self) -> int:
        """Cards in the stock at the start: 23 or 24."""
        return self.deck_size - self.stock_start

    @property
    def has_joker(self) -> bool:
        return self.deck_size == 53


_ROWS: Final = (
    Ruleset("E", "Easy"),
    Ruleset("C", "Classic", joined=False),
    Ruleset("R", "Runs", scoring="runs", ranking="score"),
    Ruleset("RC", "Runs, king and ace apart", joined=False, scoring="runs", ranking="score"),
    Ruleset("T", "Traditional", joined=False, draw_only_when_stuck=True, scoring="runs", ranking="score"),
    Ruleset("G", "Numbered games", waste_starts_empty=True, scoring="cards_left", ranking="cards_left"),
    Ruleset("O", "Open peaks", faces_up=True),
    Ruleset("W", "Empty waste", waste_starts_empty=True, draw_onto_empty_waste=False),
    Ruleset("J", "Joker", deck_size=53),
)

RULESETS: Final[dict[str, Ruleset]] = {row.letters: row for row in _ROWS}
OLD_NAMES: Final[dict[str, str]] = {"N": "E"}
"""Letters still read, never written (R6)."""
DEFAULT_RULESET: Final = RULESETS["E"]


def find_ruleset(letters: str) -> Ruleset:
    """The row with these letters (canonical upper case; ``N`` is read as ``E``); raises `UnknownRuleset`."""
    ruleset = RULESETS.get(OLD_NAMES.get(letters, letters)) if isinstance(letters, str) else None
    if ruleset is None:
        raise UnknownRuleset("unknown_ruleset", f"There is no ruleset {shown(letters)}.", ruleset=shown(letters))
    return ruleset
