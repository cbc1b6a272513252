"""A simple forward search for a winning line, enough to choose winnable dailies (R9.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.engine.cards import FITS, JOKER, NO_CARD, Card
from games.engine.layout import ALL_REMOVED, BIT, COVERS, SLOTS, open_slots
from games.engine.moves import DRAW, Move
from games.engine.position import check_deck
from games.engine.rulesets import Ruleset


@dataclass(frozen=True, slots=True)
class Found:
    """The end of a search."""

    line: tuple[Move, ...] | None
    """Removes and draws that win, or None."""
    exhausted: bool
    """Nothing was left to try: with ``line`` None this proves that the deal cannot be won."""
    nodes: int
    """Different states that were opened."""


def search(ruleset: Ruleset, cards: Sequence[Card], *, node_limit: int = 200_000) -> Found:
    """Depth first from the opening; each state (removed slots, cards drawn, rank on the waste) is opened once.

    The run and the score do not matter for winning. Cards that turn up others are tried first, draws last. Raises
    `InvalidCards` for a wrong deck. Roughly a microsecond or two a node; memory about 100 bytes a node.
    """
    deal = check_deck(ruleset, cards)
    fits = FITS[ruleset.joined]
    start = ruleset.stock_start
    ranks = [card % 13 if card < JOKER else 13 for card in range(JOKER)] + [13, 14]  # joker 13, empty waste 14
    waste = NO_CARD if ruleset.waste_starts_empty else deal[SLOTS]
    seen: set[int] = {start << 4 | ranks[waste]}
    line: list[Move] = []
    # One frame a depth: the state's removed slots, next stock place, and its moves still to try (best one last).
    stack = [(0, start, _moves(ruleset, deal, fits[waste], 0, start, waste))]
    while stack:
        removed, at, moves = stack[-1]
        if not moves:
            stack.pop()
            if line:
                line.pop()
            continue
        move = moves.pop()
        if move == DRAW:
            waste = deal[at]
            at += 1
        else:
            waste = deal[move]
            removed |= BIT[move]
        if removed == ALL_REMOVED:
            return Found((*line, move), False, len(seen))
        key = (removed << 6 | at) << 4 | ranks[waste]
        if key in seen:
            continue
        if len(seen) >= node_limit:
            return Found(None, False, len(seen))
        seen.add(key)
        line.append(move)
        stack.append((removed, at, _moves(ruleset, deal, fits[waste], removed, at, waste)))
    return Found(None, True, len(seen))


def _moves(
    ruleset: Ruleset, deal: tuple[Card, ...], row: tuple[bool, ...], removed: int, at: int, waste: int
) -> list[Move]:
    """Legal removes and draws, the most promising last."""
    fitting = [slot for slot in open_slots(removed) if row[deal[slot]]]
    may_draw = (
        at < ruleset.deck_size
        and not (ruleset.draw_only_when_stuck and fitting)
        and (ruleset.draw_onto_empty_waste or waste != NO_CARD)
    )
    if len(fitting) > 1:
        fitting.sort(key=lambda slot: _turned_up(removed | BIT[slot], slot))
    return [DRAW, *fitting] if may_draw else fitting


def _turned_up(removed: int, slot: Move) -> int:
    """How many cards removing ``slot`` has uncovered."""
    uncovered = open_slots(removed)
    return sum(under in uncovered for under in COVERS[slot])


def find_win(ruleset: Ruleset, cards: Sequence[Card], *, node_limit: int = 200_000) -> tuple[Move, ...] | None:
    """A winning line, or None when none was found within the limit.

    None proves nothing by itself; `search` tells whether everything was tried.
    """
    return search(ruleset, cards, node_limit=node_limit).line
