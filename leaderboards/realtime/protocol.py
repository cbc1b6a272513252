"""The messages of /ws/v1/standings, each a typed value with a parser or an encoder. JSON text frames, `type` first.

The rule for clients: a snapshot replaces everything; an event applies when its `previous` is the version you have (keep
the rows you know, merge `rows`, put them in `order`); one whose `version` you have already is ignored; anything else, or
a heartbeat with a newer version than yours, means that something was missed: send `resync` and take the snapshot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypedDict

from games.realtime.protocol import Ping as Ping
from games.realtime.protocol import Pong as Pong
from games.realtime.schema import Parser, Text
from games.realtime.schema import encode as encode
from games.realtime.shapes import ErrorShape

BOARDS_PER_SOCKET = 8
ROWS = 50
"""How many rows from the top are followed."""

BoardText = Annotated[str, Text(r"[^\x00-\x1f\x7f]{1,100}")]
KindText = Annotated[str, Text(r"people|bots")]
ViewText = Annotated[str, Text(r"best|first")]


# --- from the client -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Follow a board: a game code, or `daily-2026-11-29`. Answered by a snapshot, then events."""

    TYPE: ClassVar[str] = "subscribe"
    board: BoardText
    kind: KindText = "people"
    view: ViewText = "best"


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """Follow it no more. No answer, also when it was not followed."""

    TYPE: ClassVar[str] = "unsubscribe"
    board: BoardText
    kind: KindText = "people"
    view: ViewText = "best"


@dataclass(frozen=True, slots=True)
class Resync:
    """Something was missed: a fresh snapshot of a board that is followed, please."""

    TYPE: ClassVar[str] = "resync"
    board: BoardText
    kind: KindText = "people"
    view: ViewText = "best"


ClientMessage = Subscribe | Unsubscribe | Resync | Ping
CLIENT_MESSAGES = (Subscribe, Unsubscribe, Resync, Ping)
parser = Parser(*CLIENT_MESSAGES)


# --- from the server -----------------------------------------------------------------------------------------------


class CountsShape(TypedDict):
    """How many have started, still play, have ended."""

    players: int
    playing: int
    finished: int


class RowPlayerShape(TypedDict):
    """Whose row it is."""

    id: str
    name: str | None


class RowShape(TypedDict):
    """One row of a board; `id` is the attempt's. Equal ranks are exact ties (R8.4)."""

    rank: int
    id: str
    player: RowPlayerShape
    outcome: Literal["won", "stuck"]
    score: int
    moves: int
    peaks: int
    cards_left: int
    elapsed_ms: int
    finished_at: str
    number: int


class VersionShape(TypedDict):
    """The newest version of a board that was sent on this socket."""

    board: str
    kind: str
    view: str
    version: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A board at one version: its first 50 rows in order, and how many there are in all."""

    TYPE: ClassVar[str] = "snapshot"
    board: str
    kind: str
    view: str
    version: int
    entries: int
    counts: CountsShape
    rows: list[RowShape]


@dataclass(frozen=True, slots=True)
class Event:
    """From version `previous` to `version`: the ids of the first 50 in order, and the rows among them that are new or changed."""

    TYPE: ClassVar[str] = "event"
    board: str
    kind: str
    view: str
    version: int
    previous: int
    entries: int
    counts: CountsShape
    order: list[str]
    rows: list[RowShape]


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Every few seconds: the versions of what this socket follows. `delayed`: changes arrive by polling for now."""

    TYPE: ClassVar[str] = "heartbeat"
    versions: list[VersionShape]
    delayed: bool
    now: str


@dataclass(frozen=True, slots=True)
class Rollover:
    """The official date has changed: `daily` is the new one, as GET /api/v1/daily shows it (case C11)."""

    TYPE: ClassVar[str] = "rollover"
    daily: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """A frame was refused; `board`, `kind`, `view` repeat what it named, where that could be read."""

    TYPE: ClassVar[str] = "error"
    error: ErrorShape
    board: str | None = None
    kind: str | None = None
    view: str | None = None


SERVER_MESSAGES = (Snapshot, Event, Heartbeat, Rollover, Refused, Pong)


def difference(before: dict[str, Any], after: dict[str, Any], named: tuple[str, str, str]) -> Event:
    """The event that leads from one snapshot of `selectors.standings_snapshot` to a later one of the same board."""
    known = {row["id"]: row for row in before["rows"]}
    return Event(
        *named,
        version=after["version"],
        previous=before["version"],
        entries=after["entries"],
        counts=after["counts"],
        order=[row["id"] for row in after["rows"]],
        rows=[row for row in after["rows"] if known.get(row["id"]) != row],
    )


def snapshot_of(state: dict[str, Any], named: tuple[str, str, str]) -> Snapshot:
    """The snapshot frame of what `selectors.standings_snapshot` returns; `named`: board, kind and view as followed."""
    return Snapshot(
        *named, version=state["version"], entries=state["entries"], counts=state["counts"], rows=state["rows"]
    )
