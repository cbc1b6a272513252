"""What the exact solver says of the numbered games (R7.7), by the ranking of their ruleset (R8.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from games.engine.codes import numbered_code
from games.engine.deals import deal_cards
from games.engine.layout import SLOTS
from games.engine.rulesets import find_ruleset
from games.solver.exact import analyse, winnable

NUMBERED_VERSION: Final = 1
"""Raised when the facts of any game would come out otherwise; rows of an older version are solved again."""


class GameFacts(NamedTuple):
    """The best possible result of a numbered game: fewest cards left, then fewest moves."""

    number: int
    winnable: bool
    fewest_left: int
    fewest_moves: int


def game_facts(number: int) -> GameFacts:
    """Half a millisecond where the game can be won. Raises `InvalidNumber`."""
    code = numbered_code(number)
    ruleset = find_ruleset(code.ruleset)
    cards = deal_cards(code)
    won, draws = winnable(ruleset, cards)
    if draws is not None:
        return GameFacts(number, won, 0, SLOTS + draws)
    best = analyse(ruleset, cards, ())[0].best
    assert best is not None
    return GameFacts(number, False, best.cards_left, best.moves)


def games_facts(numbers: Sequence[int]) -> list[GameFacts]:
    """The same for several, for worker processes."""
    return [game_facts(number) for number in numbers]
