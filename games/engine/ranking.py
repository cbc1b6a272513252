"""The ranking rules (R8.2-8.4) and the integer that carries each of them: smaller is better, equal means an exact tie.

Each key is a mixed-radix number below 2**53, exact in a double, so that a sorted set and a database index agree (C13).
Its fields, their ranges, and the rules those come from:

==============  ==============  ===================================================================================
field           range           from
==============  ==============  ===================================================================================
points500       0 .. 772        R4.1: never below 0; 28 removes and no draw make 500 - 28 + 300
runs            -120 .. 466     R4.2: 24 draws (R6.1, R6.2) cost 5 each; one run of 28 cards is 406 + 60
peaks, not won  0 .. 2          R1.5: with the third tip the last card is gone
cards left      0 .. 28         R1.1; 1 .. 28 when not won
moves           0 .. 2,000      R5.4, R5.2: undone moves count (0 .. 63 when timed: no undo, so at most 28 + 24)
elapsed         0 .. 2**27 - 1  R8.4: whole milliseconds, 37 hours; a day and its grace time are 24.5 (R9.2)
==============  ==============  ===================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Final

from games.engine.position import Outcome, Position
from games.engine.rulesets import RankingName

POINTS_MOST: Final = 772
RUNS_LEAST: Final = -120
RUNS_MOST: Final = 466
ELAPSED_SPAN: Final = 1 << 27
ELAPSED_QUANTUM: Final = 1 << 15
MOVES_SPAN: Final = 2_001
TIMED_MOVES_SPAN: Final = 64

_POINTS_SPAN: Final = POINTS_MOST + 1
_RUNS_SPAN: Final = RUNS_MOST - RUNS_LEAST + 1
_CARDS_SPAN: Final = 28
_LEADING_SPAN: Final[dict[str, int]] = {
    # won: by score; then not won: by peaks, cards left, score
    "result": _POINTS_SPAN + 3 * _CARDS_SPAN * _POINTS_SPAN,
    "score": _RUNS_SPAN,
    "cards_left": _CARDS_SPAN + 1,
}


@dataclass(frozen=True, slots=True)
class Result:
    """What a finished attempt is ranked by."""

    outcome: Outcome
    score: int
    moves: int
    """The counter of R5.2."""
    peaks: int
    cards_left: int
    elapsed_ms: int
    """Whole milliseconds measured by the server (R8.4)."""
    undos: int


def result_of(position: Position, elapsed_ms: int) -> Result:
    """The result of a won or stuck position (R3.4: nothing else is ranked); ValueError while it goes on."""
    outcome = position.outcome
    if outcome is None:
        raise ValueError("an attempt that goes on has no result")
    return Result(
        outcome, position.score, position.moves, position.peaks, position.cards_left, elapsed_ms, position.undos
    )


def _field(name: str, value: int, lowest: int, highest: int) -> int:
    """Offset of a value in its range; a value outside would silently spoil the order, so it raises."""
    if not lowest <= value <= highest:
        raise ValueError(f"{name} {value} is outside {lowest}..{highest}")
    return value - lowest


def _leading(ranking: RankingName, result: Result) -> int:
    """Everything before moves and time."""
    if ranking == "score":
        return RUNS_MOST - RUNS_LEAST - _field("score", result.score, RUNS_LEAST, RUNS_MOST)
    if ranking == "cards_left":
        return _field("cards left", result.cards_left, 0, 28)
    points = POINTS_MOST - _field("score", result.score, 0, POINTS_MOST)
    if result.outcome == "won":
        return points
    peaks = 2 - _field("peaks", result.peaks, 0, 2)
    cards = _field("cards left", result.cards_left, 1, 28)
    return _POINTS_SPAN + (peaks * _CARDS_SPAN + cards) * _POINTS_SPAN + points


def rank_key(ranking: RankingName, result: Result, *, timed: bool) -> int:
    """The key of a result under a ranking rule: ``0 <= key < key_span(ranking, timed) < 2**53``, smaller is better.

    ``timed`` adds the elapsed time as the last field (daily and timed competitions, R8.4). Raises ValueError for a
    result that does not fit into the ranges above.
    """
    moves_span = TIMED_MOVES_SPAN if timed else MOVES_SPAN
    key = _leading(ranking, result) * moves_span + _field("moves", result.moves, 0, moves_span - 1)
    if timed:
        key = key * ELAPSED_SPAN + _field("elapsed_ms", result.elapsed_ms, 0, ELAPSED_SPAN - 1)
    return key


def key_span(ranking: RankingName, timed: bool) -> int:
    """Exclusive upper bound of `rank_key`."""
    tail = TIMED_MOVES_SPAN * ELAPSED_SPAN if timed else MOVES_SPAN
    return _LEADING_SPAN[ranking] * tail


def key_bucket(ranking: RankingName, timed: bool) -> int:
    """Divisor for histograms: ``key // key_bucket(...)`` never parts two equal keys and keeps the order."""
    return ELAPSED_QUANTUM if timed else 1


# --- the same order said plainly, to hold the packed keys to ---------------------------------------------------------


def compare(ranking: RankingName, one: Result, other: Result, *, timed: bool) -> int:
    """Negative when ``one`` ranks before ``other``, 0 for an exact tie: R8.2-8.4 sentence by sentence."""
    steps: list[int]
    if ranking == "score":
        steps = [other.score - one.score]
    elif ranking == "cards_left":
        steps = [one.cards_left - other.cards_left]
    elif one.outcome != other.outcome:
        steps = [-1 if one.outcome == "won" else 1]
    elif one.outcome == "won":
        steps = [other.score - one.score]
    else:
        steps = [other.peaks - one.peaks, one.cards_left - other.cards_left, other.score - one.score]
    steps.append(one.moves - other.moves)
    if timed:
        steps.append(one.elapsed_ms - other.elapsed_ms)
    return next((step for step in steps if step), 0)


def rank_all(ranking: RankingName, results: Sequence[Result], *, timed: bool) -> list[int]:
    """The rank of each result in standard competition ranking (1, 1, 1, 4), in the order given; slow and obvious."""

    def by_index(one: int, other: int) -> int:
        return compare(ranking, results[one], results[other], timed=timed)

    order = sorted(range(len(results)), key=cmp_to_key(by_index))
    ranks = [0] * len(results)
    for place, index in enumerate(order, start=1):
        before = order[place - 2] if place > 1 else None
        tied = before is not None and compare(ranking, results[before], results[index], timed=timed) == 0
        ranks[index] = ranks[before] if tied and before is not None else place
    return ranks
