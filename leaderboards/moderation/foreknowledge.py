"""Did the player know hidden cards? Choices judged against the exact solver and against what could be known honestly.

A decision *tells* when its moves differ in worth (by the solver, which sees every card): a best move was there to be
missed. An honest player chooses from what is seen, so whether the chosen move is a best one is then a draw of chance,
with the share of the arrangements of the unseen cards in which it is: `chance` of that very move, however strong, weak
or odd the player's reasons. Who knows the cards hits more often than chance, most tellingly with moves that look bad.

For each telling decision the factor is 1 + s (1 / chance - 1) when the move is a best one, 1 - s when not: on average 1
for every honest policy, so the product over decisions is a bet against honesty that wins nothing on average. The share s
put on a decision may depend on whatever is seen: it is the chance that knowledge and not habit made the move, so it is
great for moves that people hardly make (`usually`) and grows with the degree of knowledge bet on (DEGREES). Products of
attempts multiply: each has its own cards. The same is done for keeping the win, for who wants no more than that.

`logs` takes chances from a fitted model (`honest.chances`), in milliseconds. It is only a sieve: strong players see more
than the model does. Where it finds something, `shuffles` asks the arrangements themselves, and nobody is flagged for
foreknowledge on the model's word.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from games.solver.options import LEAST_WIN, worths

from .choices import Decision, decisions
from .evidence import Line
from .honest import chances

DEGREES: Final = (0.05, 0.1, 0.2, 0.5, 0.9)
"""Shares of choices made with knowledge that are bet on; nothing is staked on the first any more, but the logarithms of
version 1 that careers hold have it."""
STAKES: Final = (0.0, 0.1, 0.4, 0.1, 0.25, 0.0, 0.0, 0.05, 0.0, 0.1)
"""How the stake is spread: the degrees of the best result, then those of keeping the win. Most lies on one choice in five:
greater degrees need no help."""
WINDOWS: Final = {4: 0.2, 20: 0.3, 60: 0.5}
"""Newest attempts over which the factors are multiplied, with the part of the stake for each."""
ODD: Final = 0.1
"""Share of moves that people make for no reason that the table shows."""

Logs = tuple[float, ...]
"""Natural logarithms of an attempt's factors: for each degree of the best result, then of keeping the win."""
NOTHING: Final[Logs] = (0.0,) * (2 * len(DEGREES))


def _hits(values: Sequence[int]) -> tuple[list[bool] | None, list[bool] | None]:
    """Which moves are best, and which keep the win; None where all or none are."""
    most, least = max(values), min(values)
    best = [value == most for value in values] if least < most else None
    win = [value >= LEAST_WIN for value in values] if least < LEAST_WIN <= most else None
    return best, win


def _add(sums: list[float], first: int, hit: bool, chance: float, usual: float) -> None:
    for at, degree in enumerate(DEGREES):
        stake = degree / (degree + (1 - degree) * usual)
        sums[first + at] += math.log(1 + stake * (1 / chance - 1)) if hit else math.log(1 - stake)


def usually(best_chances: Sequence[float], made: int) -> float:
    """How likely people make this move: those that look best most often."""
    odds = [chance / (1 - chance) for chance in best_chances]
    return (1 - ODD) * odds[made] / sum(odds) + ODD / len(odds)


def telling(line: Line) -> list[tuple[Decision, tuple[int, ...]]]:
    """The decisions whose moves differ in worth, with the worths."""
    made = list(decisions(line.ruleset, line.cards, line.log))
    values = worths(line.ruleset, line.cards, [decision.choice for decision in made])
    return [(decision, each) for decision, each in zip(made, values, strict=True) if min(each) < max(each)]


def logs(line: Line) -> tuple[Logs, dict[str, Any]]:
    """The logarithms by the model, and the figures behind them for the record."""
    told = telling(line)
    sums = [0.0] * (2 * len(DEGREES))
    guessed = chances(line.ruleset, line.cards, [decision for decision, _ in told])
    lucky: list[tuple[float, int]] = []
    hit = 0
    expected = 0.0
    for (decision, values), (best_chances, win_chances) in zip(told, guessed, strict=True):
        best, win = _hits(values)
        usual = usually(best_chances, decision.made)
        if best is not None:
            chance = best_chances[decision.made]
            _add(sums, 0, best[decision.made], chance, usual)
            hit += best[decision.made]
            expected += chance
            if best[decision.made]:
                lucky.append((chance, decision.ply))
        if win is not None:
            _add(sums, len(DEGREES), win[decision.made], win_chances[decision.made], usual)
    lucky.sort()
    figures = {
        "telling": len(told),
        "best": hit,
        "expected": round(expected, 1),
        "plies": sorted(ply for chance, ply in lucky[:6] if chance < 0.5),
    }
    return tuple(sums), figures


def decibans(career: Sequence[Logs]) -> tuple[float, int]:
    """What the bets on a career (oldest attempt first) have won, and the window that won most.

    Windows longer than the career are the career.
    """
    if not career:
        return 0.0, 0
    most, window, total = -math.inf, 0, 0.0
    for length, part in WINDOWS.items():
        newest = career[-length:]
        won = sum(
            stake * math.exp(min(600.0, sum(each[at] for each in newest))) for at, stake in enumerate(STAKES) if stake
        )
        total += part * won
        if won > most:
            most, window = won, min(length, len(career))
    return 10 * math.log10(total), window
