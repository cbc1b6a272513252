"""What may be seen of a position (R10.1): the one function every exit uses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from games.engine.cards import CARD_TEXTS, NO_CARD, cards_text
from games.engine.layout import BIT, SLOTS, open_slots
from games.engine.position import Position

FACE_DOWN: Final = "??"


@dataclass(frozen=True, slots=True)
class View:
    """The part of a position that its player sees."""

    tableau: tuple[str | None, ...]
    """One entry a slot: ``"3S"`` face up, ``"??"`` face down, None removed."""
    open: tuple[int, ...]
    """The uncovered slots, ascending."""
    waste: str | None
    """The waste's top card."""
    waste_count: int
    stock: int
    """Cards left in the stock."""
    deal: str | None = None
    """The whole ordered deal as text, only when it was asked for with ``reveal``."""

    def as_json(self) -> dict[str, Any]:
        """JSON values; the key ``deal`` exists only in a revealed view."""
        seen: dict[str, Any] = {
            "tableau": list(self.tableau),
            "open": list(self.open),
            "waste": self.waste,
            "waste_count": self.waste_count,
            "stock": self.stock,
        }
        if self.deal is not None:
            seen["deal"] = self.deal
        return seen


@lru_cache(maxsize=32_768)  # holds every reachable shape
def _backs(removed: int) -> tuple[str | None, ...]:
    return tuple(None if removed & BIT[slot] else FACE_DOWN for slot in range(SLOTS))


def view(position: Position, *, reveal: bool = False) -> View:
    """What the player of this position sees now.

    ``reveal`` adds the deal; the caller states by it that the attempt is finished on an open code, or that its
    competition is final (R10.1, R10.2). Everything else stays as it was: a card turned down by undo is not shown again
    (R5.1).
    """
    cards, removed = position.cards, position.removed
    uncovered = open_slots(removed)
    tableau = list(_backs(removed))
    faces = range(SLOTS) if position.ruleset.faces_up else uncovered
    for slot in faces:
        if tableau[slot] is not None:
            tableau[slot] = CARD_TEXTS[cards[slot]]
    top = position.waste_index
    return View(
        tuple(tableau),
        uncovered,
        None if top == NO_CARD else CARD_TEXTS[top],
        position.waste_count,
        position.stock_left,
        cards_text(cards) if reveal else None,
    )
