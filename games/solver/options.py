"""What each move of a position is worth, for many positions of one deal at once: one sweep, then look-ups.

Worths compare moves of one position with each other; between positions or deals they mean nothing. A winnable one is
`LEAST_WIN` or more, and greater with fewer draws; else more peaks or fewer cards left, as the ruleset ranks stuck ends.
For rulesets scored by runs this is not the best score (which takes a tenth of a second), but winning with fewest draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

from games.engine.cards import Card
from games.engine.moves import DRAW, Move
from games.engine.rulesets import Ruleset
from games.solver.linear import LEAST_WIN as LEAST_WIN
from games.solver.linear import sweep_all
from games.solver.sweeps import scratch
from games.solver.tables import board_of, rank_of, shapes


@dataclass(frozen=True, slots=True)
class Choice:
    """A position that is being decided: what lies removed, how many cards are drawn, and the moves to compare."""

    removed: int
    drawn: int
    moves: tuple[Move, ...]
    """Legal removes and the draw; never an undo."""


def worths(ruleset: Ruleset, cards: Sequence[Card], choices: Sequence[Choice]) -> list[tuple[int, ...]]:
    """The worth of each move of each choice, 0 to 127. Assumes a checked deck and legal moves."""
    if not choices:
        return []
    board = board_of(ruleset, cards)
    table = shapes()
    with scratch("worth") as worth:
        sweep_all(board, worth, removed=reduce(and_, (choice.removed for choice in choices)))
        found = []
        for choice in choices:
            values = []
            for move in choice.moves:
                if move == DRAW:
                    shape = table.number[choice.removed]
                    rank, drawn = int(board.stock_ranks[choice.drawn]), choice.drawn + 1
                else:
                    shape = table.number[choice.removed | 1 << move]
                    rank, drawn = rank_of(cards[move]), choice.drawn
                values.append(int(worth[shape, rank, drawn]))
            found.append(tuple(values))
        return found
