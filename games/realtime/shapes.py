"""The JSON objects inside frames, as types: what `games.selectors` and `games.errors` make."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ErrorShape(TypedDict):
    """The one error shape of REST and socket; `code` is stable, `data` depends on it."""

    code: str
    message: str
    data: dict[str, Any]


class ViewShape(TypedDict):
    """What the player sees: slots 0-27 as `"3S"`, `"??"` (face down) or null (gone)."""

    tableau: list[str | None]
    open: list[int]
    waste: str | None
    waste_count: int
    stock: int
    deal: NotRequired[str]


class ResultShape(TypedDict):
    """The best result an attempt has recorded. Times: whole milliseconds, ISO 8601 UTC."""

    outcome: Literal["won", "stuck"]
    score: int
    moves: int
    peaks: int
    cards_left: int
    elapsed_ms: int
    finished_at: str


class AttemptShape(TypedDict):
    """An attempt as its owner sees it. `legal` are the moves that will be accepted now."""

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
    outcome: Literal["won", "stuck", "resigned", "expired"] | None
    closed: bool
    undo_allowed: bool
    started_at: str
    finished_at: str | None
    deadline: str | None
    elapsed_ms: int
    result: ResultShape | None
    view: ViewShape
    legal: list[str]


class PlayerShape(TypedDict):
    """Who the socket belongs to."""

    id: str
    name: str | None
    kind: Literal["guest", "person", "bot"]


class LimitsShape(TypedDict):
    """The limits of one socket: bytes in a frame, frames a second (twice as many in a burst)."""

    frame_bytes: int
    frames_per_second: int
