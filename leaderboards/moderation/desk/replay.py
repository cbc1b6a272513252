"""An attempt as a moderator watches it: before every ply what its player saw, and where that is allowed what was hidden.

`what_is_shown` decides what may leave (R10.1): nothing of a running attempt; of one that is over but sealed what was
turned up; of a public one everything. Cards leave through `games.engine.visibility.view` alone.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from games.clock import milliseconds
from games.engine.layout import SLOTS
from games.engine.moves import DRAW, UNDO
from games.engine.position import Position
from games.engine.replay import replay_steps
from games.engine.rulesets import find_ruleset
from games.engine.visibility import FACE_DOWN, View, view
from games.models import Attempt
from games.selectors.attempts import facts_of, is_public, progress_of
from games.selectors.logs import log_read

from .names import signal_name, time_text

Shown = Literal["running", "seen", "all"]
_SUITS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def what_is_shown(attempt: Attempt, now: dt.datetime) -> Shown:
    """How much of an attempt's cards the desk may show."""
    progress = progress_of(attempt, now)
    if is_public(facts_of(attempt), progress, now):
        return "all"
    return "seen" if progress.closed else "running"


def face(card: str) -> str:
    """`"TS"` is `10♠`."""
    if card == "XX":
        return "joker"
    return f"{'10' if card[0] == 'T' else card[0]}{_SUITS[card[1]]}\ufe0e"


@dataclass(frozen=True, slots=True)
class Step:
    """The position before a ply, and the move made from it. The last one has no move: it is the end."""

    ply: int
    seen: View
    before: frozenset[int]
    """Slots that are face down here but were turned up earlier and turned down again by an undo."""
    fits: tuple[int, ...]
    may_draw: bool
    """Whether drawing was allowed."""
    score: int
    left: int
    move: str | None
    """`t18`, `d`, `u`."""
    card: str
    """The card that the move brought onto the waste: played or drawn; "" for an undo and at the end."""
    took_ms: int | None
    marks: tuple[str, ...] = ()
    """Names of the signals that speak of this ply."""

    @property
    def choice(self) -> bool:
        """Whether more than one card fitted."""
        return len(self.fits) > 1

    @property
    def slot(self) -> int | None:
        """The slot that was played."""
        return int(self.move[1:]) if self.move and self.move[0] == "t" else None

    @property
    def did(self) -> str:
        """The move in words."""
        if self.move is None:
            return "The end"
        if self.move == "u":
            return "Undo"
        return f"{'Draw' if self.move == 'd' else 'Play'} {face(self.card)}"

    @property
    def said(self) -> str:
        """The choice in a sentence or two."""
        if self.move is None:
            return (
                f"The end: {self.left} left, {self.score} points."
                if self.left
                else f"The end: won, {self.score} points."
            )
        also = [*self.others, *(["drawing"] if self.may_draw and self.move != "d" else [])]
        if self.move == "u":
            return f"{self.did} after {time_text(self.took_ms or 0)}."
        other = f"Also possible: {', '.join(also)}." if also else "Nothing else was possible."
        return f"{self.did} after {time_text(self.took_ms or 0)}. {other}"

    @property
    def others(self) -> list[str]:
        """The other cards that fitted."""
        return [face(self.seen.tableau[slot] or "") for slot in self.fits if slot != self.slot]


@dataclass(frozen=True, slots=True)
class Watched:
    """An attempt from its opening to its end."""

    shown: Shown
    steps: list[Step]
    deal: tuple[str, ...] = field(default=(), repr=False)
    """All cards in the order of the deal; empty unless everything may be shown."""
    stock_start: int = 0

    @property
    def last(self) -> int:
        return len(self.steps)

    @property
    def undone(self) -> bool:
        """Whether an undo has turned a card down again."""
        return any(step.before for step in self.steps)

    @property
    def stock(self) -> tuple[str, ...]:
        return self.deal[self.stock_start :]

    def step(self, ply: int) -> Step:
        """Before this ply; the nearest there is."""
        return self.steps[min(max(ply, 1), self.last) - 1]

    @property
    def cards(self) -> list[str]:
        """Every card that the page may draw: of a sealed deal only those that were turned up."""
        if self.deal:
            return list(dict.fromkeys(self.deal))
        found = {card for step in self.steps for card in (*step.seen.tableau, step.seen.waste) if card}
        return sorted(found - {FACE_DOWN})


