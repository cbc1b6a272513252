"""A chart of lines over time as an SVG file: no more than the load generator draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 900, 220, 70, 150, 30, 30
COLOURS: Final = ("#0b6e4f", "#c8553d", "#3d5a80", "#8a6d00", "#6b4c9a")


@dataclass(frozen=True)
class Chart:
    """Lines over the same seconds; `mark` is a level to be stayed under, in the unit of the lines."""

    title: str
    unit: str
    lines: dict[str, Sequence[tuple[float, float]]]
    """Name to (second, value)."""
    mark: float | None = None


def svg(charts: Sequence[Chart], *, notes: Sequence[tuple[float, str]] = ()) -> str:
    """The charts below each other; `notes` are vertical lines: second and words."""
    last = max((x for chart in charts for line in chart.lines.values() for x, _ in line), default=1.0) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT * len(charts)}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT * len(charts)}" fill="white"/>',
    ]
    for number, chart in enumerate(charts):
        parts.append(f'<g transform="translate(0 {HEIGHT * number})">{_chart(chart, last, notes)}</g>')
    return "\n".join([*parts, "</svg>\n"])


def _chart(chart: Chart, last: float, notes: Sequence[tuple[float, str]]) -> str:
    values = [y for line in chart.lines.values() for _, y in line]
    most = nice(max([*values, chart.mark or 0.0, 1e-9]))
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(x: float, y: float) -> str:
        return f"{LEFT + wide * x / last:.1f},{TOP + high * (1 - y / most):.1f}"

    parts = [f'<text x="{LEFT}" y="18" font-weight="bold">{escape(chart.title)}</text>']
    for step in range(5):
        y = most * step / 4
        at = place(0, y).split(",")[1]
        parts.append(f'<path d="M{LEFT} {at}H{LEFT + wide}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{LEFT - 6}" y="{float(at) + 4:.1f}" text-anchor="end">{y:g} {escape(chart.unit)}</text>'
        )
    for step in range(0, int(last) + 1, max(1, int(nice(last / 6)))):
        x = place(step, 0).split(",")[0]
        parts.append(f'<text x="{x}" y="{HEIGHT - 10}" text-anchor="middle">{step} s</text>')
    for second, words in notes:
        x = place(second, 0).split(",")[0]
        parts.append(f'<path d="M{x} {TOP}V{TOP + high}" stroke="#999" stroke-dasharray="3"/>')
        parts.append(f'<text x="{x}" y="{TOP - 2}" font-size="9" fill="#666">{escape(words)}</text>')
    if chart.mark is not None:
        at = place(0, chart.mark).split(",")[1]
        parts.append(f'<path d="M{LEFT} {at}H{LEFT + wide}" stroke="#c00" stroke-dasharray="6 4"/>')
    for number, (name, line) in enumerate(chart.lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(place(x, y) for x, y in line)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(
            f'<text x="{WIDTH - RIGHT + 10}" y="{TOP + 14 * (number + 1)}" fill="{colour}">{escape(name)}</text>'
        )
    return "\n".join(parts)


def nice(value: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** len(str(int(value))) / 10 if value >= 1 else 1.0
    while power > value and power > 1e-9:
        power /= 10
    return next((step * power for step in (1, 2, 5) if step * power >= value), 10 * power)
