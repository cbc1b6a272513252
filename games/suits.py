"""The drawings of the suits: SVG paths of our own in a box of 100 by 100, as `static/games/js/cards.js` has them."""

from __future__ import annotations

from typing import Final

SUIT_PATHS: Final[dict[str, str]] = {
    "C": "M50 6a21 21 0 0 1 17 33.5a21.5 21.5 0 1 1-12.5 33c.8 9 3.5 15.5 9.5 21.5H36c6-6 8.7-12.5 9.5-21.5"
    "a21.5 21.5 0 1 1-12.5-33A21 21 0 0 1 50 6z",
    "D": "M50 3C59 21 70 36 86 50 70 64 59 79 50 97 41 79 30 64 14 50 30 36 41 21 50 3z",
    "H": "M50 93C28 75 7 57 7 33 7 18 17 8 30 8c9 0 16 5 20 13C54 13 61 8 70 8c13 0 23 10 23 25 0 24-21 42-43 60z",
    "S": "M50 4C64 27 92 42 92 64c0 13-9 21-20 21-7 0-13-3-17-9 1 8 4 14 10 19H35c6-5 9-11 10-19-4 6-10 9-17 9"
    "C17 85 8 77 8 64 8 42 36 27 50 4z",
}
JOKER_PATH: Final = (
    "M24 74C25 55 20 46 11 44a8 8 0 1 1 6-11c14 3 22 10 27 19 0-13 1-22 3-29a8 8 0 1 1 6 0c2 7 3 16 3 29 5-9 13-16 27-19"
    "a8 8 0 1 1 6 11C80 46 75 55 76 74zM22 80h56v11H22z"
)
"""A cap with three bells."""
