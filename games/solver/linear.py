"""Rulesets whose score depends only on where the line ends (`points500`, `cards_left`): one sweep decides all states.

A worth is a number below 128: 124 less the draws of a win (fewer draws are fewer moves and, with `points500`, more
points), or below 100 the stuck end by its ranking rule (R8.2, R8.3). All stuck ends have drawn the whole stock, so that score and
moves follow from the cards left and the peaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from games.engine.layout import SLOTS
from games.engine.moves import DRAW, Move
from games.engine.rulesets import RankingName
from games.engine.scoring import SCORING
from games.solver.answers import Best, PlyValue
from games.solver.states import State, empty_in_all, is_won, steps
from games.solver.sweeps import scratch, settled
from games.solver.tables import LONGEST_LINE, Array, Board, peak_points, shapes

_WIN: Final = 124
LEAST_WIN: Final = _WIN - 24
"""A worth of a win, whatever its draws."""


def won_worth(board: Board, longest: int) -> Array:
    """uint8 (32): the worth of a win by the cards drawn."""
    worth = np.zeros(32, dtype=np.uint8)
    most = min(board.stock_size, longest - SLOTS)
    worth[: most + 1] = _WIN - np.arange(most + 1) if most >= 0 else 0
    return worth


def _stuck_worth(board: Board, ranking: RankingName, longest: int) -> Array:
    """uint8 (shapes): the worth of being stuck there by the ranking rule."""
    table = shapes()
    by_peaks = 1 + table.peaks * (SLOTS + 1) + table.sizes
    by_cards = 1 + table.sizes * 3 + table.peaks  # peaks do not rank here; they are only told
    worth = by_peaks if ranking == "result" else by_cards
    return np.where(table.sizes + board.stock_size <= longest, worth, 0).astype(np.uint8)


def _points_worth(board: Board, longest: int) -> Array:
    """uint8 (shapes): the worth of being stuck there by `points500`: more peaks, then fewer removed cards (R4.1)."""
    table = shapes()
    worth = 1 + table.peaks * (SLOTS + 1) + SLOTS - table.sizes
    return np.where(table.sizes + board.stock_size <= longest, worth, 0).astype(np.uint8)


def evaluate(board: Board, states: Sequence[State]) -> list[PlyValue]:
    """The values of states of one deal that share ``longest``."""
    with scratch("worth") as worth:
        _sweep(board, states, worth)
        return _values(board, states, worth)


def solve(board: Board, state: State) -> tuple[PlyValue, tuple[Move, ...]]:
    """The value of a state and a line to its best end."""
    with scratch("worth") as worth:
        _sweep(board, [state], worth)
        line = _line(board, worth, state) if worth[state.shape, state.rank, state.drawn] else ()
        [value] = _values(board, [state], worth)
        return value, line


def _values(board: Board, states: Sequence[State], worth: Array) -> list[PlyValue]:
    """Read the worths; lost games of `points500` need a sweep of their own for the score, which overwrites them."""
    found = [_value(board, state, int(worth[state.shape, state.rank, state.drawn])) for state in states]
    lost = [at for at, value in enumerate(found) if value.best is not None and not value.winnable]
    if lost and board.ruleset.scoring == "points500":
        _sweep(board, [states[at] for at in lost], worth, points=True)
        for at in lost:
            state = states[at]
            peaks, kept = divmod(int(worth[state.shape, state.rank, state.drawn]) - 1, SLOTS + 1)
            score = _score(board, SLOTS - kept, board.stock_size, peaks)
            found[at] = PlyValue(False, None, found[at].best, score)
    return found


def _sweep(board: Board, states: Sequence[State], worth: Array, *, points: bool = False) -> None:
    longest = states[0].longest
    stuck = _points_worth(board, longest) if points else _stuck_worth(board, board.ruleset.ranking, longest)
    settled(board, worth, removed=empty_in_all(states), won_worth=won_worth(board, longest), stuck_worth=stuck)


def sweep_all(board: Board, worth: Array, *, removed: int) -> None:
    """Fill ``worth`` for every state with these slots empty, whatever the scoring: a win by fewest draws, else the stuck end."""
    stuck = _stuck_worth(board, board.ruleset.ranking, LONGEST_LINE)
    settled(board, worth, removed=removed, won_worth=won_worth(board, LONGEST_LINE), stuck_worth=stuck)


def draws_to_win(state: State, worth: Array) -> int | None:
    """The fewest draws from a state on in a win, None when there is none."""
    found = int(worth[state.shape, state.rank, state.drawn])
    return _WIN - found - state.drawn if found >= LEAST_WIN else None


def _score(board: Board, removed: int, drawn: int, peaks: int) -> int:
    rule = SCORING[board.ruleset.scoring]
    score = rule.start + rule.remove * removed + rule.draw * drawn + peak_points(rule.name)[peaks]
    return score if rule.floor is None else max(rule.floor, score)


def _value(board: Board, state: State, worth: int) -> PlyValue:
    """Read a worth."""
    if worth == 0:
        return PlyValue(False, None, None, None)
    if worth >= LEAST_WIN:
        removed, drawn, peaks = SLOTS, _WIN - worth, 3
    else:
        drawn = board.stock_size
        if board.ruleset.ranking == "result":
            peaks, removed = divmod(worth - 1, SLOTS + 1)
        else:
            removed, peaks = divmod(worth - 1, 3)
    won = removed == SLOTS
    score = _score(board, removed, drawn, peaks)
    moves = removed + drawn + state.undos  # each undo has left one move counted (R5.2)
    best = Best("won" if won else "stuck", score, moves, peaks, SLOTS - removed, state.undos)
    return PlyValue(won, drawn - state.drawn if won else None, best, score)


def _line(board: Board, worth: Array, state: State) -> tuple[Move, ...]:
    """Moves that keep the worth, removes first."""
    line: list[Move] = []
    shape, drawn, rank = state.shape, state.drawn, state.rank
    while not is_won(shape):
        wanted = worth[shape, rank, drawn]
        fitting = steps(board, shape, rank)
        kept = next((step for step in fitting if worth[step[1], step[2], drawn] == wanted), None)
        if kept is not None:
            slot, shape, rank = kept
            line.append(slot)
        elif drawn < board.stock_size:
            rank = int(board.stock_ranks[drawn])
            drawn += 1
            line.append(DRAW)
        else:
            break
    return tuple(line)
