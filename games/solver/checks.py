"""Only what play can reach is solved: everything else is refused by name."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from games.engine.cards import Card
from games.engine.errors import InvalidCards, UnknownRuleset
from games.engine.moves import MAX_PLIES
from games.engine.position import Position, check_deck
from games.engine.replay import replay
from games.engine.rulesets import RULESETS, Ruleset
from games.solver.errors import SolverError


def checked_deck(ruleset: Ruleset, cards: Sequence[Card]) -> tuple[Card, ...]:
    """The whole deck of a known ruleset, each card once. Raises `UnknownRuleset` or `InvalidCards`."""
    if not isinstance(ruleset, Ruleset) or RULESETS.get(ruleset.letters) != ruleset:
        raise UnknownRuleset("unknown_ruleset", "This is none of the rulesets.")
    try:
        return check_deck(ruleset, [operator.index(card) for card in cards])
    except TypeError:
        raise InvalidCards("card_text", "These are not cards.") from None


def checked_position(position: Position) -> Position:
    """A position that its own line leads to. Raises `SolverError` and as `checked_deck` does."""
    if not isinstance(position, Position):
        raise SolverError("unreachable_position", "This is not a position.", part="position")
    cards = checked_deck(position.ruleset, position.cards)
    if any(not 0 <= move <= 28 for move in position.line):
        raise _unreachable("line", "The line holds something else than removes and draws.")
    played = replay(position.ruleset, cards, position.line, undo_allowed=position.undo_allowed)
    if played.error is not None:
        raise _unreachable("line", f"The line cannot be played: {played.error.message}")
    reached = played.position
    for part in ("removed", "drawn", "score", "run"):
        if getattr(position, part) != getattr(reached, part):
            raise _unreachable(part, f"Its {part} is not what its line leads to.")
    if position.undos < 0 or position.moves != len(position.line) + position.undos:
        raise _unreachable("moves", "Its moves are not those of its line and its undos.")
    if position.undos and not position.undo_allowed:
        raise _unreachable("undos", "It counts undos where none is allowed.")
    if position.ply > MAX_PLIES:
        raise _unreachable("ply", f"An attempt has at most {MAX_PLIES:,} moves and undos.")
    return position


def _unreachable(part: str, why: str) -> SolverError:
    return SolverError("unreachable_position", f"No play reaches this position. {why}", part=part)
