"""The times of an attempt's moves as a plot: one dot a ply, seconds on a logarithmic scale. Drawn on the server."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .names import time_text
from .replay import Step

_LEVELS: Final = ((100, "0.1 s"), (1_000, "1 s"), (10_000, "10 s"), (60_000, "1 min"), (600_000, "10 min"))
_LEAST_MS: Final = 10


@dataclass(frozen=True, slots=True)
class Dot:
    """One ply; x and y in per cent of the plot."""

    ply: int
    x: str
    y: str
    kind: str
    """plain, choice or marked."""
    title: str


@dataclass(frozen=True, slots=True)
class Plot:
    """Dots and the lines behind them."""

    dots: list[Dot]
    levels: list[tuple[str, str]]
    """(y in per cent, words)."""
    last: int
    label: str
    figures: list[tuple[str, str]]


def plot_of(steps: Sequence[Step]) -> Plot | None:
    """The plot of an attempt's moves; None without any."""
    moves = [step for step in steps if step.took_ms is not None]
    if not moves:
        return None
    times = [max(_LEAST_MS, step.took_ms or 0) for step in moves]
    low, high = math.log10(min(*times, 100) * 0.8), math.log10(max(*times, 10_000) * 1.25)

    def y(milliseconds: float) -> str:
        return f"{100 * (high - math.log10(milliseconds)) / (high - low):.2f}%"

    last = moves[-1].ply
    dots = [
        Dot(
            step.ply,
            f"{100 * (step.ply - 0.5) / last:.2f}%",
            y(max(_LEAST_MS, step.took_ms or 0)),
            "marked" if step.marks else "choice" if step.choice else "plain",
            f"Ply {step.ply}: {step.did}, {time_text(step.took_ms or 0)}",
        )
        for step in moves
    ]
    levels = [(y(level), words) for level, words in _LEVELS if low < math.log10(level) < high]
    taken = [step.took_ms or 0 for step in moves]
    median = statistics.median(taken)
    label = (
        f"Times of {len(moves)} moves, from {time_text(min(taken))} to {time_text(max(taken))}, "
        f"half of them under {time_text(median)}. The table below has each."
    )
    return Plot(dots, levels, last, label, _figures(moves, taken))


def _figures(moves: Sequence[Step], taken: Sequence[int]) -> list[tuple[str, str]]:
    """What one wants to know at once."""
    choices = [step.took_ms or 0 for step in moves if step.choice]
    figures = [("Median", time_text(statistics.median(taken))), ("Fastest", time_text(min(taken)))]
    if choices:
        figures.append(("Median at choices", time_text(statistics.median(choices))))
    if len(taken) > 1:
        mean = statistics.fmean(taken)
        figures.append(("Spread", f"{100 * statistics.stdev(taken) / mean:.0f} % of the mean" if mean else "none"))
    return [*figures, ("Altogether", time_text(sum(taken)))]
