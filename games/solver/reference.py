"""The slow and obvious solver that the fast one is held to: searches over engine positions, nothing clever.

They try every legal move but undo, and remember where they have been. Whole deals take seconds to minutes and
hundreds of megabytes; the tests give it late positions, the benchmark a few deals.
"""

from __future__ import annotations

from dataclasses import dataclass

from games.engine.cards import JOKER
from games.engine.moves import DRAW, UNDO
from games.engine.position import Position
from games.engine.ranking import rank_key, result_of
from games.engine.scoring import SCORING


class TooLarge(Exception):
    """More states than the limit allows."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The facts of `games.solver.answers.PlyValue`, the best result as its `rank_key`."""

    winnable: bool
    fewest_draws: int | None
    key: int | None
    best_score: int | None


def _rank(position: Position) -> int | None:
    """Suits do not matter for what fits."""
    top = position.waste_top
    return top if top is None or top == JOKER else top % 13


def value(position: Position, *, limit: int = 1_000_000) -> Reference:
    """Every end within reach, compared by the ranking rule and by score. Raises TooLarge."""
    by_runs = SCORING[position.ruleset.scoring].run_step != 0  # else the score follows from what is gone and drawn
    seen: set[tuple[int | None, ...]] = set()
    waiting = [position]
    draws: list[int] = []
    keys: list[int] = []
    scores: list[int] = []
    while waiting:
        here = waiting.pop()
        state = (here.removed, here.drawn, _rank(here), *((here.run, here.score) if by_runs else ()))
        if state in seen:
            continue
        seen.add(state)
        if len(seen) > limit:
            raise TooLarge
        if here.outcome is not None:
            keys.append(rank_key(here.ruleset.ranking, result_of(here, 0), timed=False))
            scores.append(here.score)
            if here.outcome == "won":
                draws.append(here.drawn - position.drawn)
        waiting += [here.play(move) for move in here.legal_moves() if move != UNDO]
    fewer_is_better = position.ruleset.scoring == "cards_left"
    return Reference(
        bool(draws),
        min(draws, default=None),
        min(keys, default=None),
        (min if fewer_is_better else max)(scores, default=None),
    )


def fewest_draws(position: Position, *, limit: int = 10_000_000) -> int | None:
    """The fewest draws in a win, None when there is none: all that can be done without a draw, then with one, ...

    Raises TooLarge.
    """
    seen: set[tuple[int, int, int | None]] = set()
    waiting = [position]
    while waiting:
        drawn: list[Position] = []
        while waiting:
            here = waiting.pop()
            state = (here.removed, here.drawn, _rank(here))
            if state in seen:
                continue
            seen.add(state)
            if len(seen) > limit:
                raise TooLarge
            if here.outcome == "won":
                return here.drawn - position.drawn
            for move in here.legal_moves():
                if move != UNDO:
                    (drawn if move == DRAW else waiting).append(here.play(move))
        waiting = drawn
    return None


def best_run_score(position: Position, *, limit: int = 3_000_000) -> tuple[int, int] | None:
    """The best score still to be gained with `runs` and, negative, the fewest moves for it; None where there is no end.

    Whole deals: what is still to be gained depends on the state and the run, not on the score so far. Raises TooLarge.
    """
    known: dict[tuple[int, int, int | None, int], tuple[int, int] | None] = {}

    def gain(here: Position) -> tuple[int, int] | None:
        if here.outcome is not None:
            return 0, 0
        state = (here.removed, here.drawn, _rank(here), here.run)
        if state not in known:
            if len(known) >= limit:
                raise TooLarge
            found = []
            for move in here.legal_moves():
                if move != UNDO:
                    after = here.play(move)
                    rest = gain(after)
                    if rest is not None:
                        found.append((rest[0] + after.score - here.score, rest[1] - 1))
            known[state] = max(found, default=None)
        return known[state]

    return gain(position)
