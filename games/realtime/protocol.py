"""The messages of /ws/v1/play, each a typed value with a parser or an encoder. JSON text frames, `type` first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from games.engine.errors import EngineError
from games.engine.moves import MAX_PLIES, parse_move
from games.errors import GameError

from .schema import MOVE_ID, Parser, Text, Whole
from .schema import encode as encode
from .shapes import AttemptShape, ErrorShape, LimitsShape, PlayerShape

CREDENTIAL_ENDED: Final = 4001
HELLO_MISSING: Final = 4002
ORIGIN_REFUSED: Final = 4003
TOO_MANY: Final = 4008
FRAME_TOO_LARGE: Final = 4009
RESTART: Final = 1012
TRY_AGAIN: Final = 1013

CLOSE_CODES: Final = {
    CREDENTIAL_ENDED: "The credential is unknown or has ended: logged out, revoked, expired, banned or deleted.",
    HELLO_MISSING: "No credential came with the handshake and no hello frame within 5 seconds.",
    ORIGIN_REFUSED: "A cookie without an Origin of ours, or a page of another origin.",
    TOO_MANY: "Over the rate limit for too long, or too many sockets of one player or address.",
    FRAME_TOO_LARGE: "A frame larger than the limit in welcome.",
    1009: "A frame so large that it was not even read.",
    1011: "The client did not answer pings, or did not read for 60 seconds. Reconnect.",
    RESTART: "The server restarts. Reconnect and resume.",
    TRY_AGAIN: "The database is away for a moment, so nobody can be signed in. Reconnect.",
}
HELLO_SECONDS: Final = 5.0

MoveId = Annotated[str, Text(MOVE_ID)]
AttemptId = Annotated[str, Text(r"[A-Za-z0-9_-]{1,64}")]
MoveCode = Annotated[int, Text(r"[ -~]{1,8}", read=parse_move, exact=r"t(?:1?[0-9]|2[0-7])|d|u")]
Ply = Annotated[int, Whole(0, MAX_PLIES)]


# --- from the client -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """The first frame of a client that sent no credential with the handshake."""

    TYPE: ClassVar[str] = "hello"
    token: Annotated[str, Text(r"[!-~]{1,200}")]


@dataclass(frozen=True, slots=True)
class PlayMove:
    """Play `t0`–`t27`, `d` or `u` at `expected_ply`; a repeat of the same `move_id` gets the same answer."""

    TYPE: ClassVar[str] = "move"
    attempt: AttemptId
    move: MoveCode
    expected_ply: Ply
    move_id: MoveId


@dataclass(frozen=True, slots=True)
class Resume:
    """How does the attempt stand? `ply` is the last one seen, 0 for none (case C19)."""

    TYPE: ClassVar[str] = "resume"
    attempt: AttemptId
    ply: Ply


@dataclass(frozen=True, slots=True)
class Resign:
    """End the attempt; a recorded result stands (R3.3). Safe to repeat."""

    TYPE: ClassVar[str] = "resign"
    attempt: AttemptId
    move_id: MoveId


@dataclass(frozen=True, slots=True)
class Ping:
    """Answered by pong with the same `id`."""

    TYPE: ClassVar[str] = "ping"
    id: Annotated[str | None, Text(r"[ -~]{0,64}")] = None


ClientMessage = Hello | PlayMove | Resume | Resign | Ping
CLIENT_MESSAGES = (Hello, PlayMove, Resume, Resign, Ping)
parser = Parser(*CLIENT_MESSAGES)


# --- from the server -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Welcome:
    """The credential was accepted. `heartbeat`: seconds between two heartbeats."""

    TYPE: ClassVar[str] = "welcome"
    player: PlayerShape
    heartbeat: int
    limits: LimitsShape


@dataclass(frozen=True, slots=True)
class Ack:
    """`move` was accepted as ply `ply` ("resign" is no ply of its own); `attempt` is the state at that ply."""

    TYPE: ClassVar[str] = "ack"
    attempt: AttemptShape
    move: str
    ply: int
    move_id: str


@dataclass(frozen=True, slots=True)
class State:
    """The answer to resume: the state now, its ply, and the moves after the ply that was last seen."""

    TYPE: ClassVar[str] = "state"
    attempt: AttemptShape
    ply: int
    since: list[str]


@dataclass(frozen=True, slots=True)
class Changed:
    """Another socket or request of this player moved: `attempt` now has `ply` plies. Resume to see them."""

    TYPE: ClassVar[str] = "changed"
    attempt: str
    ply: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A frame was refused and changed nothing; `move_id` and `attempt_id` say which, where they could be read."""

    TYPE: ClassVar[str] = "error"
    error: ErrorShape
    move_id: str | None = None
    attempt_id: str | None = None


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Sent every few seconds; a client that misses three reconnects. `now`: the server's clock, ISO 8601 UTC."""

    TYPE: ClassVar[str] = "heartbeat"
    now: str


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to ping."""

    TYPE: ClassVar[str] = "pong"
    id: str | None = None


SERVER_MESSAGES = (Welcome, Ack, State, Changed, Refused, Heartbeat, Pong)


def refused(error: GameError | EngineError, move_id: str | None = None, attempt_id: str | None = None) -> Refused:
    """The error frame of a refusal."""
    return Refused({"code": error.code, "message": error.message, "data": error.data}, move_id, attempt_id)
