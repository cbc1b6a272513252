"""The choices of an attempt: each position in which its player had more than one move, as that player saw it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.engine.cards import FITS, NO_CARD, Card
from games.engine.layout import ALL_REMOVED, SLOTS, open_slots
from games.engine.moves import DRAW, UNDO, Move
from games.engine.rulesets import Ruleset
from games.solver.options import Choice


@dataclass(frozen=True, slots=True)
class Decision:
    """One position with two moves or more, and what was done there."""

    ply: int
    """Of the move that was made, from 1."""
    choice: Choice
    top: int
    """The waste's top card, `NO_CARD` when it is empty."""
    made: int
    """Index into `choice.moves`."""

    @property
    def key(self) -> tuple[int, int, int]:
        """What two attempts at one deal must have in common to be at the same decision."""
        return self.choice.removed, self.choice.drawn, self.top


def decisions(ruleset: Ruleset, cards: Sequence[Card], log: Sequence[Move]) -> Iterator[Decision]:
    """The decisions of a valid log, undone ones too. An undo itself decides nothing here."""
    fits = FITS[ruleset.joined]
    stock_start, stock_size = ruleset.stock_start, ruleset.stock_size
    opening = NO_CARD if ruleset.waste_starts_empty else cards[SLOTS]
    removed = drawn = 0
    tops: list[int] = [opening]
    line: list[Move] = []
    for ply, move in enumerate(log, start=1):
        if move == UNDO:
            last = line.pop()
            tops.pop()
            if last == DRAW:
                drawn -= 1
            else:
                removed ^= 1 << last
            continue
        top = tops[-1]
        row = fits[top]
        moves = [slot for slot in open_slots(removed) if row[cards[slot]]]
        may_draw = drawn < stock_size and not (ruleset.draw_only_when_stuck and moves)
        if may_draw and (ruleset.draw_onto_empty_waste or top != NO_CARD):
            moves.append(DRAW)
        if len(moves) > 1:
            yield Decision(ply, Choice(removed, drawn, tuple(moves)), top, moves.index(move))
        if move == DRAW:
            tops.append(cards[stock_start + drawn])
            drawn += 1
        else:
            tops.append(cards[move])
            removed |= 1 << move
        line.append(move)
    assert removed <= ALL_REMOVED
