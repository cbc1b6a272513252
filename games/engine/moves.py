"""Moves as small integers and the move log as text (R2.5): ``t0`` ... ``t27`` remove, ``d`` draw, ``u`` undo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from games.engine.errors import InvalidMove, shown
from games.engine.layout import SLOTS

Move = int
"""0..27 remove that slot, 28 draw, 29 undo."""

DRAW: Final = SLOTS
UNDO: Final = SLOTS + 1
LAST_MOVE: Final = UNDO
MAX_PLIES: Final = 2_000
"""A log holds at most this many plies, undos included (R5.4)."""

MOVE_TEXTS: Final[tuple[str, ...]] = (*(f"t{slot}" for slot in range(SLOTS)), "d", "u")
_MOVE_OF: Final[dict[str, Move]] = {text: move for move, text in enumerate(MOVE_TEXTS)}
_LONGEST_LOG: Final = 16_000  # characters; 2,000 plies take at most 7,999


def move_text(move: Move) -> str:
    """``move_text(18)`` is ``"t18"``."""
    if not 0 <= move <= LAST_MOVE:
        raise InvalidMove("move_text", "This is not a move.", move=move)
    return MOVE_TEXTS[move]


def parse_move(text: str) -> Move:
    """The inverse of `move_text`, exact text only; raises `InvalidMove`."""
    try:
        return _MOVE_OF[text]
    except (KeyError, TypeError):
        raise InvalidMove("move_text", f"{shown(text)} is not a move.", text=shown(text)) from None


def parse_log(text: str) -> tuple[Move, ...]:
    """Moves separated by spaces; raises `InvalidMove` with the ``ply`` (from 1) of the first word that is none."""
    if not isinstance(text, str) or len(text) > _LONGEST_LOG:
        raise InvalidMove("log_too_long", "This is too long for a move log.", longest=_LONGEST_LOG)
    words = text.split()
    try:
        return tuple([_MOVE_OF[word] for word in words])
    except KeyError:
        ply, word = next((ply, word) for ply, word in enumerate(words, start=1) if word not in _MOVE_OF)
        raise InvalidMove(
            "move_text", f"{shown(word)} at ply {ply} is not a move.", text=shown(word), ply=ply
        ) from None


def format_log(log: Iterable[Move]) -> str:
    """The inverse of `parse_log`: moves separated by single spaces."""
    return " ".join([move_text(move) for move in log])
