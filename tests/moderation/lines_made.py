"""Lines for the tests of signals: deals from seeds, players that see only the table, and players that see all."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from games.engine.cards import FITS, Card
from games.engine.layout import ALL_REMOVED, SLOTS, open_slots
from games.engine.moves import DRAW, Move
from games.engine.rulesets import RULESETS, Ruleset
from games.solver.exact import winnable
from games.solver.options import Choice, worths
from leaderboards.moderation.evidence import Evidence, Line, Subject
from leaderboards.moderation.field import Field

E = RULESETS["E"]
HOUR = 3_600_000
PERSON = Subject("person", 100 * 24 * HOUR, 50)
Chooser = Callable[[Sequence[Move], int, int, Sequence[Card], random.Random], Move]


def deal(seed: int, ruleset: Ruleset = E) -> tuple[Card, ...]:
    """A winnable deal."""
    rng = random.Random(seed)
    while True:
        cards = list(range(ruleset.deck_size))
        rng.shuffle(cards)
        if winnable(ruleset, cards)[0]:
            return tuple(cards)


def from_the_left(moves: Sequence[Move], removed: int, drawn: int, cards: Sequence[Card], rng: random.Random) -> Move:
    return moves[0]


def at_random(moves: Sequence[Move], removed: int, drawn: int, cards: Sequence[Card], rng: random.Random) -> Move:
    """Now and then a draw although a card fits."""
    cardmoves = [move for move in moves if move != DRAW]
    return rng.choice(cardmoves) if cardmoves and rng.random() < 0.9 else rng.choice(list(moves))


def knowing_all(moves: Sequence[Move], removed: int, drawn: int, cards: Sequence[Card], rng: random.Random) -> Move:
    values = worths(E, cards, [Choice(removed, drawn, tuple(moves))])[0]
    return rng.choice([move for move, value in zip(moves, values, strict=True) if value == max(values)])


def played(cards: Sequence[Card], choose: Chooser, seed: int = 0, ruleset: Ruleset = E) -> tuple[Move, ...]:
    """A whole attempt."""
    rng = random.Random(seed)
    fits = FITS[ruleset.joined]
    removed = drawn = 0
    top = cards[SLOTS]
    log: list[Move] = []
    if ruleset.waste_starts_empty:  # the first card of the stock is drawn, so that all rulesets begin alike
        log, drawn = [DRAW], 1
    while removed != ALL_REMOVED:
        moves = [slot for slot in open_slots(removed) if fits[top][cards[slot]]]
        moves += [DRAW] if drawn < ruleset.stock_size else []
        if not moves:
            break
        move = moves[0] if len(moves) == 1 else choose(moves, removed, drawn, cards, rng)
        log.append(move)
        if move == DRAW:
            top = cards[ruleset.stock_start + drawn]
            drawn += 1
        else:
            top = cards[move]
            removed |= 1 << move
    return tuple(log)


def line(
    cards: Sequence[Card],
    log: Sequence[Move],
    *,
    player: int = 1,
    attempt: int = 1,
    times: Sequence[int] | None = None,
    started: int = 0,
    ruleset: Ruleset = E,
) -> Line:
    """With 1.5 to 2.5 seconds a move unless told otherwise."""
    rng = random.Random(attempt)
    intervals = tuple(times) if times is not None else tuple(rng.randint(1500, 2500) for _ in log)
    return Line(attempt, player, ruleset, tuple(cards), tuple(log), intervals, started, started + sum(intervals))


def evidence(subject: Line, *earlier: Line, who: Subject = PERSON, sealed: bool = True, **more: object) -> Evidence:
    """What is judged: one line in a field of earlier ones."""
    field = Field()
    for each in earlier:
        field.add(each)
    return Evidence(line=subject, subject=who, sealed=sealed, field=field, **more)  # type: ignore[arg-type]
