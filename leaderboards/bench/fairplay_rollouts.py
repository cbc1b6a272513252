"""How the honest expert imagines the rest of a game: many orders of the cards not seen, each played on plainly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from games.engine.cards import NO_CARD, Card
from games.engine.layout import BIT, COVER_MASK, COVERS, OPEN_TEST, SLOTS
from games.engine.moves import DRAW
from games.solver.compiled import kernel

from .fairplay_sight import Seen

_HIDDEN: Final = -1
_BITS: Final = np.array(BIT, dtype=np.int64)
_TEST: Final = np.array(OPEN_TEST, dtype=np.int64)
_MASK: Final = np.array(COVER_MASK, dtype=np.int64)
_UNDER: Final = np.array([(*under, -1, -1)[:2] for under in COVERS], dtype=np.int64)


@kernel
def _imagine(
    known: Any,
    hidden: Any,
    options: Any,
    removed: int,
    top: int,
    drawn: int,
    stock_start: int,
    joined: bool,
    samples: int,
    seed: int,
    bits: Any,
    test: Any,
    mask: Any,
    under: Any,
    sums: Any,
) -> None:
    """Add to ``sums`` what each option came to: 1 for a win and a bit for each draw left, else a bit for each card."""
    deck = len(known)
    order = known.copy()
    state = seed
    for _ in range(samples):
        for at in range(len(hidden) - 1, 0, -1):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            other = (state >> 8) % (at + 1)
            hidden[at], hidden[other] = hidden[other], hidden[at]
        used = 0
        for place in range(deck):
            if known[place] == -1:
                order[place] = hidden[used]
                used += 1
        for at in range(len(options)):
            gone, waste, taken = removed, top, drawn
            move = options[at]
            while True:
                if move == 28:
                    waste = order[stock_start + taken]
                    taken += 1
                else:
                    waste = order[move]
                    gone |= bits[move]
                if gone == 0xFFFFFFF:
                    break
                best = -1.0
                move = -1
                for slot in range(28):
                    if gone & test[slot] != mask[slot]:
                        continue
                    step = abs(order[slot] - waste)
                    if step != 1 and not (joined and step == 12):
                        continue
                    after = gone | bits[slot]
                    worth = 0.001 * ((slot * 7 + state) % 28)
                    for one in under[slot]:
                        if one >= 0 and after & test[one] == mask[one]:
                            worth += 1.0
                    for next_slot in range(28):
                        if after & test[next_slot] == mask[next_slot]:
                            step = abs(order[slot] - order[next_slot])
                            if (step == 1 or (joined and step == 12)) and gone & test[next_slot] == mask[next_slot]:
                                worth += 0.3
                    if worth > best:
                        best = worth
                        move = slot
                if move < 0:
                    if stock_start + taken >= deck:
                        break
                    move = 28
            if gone == 0xFFFFFFF:
                sums[at] += 1.0 + 0.006 * (deck - stock_start - taken)
            else:
                left = 0
                for slot in range(28):
                    if not gone & bits[slot]:
                        left += 1
                sums[at] += 0.1 * (1.0 - left / 28)


def imagined_worths(seen: Seen, told: Mapping[int, Card], samples: int, seed: int) -> list[float]:
    """What each option comes to on average; ``told``: cards by their place that the player has from elsewhere."""
    ruleset = seen.ruleset
    known = [0] * ruleset.deck_size
    here: set[Card] = set()
    first = ruleset.stock_start + seen.drawn
    for place in (*range(SLOTS), *range(first, ruleset.deck_size)):
        if place < SLOTS and seen.removed & BIT[place]:
            continue
        card = seen.cards.get(place, told.get(place, NO_CARD))
        known[place] = _HIDDEN if card == NO_CARD else card % 13
        here.add(card)
    hidden = [card % 13 for card in range(ruleset.deck_size) if card not in seen.known and card not in here]
    sums = np.zeros(len(seen.options))
    _imagine(
        np.array(known, dtype=np.int64),
        np.array(hidden, dtype=np.int64),
        np.array(seen.options, dtype=np.int64),
        seen.removed,
        seen.top % 13,
        seen.drawn,
        ruleset.stock_start,
        ruleset.joined,
        samples,
        seed,
        _BITS,
        _TEST,
        _MASK,
        _UNDER,
        sums,
    )
    return [float(one) / samples for one in sums]


assert DRAW == 28
