"""How scores are spread, as the bars of a drawing and the rows of a table: whole bins of a round width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

HEIGHT: Final = 100
BAR: Final = 20
_GAP: Final = 3
_WIDTHS: Final = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True)
class Bin:
    """The scores from `low` to `high`, both included, and its bar: stuck results stand on the won ones."""

    low: int
    high: int
    won: int
    stuck: int
    x: int
    won_y: float
    won_height: float
    stuck_y: float
    stuck_height: float

    @property
    def count(self) -> int:
        return self.won + self.stuck

    @property
    def text(self) -> str:
        """`700–724`."""
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True, slots=True)
class Histogram:
    """Bars in a box of `width` by HEIGHT."""

    bins: tuple[Bin, ...]
    most: int

    @property
    def width(self) -> int:
        return len(self.bins) * BAR

    @property
    def bar(self) -> int:
        return BAR - _GAP

    @property
    def rows(self) -> list[Bin]:
        """Those that hold anything, for the table."""
        return [each for each in self.bins if each.count]


def histogram_of(counts: Sequence[Mapping[str, int]], *, bins: int) -> Histogram:
    """Of `[{"score", "won", "stuck"}]`, at least one, ascending by score: in at most so many bars."""
    low, high = counts[0]["score"], counts[-1]["score"]
    wide = next(width for width in _WIDTHS if high // width - low // width < bins)
    first = low // wide
    sums = [{"won": 0, "stuck": 0} for _ in range(high // wide - first + 1)]
    for each in counts:
        into: dict[str, Any] = sums[each["score"] // wide - first]
        into["won"] += each["won"]
        into["stuck"] += each["stuck"]
    most = max(each["won"] + each["stuck"] for each in sums)
    made = []
    for index, each in enumerate(sums):
        won, stuck = (_height(each[name], most) for name in ("won", "stuck"))
        made.append(
            Bin(
                (first + index) * wide,
                (first + index + 1) * wide - 1,
                each["won"],
                each["stuck"],
                index * BAR + 1,
                round(HEIGHT - won, 1),
                won,
                round(HEIGHT - won - stuck, 1),
                stuck,
            )
        )
    return Histogram(tuple(made), most)


def _height(count: int, most: int) -> float:
    """At least as much as can be seen."""
    return max(2.0, round(count * HEIGHT / most, 1)) if count else 0.0
