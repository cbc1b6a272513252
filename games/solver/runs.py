"""The rulesets scored by runs (R4.2): the exact best score, then the fewest moves.

A run of cards without a draw is worth the same however it goes: it depends on the sizes of the shapes at its ends
alone. So a state needs no run length; it needs, for each size at which its run can end, the best that can follow.
One sweep for each number of cards drawn, from the last one back, gives that.

A worth is one integer: ``(score * 64 - moves) * 128 + cards removed at the end * 4 + peaks at the end``; score and
moves are those still to come, so the greatest worth is the best result, and the end can be read from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from games.engine.layout import SLOTS
from games.engine.moves import DRAW, Move
from games.engine.scoring import SCORING
from games.solver import linear
from games.solver.answers import Best, PlyValue
from games.solver.states import State, empty_in_all, is_won, steps
from games.solver.sweeps import NONE, reached, scratch, settled, settled_runs
from games.solver.tables import Array, Board, peak_points, shapes

_END: Final = 128
_SCORE: Final = 64 * _END


@dataclass(frozen=True, slots=True)
class _Worths:
    """What the scoring rule adds, as worths."""

    run: Array
    """int64 (29): of a whole run by its length."""
    peaks: Array
    """int64 (shapes): of the peaks cleared in a shape."""
    end: Array
    """int64 (shapes): of ending in a shape, its peaks included."""
    draw: int


def _worths(board: Board) -> _Worths:
    rule = SCORING[board.ruleset.scoring]
    table = shapes()
    length = np.arange(SLOTS + 1)
    run = (rule.run_step * length * (length + 1) // 2 + rule.remove * length) * _SCORE - length * _END
    peaks = np.array(peak_points(rule.name))[table.peaks] * _SCORE
    return _Worths(run, peaks, peaks + table.sizes * 4 + table.peaks, rule.draw * _SCORE - _END)


class _Sweep:
    """The worths of all states that play can reach from one state."""

    def __init__(self, board: Board, origin: State, seen: Array, ends: Array) -> None:
        self.board = board
        self.origin = origin
        self.seen = seen
        self.ends = ends
        self.worths = _worths(board)
        self.wins = reached(board, seen, origin=origin.shape, drawn=origin.drawn, rank=origin.rank)
        self.after_draw = np.full((board.stock_size + 2, shapes().count), NONE, dtype=np.int64)
        """[n, shape]: the worth just after the n-th draw."""

    def level(self, drawn: int, origin: int) -> None:
        """Fill ``ends`` for this number of cards drawn, from the shape ``origin`` on."""
        settled_runs(
            self.board,
            self.seen,
            self.ends,
            origin=origin,
            drawn=drawn,
            end_worth=self.worths.end,
            longest=self.origin.longest,
            draw_worth=self.worths.draw,
            run_worth=self.worths.run,
            after_draw=self.after_draw[drawn + 1],
            before=self.after_draw[drawn],
        )

    def runs(self, state: State) -> Array:
        """What ``state`` comes to by the length of what its run goes on for; `level` has been called."""
        size = int(shapes().sizes[state.shape])
        row = self.ends[state.shape, state.rank, size : SLOTS + 1].astype(np.int64)
        gained = self.worths.run[state.run : state.run + len(row)] - self.worths.run[state.run]
        return np.where(row > NONE, row + gained - self.worths.peaks[state.shape], NONE)

    def best(self, state: State) -> Best | None:
        worth = int(self.runs(state).max())
        if worth <= NONE:
            return None
        rest, end = divmod(worth, _END)
        score = -(-rest // 64)
        moves = score * 64 - rest
        size, peaks = divmod(end, 4)
        outcome = "won" if size == SLOTS else "stuck"
        return Best(
            "won" if outcome == "won" else "stuck",
            state.score + score,
            state.line + state.undos + moves,
            peaks,
            SLOTS - size,
            state.undos,
        )

    def line(self) -> tuple[Move, ...]:
        """Moves from the origin to its best end."""
        board, state = self.board, self.origin
        shape, drawn, rank, run = state.shape, state.drawn, state.rank, state.run
        line: list[Move] = []
        while True:
            self.level(drawn, shape)
            here = State(shape, drawn, rank, run, 0, 0, 0, state.longest)
            length = int(self.runs(here).argmax())
            size = int(shapes().sizes[shape]) + length
            wanted = self.ends[shape, rank, size]
            for _ in range(length):
                fitting = steps(board, shape, rank)
                slot, shape, rank = next(step for step in fitting if self.ends[step[1], step[2], size] == wanted)
                line.append(slot)
            if is_won(shape) or drawn == board.stock_size:
                return tuple(line)
            rank = int(board.stock_ranks[drawn])
            drawn += 1
            run = 0
            line.append(DRAW)


def solve(board: Board, state: State) -> tuple[PlyValue, tuple[Move, ...]]:
    """The value of a state and a line to its best end."""
    with scratch("seen") as seen, scratch("ends") as ends:
        sweep = _Sweep(board, state, seen, ends)
        for drawn in range(board.stock_size, state.drawn - 1, -1):
            sweep.level(drawn, state.shape)
        best = sweep.best(state)
        line = sweep.line() if best is not None else ()
    fewest = (sweep.wins & -sweep.wins).bit_length() - 1
    won = bool(sweep.wins) and SLOTS + fewest <= state.longest
    score = None if best is None else best.score
    return PlyValue(won, fewest - state.drawn if won else None, best, score), line


def evaluate(board: Board, opening: State, states: Sequence[State]) -> list[PlyValue]:
    """The values of states that play reaches from the opening and that share ``longest`` with it."""
    bests: list[Best | None] = [None] * len(states)
    with scratch("seen") as seen, scratch("ends") as ends:
        sweep = _Sweep(board, opening, seen, ends)
        lowest = min(state.drawn for state in states)
        origin = min(state.shape for state in states)
        for drawn in range(board.stock_size, lowest - 1, -1):
            sweep.level(drawn, origin)
            for at, state in enumerate(states):
                if state.drawn == drawn:
                    bests[at] = sweep.best(state)
    with scratch("worth") as worth:
        won_worth = linear.won_worth(board, opening.longest)
        nothing = np.zeros(shapes().count, dtype=np.uint8)
        settled(board, worth, removed=empty_in_all(states), won_worth=won_worth, stuck_worth=nothing)
        draws = [linear.draws_to_win(state, worth) for state in states]
    return [
        PlyValue(fewest is not None, fewest, best, None if best is None else best.score)
        for fewest, best in zip(draws, bests, strict=True)
    ]
