"""The shapes of the server's answers, for type checkers; see client.py."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class View(TypedDict):
    """What the player sees: slots 0-27 as `"3S"`, `"??"` (face down) or None (gone); `deal` only once it is public."""

    tableau: list[str | None]
    open: list[int]
    waste: str | None
    waste_count: int
    stock: int
    deal: NotRequired[str]


class Result(TypedDict):
    """The best result an attempt has recorded, as boards rank it. Times: whole ms and ISO 8601 UTC."""

    outcome: str
    score: int
    moves: int
    peaks: int
    cards_left: int
    elapsed_ms: int
    finished_at: str


class Attempt(TypedDict):
    """One player's play of one deal, as its owner sees it. `legal` are the moves that will be accepted now."""

    id: str
    code: str | None
    competition: str | None
    ruleset: str
    ranked: bool
    number: int
    ply: int
    score: int
    moves: int
    run: int
    peaks: int
    cards_left: int
    outcome: str | None
    closed: bool
    undo_allowed: bool
    started_at: str
    finished_at: str | None
    deadline: str | None
    elapsed_ms: int
    result: Result | None
    view: View
    legal: list[str]


class MoveReply(TypedDict):
    """The answer to a move or resignation: the attempt as it stood at `ply`, right after it."""

    attempt: Attempt
    move: str | None
    ply: int
    move_id: str


class News(TypedDict):
    """What a result meant for the record of a numbered game: first_win, record_broken, best_so_far or no_record.

    By how much, None where there was nothing before; moves count at equal cards only.
    """

    kind: str
    fewer_cards: int | None
    fewer_moves: int | None


class Player(TypedDict):
    """Somebody who plays; `kind` is guest, person or bot, `name` None for a guest."""

    id: str
    name: str | None
    kind: str


class Best(TypedDict):
    """The best result that moves and draws can still reach from a position; moves already made included."""

    outcome: str
    score: int
    moves: int
    peaks: int
    cards_left: int


class Cost(TypedDict):
    """What a move lost of the best result: `of` is win, peaks, cards, points or moves; `amount` None for a win."""

    of: str
    amount: int | None


class AnalysedPly(TypedDict):
    """The position after a ply (0: the opening). `kept` is None for the opening and for undos, which are no moves."""

    ply: int
    move: str | None
    winnable: bool
    fewest_draws: int | None
    best: Best | None
    best_score: int | None
    kept: bool | None
    lost_win: bool
    cost: Cost | None
    undone: bool


class Analysis(TypedDict):
    """`lost_at`: the ply that threw the win away and was not taken back; `accuracy` = `kept` / `moves`, 0 to 1."""

    attempt: dict[str, Any]
    plies: list[AnalysedPly]
    lost_at: int | None
    costly: list[int]
    moves: int
    kept: int
    accuracy: float | None


class Hint(TypedDict):
    """`move` is None when only an undo is left."""

    move: str | None
    ply: int
    winnable: bool
