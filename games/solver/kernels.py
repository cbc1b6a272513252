"""The sweeps over all shapes, compiled. Each is exact: nothing is guessed, cut or bounded.

Words of ``seen`` have one bit for each number of cards drawn (0..24). Steps lead to higher shape numbers, so one pass
in that order (or against it) settles everything.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from games.solver.compiled import kernel
from games.solver.tables import Array

_ZERO: Final = np.uint64(0)
_SEVEN: Final = np.uint64(7)
_EIGHT: Final = np.uint64(8)
_TOPS: Final = np.uint64(0x8080808080808080)


@kernel
def reach(
    first: Array,
    slot: Array,
    to: Array,
    slot_ranks: Array,
    stock_words: Array,
    below: Array,
    above: Array,
    origin: int,
    drawn: int,
    rank: int,
    forced: bool,
    empty_draw: bool,
    seen: Array,
) -> int:
    """Mark every state that play can reach from one; the numbers drawn at which the tableau is cleared, as bits.

    ``seen[shape, rank]`` (int32, zero before from ``origin`` on) gets bit d when the state (shape, d drawn, that rank
    on the waste) can be reached; ``stock_words[rank]`` has bit d when the d-th card drawn (from 1) is of that rank.
    """
    last = len(first) - 2
    seen[origin, rank] = 1 << drawn
    for shape in range(origin, last):
        row = seen[shape]
        union = 0
        for r in range(15):
            union |= row[r]
        if union == 0:
            continue
        begin = first[shape]
        end = first[shape + 1]
        if forced:
            fits = 0
            for step in range(begin, end):
                r = slot_ranks[slot[step]]
                fits |= 1 << below[r] | 1 << above[r] | 1 << 13 | 1 << 14
                if r == 13:
                    fits = 0xFFFF
            free = 0
            for r in range(15):
                if not fits >> r & 1:
                    free |= row[r]
            union = 0
            for d in range(24):
                if free >> d & 1:
                    for r in range(14):
                        if stock_words[r] >> (d + 1) & 1:
                            row[r] |= 1 << (d + 1)
                            if not fits >> r & 1:
                                free |= 1 << (d + 1)
        else:
            # Who may draw may draw on: every later card of the stock can come to lie on the waste.
            if not empty_draw and row[14]:
                union = 0
                for r in range(14):
                    union |= row[r]
            later = -((union & -union) << 1)
            if union:
                for r in range(14):
                    row[r] |= stock_words[r] & later
        anything = row[13] | row[14]
        for step in range(begin, end):
            r = slot_ranks[slot[step]]
            if r == 13:
                word = 0
                for other in range(15):
                    word |= row[other]
            else:
                word = row[below[r]] | row[above[r]] | anything
            seen[to[step], r] |= word
    won = 0
    for r in range(15):
        won |= seen[last, r]
    return won


@kernel
def _most(a: Any, b: Any) -> Any:
    """The greater of each of eight bytes below 128, without a branch: what compilers make vector instructions of."""
    greater = ((a | _TOPS) - b) & _TOPS
    return b ^ ((a ^ b) & (greater - (greater >> _SEVEN)))


@kernel
def settle(
    first: Array,
    slot: Array,
    to: Array,
    slot_ranks: Array,
    stock_ranks: Array,
    stock_size: int,
    below: Array,
    above: Array,
    order: Array,
    forced: bool,
    empty_draw: bool,
    has_joker: bool,
    won_worth: Array,
    stuck_worth: Array,
    worth: Array,
    words: Array,
) -> None:
    """The worth of the best end that each state can still come to, for every state of the shapes in ``order``: see
    `games.solver.tables.within_reach`.

    ``worth[shape, rank, drawn]`` (uint8 below 128, ... x 16 x 32) is the greatest of ``won_worth[drawn]`` over the wins
    and ``stuck_worth[shape]`` over the stuck ends (R3.2) within reach; 0 stands for an end that does not count.
    ``words`` is the same memory as uint64 (... x 16 x 4): eight numbers of drawn cards are compared at once.
    """
    last = len(first) - 2
    for r in range(16):
        for d in range(32):
            worth[last, r, d] = won_worth[d]
    removed = np.zeros((16, 4), dtype=np.uint64)  # by rank of the card removed
    stuck_word = stock_size >> 3
    stuck_shift = np.uint64(8 * (stock_size & 7))
    for shape in order:
        removed[:] = _ZERO
        have = 0
        for step in range(first[shape], first[shape + 1]):
            r = slot_ranks[slot[step]]
            have |= 1 << r
            after = words[to[step], r]
            row = removed[r]
            a, b, c, e = after[0], after[1], after[2], after[3]
            f, g, h, i = row[0], row[1], row[2], row[3]
            row[0], row[1], row[2], row[3] = _most(a, f), _most(b, g), _most(c, h), _most(e, i)
        here = words[shape]
        stuck = np.uint64(stuck_worth[shape]) << stuck_shift
        free = 0  # ranks on which nothing fits
        for w in range(13):
            one = removed[below[w]]
            two = removed[above[w]]
            row = here[w]
            a, b, c, e = one[0], one[1], one[2], one[3]
            f, g, h, i = two[0], two[1], two[2], two[3]
            row[0], row[1], row[2], row[3] = _most(a, f), _most(b, g), _most(c, h), _most(e, i)
            if not (have >> below[w] | have >> above[w] | have >> 13) & 1:
                free |= 1 << w
                row[stuck_word] = stuck
        if has_joker:
            two = removed[13]
            for w in range(13):
                row = here[w]
                for k in range(4):
                    row[k] = _most(row[k], two[k])
        if has_joker or shape == 0:  # on the joker and on the empty waste everything fits
            one = here[13]
            one[:] = _ZERO
            for r in range(14):
                two = removed[r]
                for k in range(4):
                    one[k] = _most(one[k], two[k])
            if shape == 0:
                here[14] = one
        x: Any = 0  # the worth of drawing next; packed by the number drawn into e, b, c
        d = stock_size - 1
        bytes_here = worth[shape]
        a = b = c = e = _ZERO
        while d >= 0:
            w = stock_ranks[d]
            y = np.int64(bytes_here[w, d + 1])
            if forced:
                if not free >> w & 1 or d == stock_size - 1:
                    x = y
            else:
                x = max(x, y)
            a = a << _EIGHT | np.uint64(x)
            if d & 7 == 0:
                if d == 16:
                    c = a
                elif d == 8:
                    b = a
                else:
                    e = a
                a = _ZERO
            d -= 1
        for w in range(15):
            if w == 14 and (shape > 0 or not empty_draw):
                break
            if forced and not free >> w & 1:
                continue
            row = here[w]
            f, g, h = row[0], row[1], row[2]
            row[0], row[1], row[2] = _most(e, f), _most(b, g), _most(c, h)


@kernel
def settle_runs(
    first: Array,
    slot: Array,
    to: Array,
    sizes: Array,
    slot_ranks: Array,
    below: Array,
    above: Array,
    origin: int,
    drawn: int,
    card: int,
    stock_size: int,
    forced: bool,
    empty_draw: bool,
    seen: Array,
    end_worth: Array,
    longest: int,
    draw_worth: int,
    run_worth: Array,
    after_draw: Array,
    ends: Array,
    before: Array,
) -> None:
    """One number of cards drawn of the run game: what each state can come to, by the size at which its run ends.

    With nothing drawn meanwhile a run from shape s to shape t has |t| - |s| cards, however it goes. So for each state
    (shape, rank) ``ends[shape, rank, size]`` (int32) is the greatest worth beyond that run over all shapes of that size
    where it can end: by a draw (``after_draw[shape]`` + ``draw_worth``), by the win or by being stuck
    (``end_worth[shape]``; a line of more than ``longest`` moves does not count). ``before[shape]`` gets the worth just
    after the draw of ``card`` that led here: the greatest of ``run_worth[run] + ends``. Worths hold the peak points of
    the shape, so that they can be compared. Only states in ``seen`` (see `reach`) are filled. -2**30 is "none".
    """
    none = -(1 << 30)
    last = len(first) - 2
    for shape in range(last, origin - 1, -1):
        row_seen = seen[shape]
        begin = first[shape]
        end = first[shape + 1]
        size = sizes[shape]
        for w in range(15):
            if not row_seen[w] >> drawn & 1:
                continue
            row = ends[shape, w]
            for j in range(32):
                row[j] = none
            fitting = False
            for step in range(begin, end):
                r = slot_ranks[slot[step]]
                if w >= 13 or r == 13 or below[w] == r or above[w] == r:
                    fitting = True
                    after = ends[to[step], r]
                    for j in range(32):
                        row[j] = max(row[j], after[j])
            if shape == last or (drawn == stock_size and not fitting):
                if size + drawn <= longest:
                    row[size] = end_worth[shape]
            elif drawn < stock_size:
                may_draw = not (forced and fitting) and (empty_draw or w != 14)
                row[size] = after_draw[shape] + draw_worth if may_draw and after_draw[shape] > none else none
        before[shape] = none
        if card < 15 and row_seen[card] >> drawn & 1:
            row = ends[shape, card]
            best = none
            for j in range(size, 29):
                if row[j] > none:
                    best = max(best, row[j] + run_worth[j - size])
            before[shape] = best
