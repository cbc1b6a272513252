"""A small chart as SVG paths: the best result still possible after each ply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from games.engine.rulesets import Ruleset

WIDTH: Final = 1000
HEIGHT: Final = 100
_EDGE: Final = 6
"""Room above and below, for the thickness of the line."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Paths in a box of WIDTH by HEIGHT that is stretched to the page's width; what is best is up."""

    winnable: str
    """The line where the win was still possible."""
    lost: str
    """The line where it was not."""
    dots: str
    """The moves that cost something, as strokes without length: round caps make them dots that no stretching spoils."""
    lost_at: tuple[str, str] | None
    """Where the win was thrown away, in per cent of the box: its cross is drawn in a box of its own, unstretched."""
    top: int
    bottom: int
    last: int
    fewer: bool
    """Whether fewer is better: cards left, not points."""

    @property
    def flat(self) -> bool:
        return self.top == self.bottom

    @property
    def title(self) -> str:
        """What is drawn."""
        if self.fewer:
            return _("The fewest cards left still possible after each move")
        return _("The most points still possible after each move")

    @property
    def label(self) -> str:
        """What there is to see, for who does not see it."""
        values = {"top": self.top, "bottom": self.bottom}
        if self.flat and self.fewer:
            return _("Cards left at best: %(top)s from the first move to the last. Every move is told below.") % values
        if self.flat:
            return _("%(top)s points from the first move to the last. Every move is told below.") % values
        if self.fewer:
            return _("Cards left at best: from %(top)s to %(bottom)s. Every move is told below.") % values
        return _("From %(top)s points at best to %(bottom)s. Every move is told below.") % values


def chart_of(ruleset: Ruleset, analysis: Mapping[str, Any]) -> Chart | None:
    """The chart of an analysis; None without moves, when there is nothing to draw."""
    plies = analysis["plies"]
    if len(plies) < 2:
        return None
    fewer = ruleset.scoring == "cards_left"
    values = _values(plies, "cards_left" if fewer else "score")
    low, high = min(values), max(values)

    def x(ply: int) -> str:
        return f"{ply * WIDTH / (len(plies) - 1):.1f}".removesuffix(".0")

    def y(value: int) -> str:
        share = 0.5 if low == high else (value - low) / (high - low)
        up = 1 - share if fewer else share
        return f"{HEIGHT - _EDGE - up * (HEIGHT - 2 * _EDGE):.1f}".removesuffix(".0")

    lines: dict[bool, list[str]] = {True: [], False: []}
    for ply in range(1, len(plies)):
        before, after = plies[ply - 1]["winnable"], plies[ply]["winnable"]
        level = y(values[ply - 1])
        lines[before].append(f"M{x(ply - 1)} {level}H{x(ply)}")
        if values[ply] != values[ply - 1]:  # the fall belongs to what it leads to
            lines[after].append(f"M{x(ply)} {level}V{y(values[ply])}")
    costly = [f"M{x(ply)} {y(values[ply])}h0" for ply in analysis["costly"] if ply != analysis["lost_at"]]
    at = analysis["lost_at"]
    return Chart(
        winnable="".join(lines[True]),
        lost="".join(lines[False]),
        dots="".join(costly),
        lost_at=None
        if at is None
        else (f"{float(x(at)) * 100 / WIDTH:.2f}%", f"{float(y(values[at])) * 100 / HEIGHT:.2f}%"),
        top=low if fewer else high,
        bottom=high if fewer else low,
        last=len(plies) - 1,
        fewer=fewer,
    )


def _values(plies: Sequence[Mapping[str, Any]], name: str) -> list[int]:
    """The wanted number of each ply's best; where a full log leaves none, the one before."""
    values: list[int] = []
    for ply in plies:
        best = ply["best"]
        values.append(best[name] if best is not None else (values[-1] if values else 0))
    return values
