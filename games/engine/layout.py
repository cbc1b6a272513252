"""The tableau: 28 slots in three peaks, and which slot covers which (R1); sets of slots are masks (bit n: slot n)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

SLOTS: Final = 28
TIPS: Final[tuple[int, ...]] = (0, 1, 2)
ROWS: Final[tuple[range, ...]] = (range(3), range(3, 9), range(9, 18), range(18, 28))
BOTTOM_ROW: Final = ROWS[3]


def _covered_by(slot: int) -> tuple[int, ...]:
    """R1.2 to the letter."""
    if slot < 3:
        return (3 + 2 * slot, 4 + 2 * slot)
    if slot < 9:
        peak, side = divmod(slot - 3, 2)
        return (9 + 3 * peak + side, 10 + 3 * peak + side)
    if slot < 18:
        return (slot + 9, slot + 10)
    return ()


COVERED_BY: Final[tuple[tuple[int, ...], ...]] = tuple(_covered_by(slot) for slot in range(SLOTS))
"""``COVERED_BY[slot]``: the two slots that lie on it, ``()`` in the bottom row."""

COVERS: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(under for under in range(SLOTS) if slot in COVERED_BY[under]) for slot in range(SLOTS)
)
"""``COVERS[slot]``: the slots it lies on."""

PEAK_OF: Final[tuple[int, ...]] = (
    (0, 1, 2) + tuple(i // 2 for i in range(6)) + tuple(i // 3 for i in range(9)) + (0,) * 3 + (1,) * 3 + (2,) * 4
)
"""``PEAK_OF[slot]``: 0 left, 1 middle, 2 right; 9, 9 and 10 cards (R1.5)."""

BIT: Final[tuple[int, ...]] = tuple(1 << slot for slot in range(SLOTS))
COVER_MASK: Final[tuple[int, ...]] = tuple(sum(BIT[over] for over in COVERED_BY[slot]) for slot in range(SLOTS))
OPEN_TEST: Final[tuple[int, ...]] = tuple(BIT[slot] | COVER_MASK[slot] for slot in range(SLOTS))
"""A slot is present and uncovered exactly when ``removed & OPEN_TEST[slot] == COVER_MASK[slot]``: one test for both."""

ALL_REMOVED: Final = (1 << SLOTS) - 1
TIPS_MASK: Final = 0b111
REACHABLE_SHAPES: Final = 22_932
"""Sets of removed slots that play can reach (R1.6); tests count them."""


@lru_cache(maxsize=32_768)  # holds every reachable shape
def open_slots(removed: int) -> tuple[int, ...]:
    """The slots that still hold a card and are uncovered, ascending."""
    return tuple(slot for slot in range(SLOTS) if removed & OPEN_TEST[slot] == COVER_MASK[slot])


def is_open(removed: int, slot: int) -> bool:
    """Does ``slot`` hold an uncovered card?"""
    return removed & OPEN_TEST[slot] == COVER_MASK[slot]


def turned_up(removed: int, slot: int) -> int:
    """How many cards the removal of ``slot`` uncovers: 0, 1 or 2 (R1.4)."""
    after = removed | BIT[slot]
    return sum(after & COVER_MASK[under] == COVER_MASK[under] for under in COVERS[slot])


def peaks_cleared(removed: int) -> int:
    """How many peaks are cleared: a peak's last card is always its tip (R1.5)."""
    return (removed & TIPS_MASK).bit_count()
