"""Positions for the solver's tests: late ones, which the reference can search, of lost and of winnable games."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from games.engine.cards import Card, parse_cards
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.moves import DRAW, UNDO, Move
from games.engine.position import Position, start
from games.engine.ranking import rank_key
from games.engine.replay import replay
from games.engine.rulesets import Ruleset, find_ruleset
from games.solver.answers import PlyValue, Solution
from games.solver.exact import solve
from games.solver.reference import Reference, TooLarge, value

FEW = 1_000
"""States that the reference may open for one position."""


def opening(code: str, *, undo_allowed: bool = True) -> Position:
    parsed = parse_code(code)
    return start(find_ruleset(parsed.ruleset), deal_cards(parsed), undo_allowed=undo_allowed)


def at(ruleset: Ruleset, cards: str | Sequence[Card], log: Iterable[Move] = ()) -> Position:
    played = replay(ruleset, parse_cards(cards) if isinstance(cards, str) else cards, tuple(log))
    assert played.error is None, played.error
    return played.position


def wander(position: Position, choose: random.Random, *, greed: float) -> list[Position]:
    """Positions from this one to an end: a card where one fits (by greed), now and then an undo."""
    positions = [position]
    while positions[-1].outcome is None:
        here = positions[-1]
        legal = here.legal_moves()
        removes = [move for move in legal if move < DRAW]
        if UNDO in legal and choose.random() < 0.05:
            move = UNDO
        elif removes and choose.random() < greed:
            move = choose.choice(removes)
        else:
            move = choose.choice([move for move in legal if move != UNDO])
        positions.append(here.play(move))
    return positions


def late_positions(ruleset: Ruleset, seed: int, *, count: int = 3) -> list[tuple[Position, Reference]]:
    """Positions of one random deal with what the reference says of them: as early as it can manage, and later ones.

    Half of the games follow the solver's own line, so that many of the positions can be won.
    """
    choose = random.Random(f"{ruleset.letters} {seed}")
    cards = list(range(ruleset.deck_size))
    choose.shuffle(cards)
    position = start(ruleset, cards)
    if choose.random() < 0.5:
        positions = [position]
        for move in solve(position).line:
            positions.append(positions[-1].play(move))
    else:
        positions = wander(position, choose, greed=choose.random())
    found: list[tuple[Position, Reference]] = []
    for late in reversed(positions):
        try:
            found.append((late, value(late, limit=FEW)))
        except TooLarge:
            break
    earliest = found[-1]
    return [earliest, *choose.sample(found, min(count - 1, len(found)))]


def agrees(found: PlyValue, told: Reference, position: Position) -> bool:
    """Does the fast solver say what the reference says?"""
    key = None
    if found.best is not None:
        key = rank_key(position.ruleset.ranking, found.best.result(), timed=False)
    facts = (found.winnable, found.fewest_draws, key, found.best_score)
    return facts == (told.winnable, told.fewest_draws, told.key, told.best_score)


def reaches(position: Position, found: Solution) -> bool:
    """Does the line lead to the best result, by the engine?"""
    for move in found.line:
        position = position.play(move)
    best = found.best
    assert best is not None
    return (position.outcome, position.score, position.moves, position.peaks, position.cards_left, position.undos) == (
        best.outcome,
        best.score,
        best.moves,
        best.peaks,
        best.cards_left,
        best.undos,
    )
