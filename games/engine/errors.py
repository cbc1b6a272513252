"""What the engine refuses: *invalid* input (nonsense) and *illegal* moves (clear, but against the rules), two families.

Every exception has ``code`` (stable, for programs), ``message`` (plain English, for people) and ``data`` (JSON values
only, never a card that is not turned up).
"""

from __future__ import annotations

from typing import Any


class EngineError(Exception):
    """Base of everything the engine raises on purpose."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data: dict[str, Any] = data

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions with more than one argument do not survive pickling (worker processes, test runners) by themselves.
        return _rebuild, (type(self), self.code, self.message, self.data)


def _rebuild(kind: type[EngineError], code: str, message: str, data: dict[str, Any]) -> EngineError:
    return kind(code, message, **data)


class InvalidInput(EngineError):
    """The input makes no sense whatever the position: base of all Invalid* exceptions."""


class InvalidCards(InvalidInput):
    """Not cards, or not the ruleset's deck: ``card_text``, ``card_twice``, ``wrong_deck``, ``cards_too_long``."""


class InvalidCode(InvalidInput):
    """Not a game code (R7.6).

    Codes: ``code_too_long``, ``code_character``, ``code_dashes``, ``code_kind``, ``code_length``, ``code_letters``,
    ``code_value``, ``unknown_ruleset``, ``no_joker_order``.
    """


class InvalidNumber(InvalidCode):
    """Not the number of a numbered game (R7.7). Code: ``game_number``."""


class UnknownRuleset(InvalidCode):
    """Letters that are no ruleset (R6). Code: ``unknown_ruleset``."""


class InvalidMove(InvalidInput):
    """Not a move at all (R2.5). Codes: ``move_text``, ``log_too_long``."""


class IllegalMove(EngineError):
    """A move the rules refuse (R2.4), or ``log_full`` (R5.4). Nothing has changed."""


def shown(text: object, limit: int = 24) -> str:
    """Input as it may stand in a message: printable ASCII, cut to ``limit`` characters; the rest as escapes."""
    raw = text if isinstance(text, str) else type(text).__name__
    cut = raw if len(raw) <= limit else raw[:limit] + "..."
    return cut.encode("unicode_escape").decode("ascii")
