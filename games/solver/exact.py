"""The exact solver: what can still come of any position, by sweeps over all shapes (R1.6). No guess, bound or cut-off.

A state is the shape of the tableau, the cards drawn and the rank on the waste; suits never matter. "Still" means by
removes and draws: taking moves back is not counted on. Runs and scores of the past are in the results.

    >>> from games.engine.codes import parse_code
    >>> from games.engine.deals import deal_cards
    >>> from games.engine.rulesets import find_ruleset
    >>> winnable(find_ruleset("E"), deal_cards(parse_code("TP1-E-AAAAAAB")))
    (True, 12)
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Final

from games.engine.cards import Card
from games.engine.moves import Move
from games.engine.position import Position, start
from games.engine.replay import replay_steps
from games.engine.rulesets import RULESETS, Ruleset
from games.solver import linear, runs
from games.solver.answers import Best, PlyValue, Solution
from games.solver.checks import checked_deck, checked_position
from games.solver.errors import SolverError
from games.solver.states import State, state_of
from games.solver.sweeps import reached, scratch
from games.solver.tables import LONGEST_LINE, board_of, shapes

__all__ = [
    "Best",
    "PlyValue",
    "Solution",
    "SolverError",
    "analyse",
    "solve",
    "warm_up",
    "winnable",
]

_BY_RUNS: Final = {("runs", "score"): True, ("points500", "result"): False, ("cards_left", "cards_left"): False}
"""Which way solves a pair of scoring and ranking rule."""


def _by_runs(ruleset: Ruleset) -> bool:
    try:
        return _BY_RUNS[ruleset.scoring, ruleset.ranking]
    except KeyError:
        raise SolverError(
            "unsolved_rules", f"{ruleset.scoring} ranked by {ruleset.ranking} cannot be solved.", part="ruleset"
        ) from None


def winnable(ruleset: Ruleset, cards: Sequence[Card]) -> tuple[bool, int | None]:
    """Can this deal be won, and with how few draws? Under a millisecond. Raises `InvalidCards`, `UnknownRuleset`."""
    board = board_of(ruleset, checked_deck(ruleset, cards))
    with scratch("seen") as seen:
        wins = reached(board, seen, origin=0, drawn=0, rank=board.opening_rank)
    return (True, (wins & -wins).bit_length() - 1) if wins else (False, None)


def solve(position: Position) -> Solution:
    """Everything about one position, mid-game too, with a line to the best end.

    Raises `SolverError` ``unreachable_position`` for a position that no play reaches, `InvalidCards`, `UnknownRuleset`.
    """
    checked_position(position)
    state = state_of(position)
    board = board_of(position.ruleset, position.cards)
    value, line = (runs if _by_runs(position.ruleset) else linear).solve(board, state)
    return Solution(value.winnable, value.fewest_draws, value.best, value.best_score, line)


def analyse(
    ruleset: Ruleset, cards: Sequence[Card], log: Sequence[Move], *, undo_allowed: bool = True
) -> tuple[PlyValue, ...]:
    """The value of every position of an attempt, from before ply 1 to after the last: one more than the log is long.

    Raises `InvalidMove` or `IllegalMove` for a log that cannot be played, and as `winnable` does.
    """
    deal = checked_deck(ruleset, cards)
    by_runs = _by_runs(ruleset)
    positions = list(replay_steps(ruleset, deal, log, undo_allowed=undo_allowed))
    states = [state_of(position) for position in positions]
    board = board_of(ruleset, deal)
    found: list[PlyValue | None] = [None] * len(states)
    # A log that is nearly full has room for shorter lines only (R5.4): those few plies are swept apart.
    for longest in {state.longest for state in states}:
        places = [at for at, state in enumerate(states) if state.longest == longest]
        some = [states[at] for at in places]
        if by_runs:
            values = runs.evaluate(board, _opening(board.opening_rank, longest), some)
        else:
            values = linear.evaluate(board, some)
        for at, value in zip(places, values, strict=True):
            found[at] = value
    return tuple(value for value in found if value is not None)


def _opening(rank: int, longest: int) -> State:
    return State(0, 0, rank, 0, 0, 0, 0, longest)


def warm_up(progress: Callable[[str], None] | None = None) -> None:
    """Load the compiled kernels, or compile them (seconds, once on a machine), so that no later question waits for that."""
    if progress is not None:
        progress("Preparing the solver …")
    shapes()
    for letters in ("E", "T", "G"):
        ruleset = RULESETS[letters]
        opening = start(ruleset, range(ruleset.deck_size))
        winnable(ruleset, opening.cards)
        solve(opening)
    gc.collect()
    gc.freeze()  # else Python's collector goes through the compiler's hundred thousand objects in the middle of one deal


assert LONGEST_LINE == 52