def watched(attempt: Attempt, signals: Sequence[Mapping[str, Any]], now: dt.datetime) -> Watched:
    """Everything there is to watch; needs `attempt.deal`. `signals` put their marks on the plies that they name."""
    shown = what_is_shown(attempt, now)
    if shown == "running":
        return Watched("running", [])
    found = log_read(attempt)
    ruleset = find_ruleset(attempt.ruleset)
    log = found.moves
    positions = list(replay_steps(ruleset, tuple(attempt.deal.cards), log, undo_allowed=attempt.undo_allowed))
    times = _intervals(attempt.started_at, found.at_ms)
    marks = marks_by_ply(signals)
    opening = view(positions[0], reveal=shown == "all")
    steps: list[Step] = []
    turned_up: set[int] = set()
    for ply, position in enumerate(positions, start=1):
        seen = view(position)
        down = {slot for slot, card in enumerate(seen.tableau) if card == FACE_DOWN}
        steps.append(
            Step(
                ply=ply,
                seen=seen,
                before=frozenset(down & turned_up),
                fits=tuple(position.fitting()),
                may_draw=DRAW in position.legal_moves(),
                score=position.score,
                left=position.cards_left,
                move=None if ply > len(log) else _move(log[ply - 1]),
                card="" if ply > len(log) else _card(position, log[ply - 1], positions[ply]),
                took_ms=None if ply > len(log) else times[ply - 1],
                marks=tuple(marks.get(ply, ())),
            )
        )
        turned_up |= {slot for slot, card in enumerate(seen.tableau) if card not in (None, FACE_DOWN)}
    return Watched(shown, steps, tuple((opening.deal or "").split()), ruleset.stock_start)


def _move(move: int) -> str:
    return f"t{move}" if move < SLOTS else {DRAW: "d", UNDO: "u"}[move]


def _card(before: Position, move: int, after: Position) -> str:
    """The card that the move laid on the waste: open before it, or turned up by it."""
    if move == UNDO:
        return ""
    return (view(before).tableau[move] if move < SLOTS else view(after).waste) or ""


def _intervals(started: dt.datetime, at_ms: Sequence[int]) -> list[int]:
    """Whole milliseconds from each ply to the one before; the first since the start."""
    ends = [milliseconds(started), *at_ms]
    return [max(0, after - before) for before, after in itertools.pairwise(ends)]


def marks_by_ply(signals: Sequence[Mapping[str, Any]]) -> dict[int, list[str]]:
    """Which signals name which plies."""
    found: dict[int, list[str]] = {}
    for signal in signals:
        plies = signal.get("evidence", {}).get("plies", [])
        for ply in plies if isinstance(plies, list) else []:
            if isinstance(ply, int) and signal["name"] not in found.setdefault(ply, []):
                found[ply].append(signal["name"])
    return found


def steps_json(watched: Watched) -> dict[str, Any]:
    """What the page's script steps through: nothing that the page itself could not show."""
    return {
        "deal": list(watched.deal[:SLOTS]),
        "stock": list(watched.stock),
        "steps": [
            {
                "tableau": list(step.seen.tableau),
                "open": list(step.seen.open),
                "waste": step.seen.waste,
                "stock": step.seen.stock,
                "before": sorted(step.before),
                "fits": list(step.fits),
                "slot": step.slot,
                "draws": step.move == "d",
                "said": step.said,
                "marks": [signal_name(mark) for mark in step.marks],
            }
            for step in watched.steps
        ],
    }
