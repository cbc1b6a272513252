"""What the signals judge: plain values gathered from rows (`gather`) or made by a simulation. No Django in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from games.engine.cards import Card
from games.engine.moves import Move
from games.engine.rulesets import Ruleset

if TYPE_CHECKING:
    from .field import Field

Kind = Literal["person", "bot", "guest"]


@dataclass(frozen=True, slots=True)
class Line:
    """One attempt's log with the server's times."""

    attempt_id: int
    player_id: int
    ruleset: Ruleset
    cards: tuple[Card, ...] = field(repr=False)  # R10.1: reprs end up in logs
    log: tuple[Move, ...]
    intervals_ms: tuple[int, ...]
    """One a ply: whole milliseconds since the ply before; the first since the start."""
    started_ms: int
    """Milliseconds since 1970, as `ended_ms`."""
    ended_ms: int
    undo_allowed: bool = False

    @property
    def elapsed_ms(self) -> int:
        return self.ended_ms - self.started_ms


@dataclass(frozen=True, slots=True)
class Subject:
    """Who played: an account as it was when the attempt ended."""

    kind: Kind
    age_ms: int
    """Since the account was made."""
    finished_before: int
    """Attempts that the account had won or been stuck in before this one."""


@dataclass(frozen=True, slots=True)
class Link:
    """Another account that may be the same person's (both used one network prefix, or one browser in turn), or that is a
    bot's or its owner's.
    """

    player_id: int
    kind: Kind
    same_network: bool
    """A shared hashed prefix within the evidence kept."""
    same_owner: bool
    """A bot and its owner, or two bots of one owner, from whatever networks: known and allowed. Only what one of a bot
    and its owner has shown the other of a sealed deal counts (`linked.deal_seen`)."""
    dailies_both: int
    """Competitions that both accounts have played."""
    dailies_after: int
    """Of those, how many this account started after the other one had ended."""
    line: Line | None
    """The other account's attempt at these very cards that had its last move before this one started: up to its result
    where it has one. Of several the longest."""
    line_ended: str = ""
    """How that attempt ended: won, stuck, resigned, expired; empty while it has not: it was left idle."""
    same_browser: bool = False
    """One signed in where the other was signed in, over whatever networks."""

    @property
    def near(self) -> bool:
        """By network or browser."""
        return self.same_network or self.same_browser

    @property
    def shared(self) -> str:
        """What both used, in a word: a browser or, further off, a network."""
        return "browser" if self.same_browser else "network"


@dataclass(frozen=True, slots=True)
class DailyResult:
    """How an earlier competition attempt of the player compares with the exact best and with the field."""

    reached_best: bool
    """Its result is the exact best possible one (time left aside)."""
    others: int
    """Other people who finished it."""
    others_best: int
    """How many of those reached the exact best."""


@dataclass(frozen=True, slots=True)
class Career:
    """The player's earlier judged attempts, oldest first, at most the newest 200."""

    knowledge: Sequence[tuple[float, ...]] = ()
    """`foreknowledge` of each earlier competition attempt (its `logs`)."""
    settled: int = 0
    """So many of these, the oldest, a flag of the whole career has brought before a moderator: they still tell what the
    player's habits are, and count no more by themselves. Otherwise one strange week would be flagged day after day."""
    results: Sequence[DailyResult] = ()


@dataclass(frozen=True, slots=True)
class Retries:
    """Attempts at these cards that were given up before this one, by this account and by those linked to it."""

    own_given_up: int = 0
    """Own resigned, expired or idle attempts at the same list of cards before this one (open codes only)."""
    linked_given_up: int = 0
    """The same by linked accounts (`Link.near`, not `same_owner`)."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that one judgement looks at."""

    line: Line
    subject: Subject
    sealed: bool
    """The cards were dealt for a competition: nobody could know those face down (R7.8). Else open book (R8.1)."""
    field: Field
    """Earlier finishes at the same cards; the player's own are never compared."""
    career: Career = Career()
    links: Sequence[Link] = ()
    retries: Retries = Retries()
