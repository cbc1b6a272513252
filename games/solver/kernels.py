"""The sweeps over all shapes, compiled. Each is exact: nothing is guessed, cut or bounded.

Words of ``seen`` have one bit for each number of cards drawn (0..24). Steps lead to higher shape numbers, so one pass
in that order (or against it) settles everything.
"""

from __future__ import annotations

from games.solver.compiled import kernel
from games.solver.tables import Array


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
def settle(
    first: Array,
    slot: Array,
    to: Array,
    slot_ranks: Array,
    stock_ranks: Array,
    stock_size: int,
    below: Array,
    above: Array,
    origin: int,
    forced: bool,
    empty_draw: bool,
    has_joker: bool,
    won_worth: Array,
    stuck_worth: Array,
    worth: Array,
) -> None:
    """The worth of the best end that each state can still come to, for every state of every shape from ``origin`` on.

    ``worth[shape, rank, drawn]`` (uint8, ... x 16 x 32) is the greatest of ``won_worth[drawn]`` over the wins and
    ``stuck_worth[shape]`` over the stuck ends (R3.2) within reach. A worth of 0 stands for an end that does not count.
    """
    last = len(first) - 2
    for r in range(16):
        for d in range(32):
            worth[last, r, d] = won_worth[d]
    removed = worth[last].copy()  # [rank of the card removed, drawn]
    later = won_worth.copy()
    for shape in range(last - 1, origin - 1, -1):
        begin = first[shape]
        end = first[shape + 1]
        for r in range(16):
            for d in range(32):
                removed[r, d] = 0
        have = 0
        for step in range(begin, end):
            r = slot_ranks[slot[step]]
            have |= 1 << r
            after = worth[to[step], r]
            best = removed[r]
            for d in range(32):
                best[d] = max(best[d], after[d])
        here = worth[shape]
        stuck = stuck_worth[shape]
        for w in range(15):
            one = removed[below[w]]
            two = removed[above[w]]
            three = removed[13]
            row = here[w]
            for d in range(32):
                row[d] = max(max(one[d], two[d]), three[d])
            if w >= 13:
                if w == 13 and not has_joker:
                    continue
                if w == 14 and shape > 0:
                    continue
                for r in range(13):
                    other = removed[r]
                    for d in range(32):
                        row[d] = max(row[d], other[d])
            elif not (have >> below[w] | have >> above[w] | have >> 13) & 1:
                row[stock_size] = stuck
        x = here[0, 31]
        x = 0
        if forced:
            for d in range(stock_size - 1, -1, -1):
                w = stock_ranks[d]
                fits = w >= 13 or (have >> below[w] | have >> above[w] | have >> 13) & 1
                if fits or d == stock_size - 1:
                    x = here[w, d + 1]
                later[d] = x
            for w in range(13):
                if not (have >> below[w] | have >> above[w] | have >> 13) & 1:
                    for d in range(stock_size):
                        here[w, d] = later[d]
        else:
            for d in range(31, stock_size - 1, -1):
                later[d] = 0
            for d in range(stock_size - 1, -1, -1):
                x = max(x, here[stock_ranks[d], d + 1])
                later[d] = x
            for w in range(14):
                row = here[w]
                for d in range(32):
                    row[d] = max(row[d], later[d])
            if shape == 0 and empty_draw:
                row = here[14]
                for d in range(32):
                    row[d] = max(row[d], later[d])


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
                if not (forced and fitting) and (empty_draw or w != 14) and after_draw[shape] > none:
                    row[size] = after_draw[shape] + draw_worth
        before[shape] = none
        if card < 15 and row_seen[card] >> drawn & 1:
            row = ends[shape, card]
            best = none
            for j in range(size, 29):
                if row[j] > none:
                    best = max(best, row[j] + run_worth[j - size])
            before[shape] = best
