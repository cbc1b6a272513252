"""A signal from results over time: the exact best possible one, again and again, where the field hardly reaches it."""

from __future__ import annotations

import math
from typing import Final

from .evidence import Evidence
from .signals import Signal, points_of

FEWEST: Final = 4
LEAST_CHANCE: Final = 0.03


def too_good(evidence: Evidence) -> Signal | None:
    """How often the newest 20 final dailies ended on the exact best result, against how often others got there."""
    results = list(evidence.career.results)[-20:]
    if not evidence.sealed or len(results) < FEWEST:
        return None
    reached = sum(each.reached_best for each in results)
    # Never below a floor: the best of a field is better than the field, and fields are small.
    chances = [max(LEAST_CHANCE, 3 * (each.others_best + 0.5) / (each.others + 1)) for each in results]
    chances = [min(1.0, chance) for chance in chances]
    ways = [1.0]
    for chance in chances:
        ways = [
            (ways[k] if k < len(ways) else 0.0) * (1 - chance) + (ways[k - 1] * chance if k else 0.0)
            for k in range(len(ways) + 1)
        ]
    points = points_of(-10 * math.log10(max(1e-12, sum(ways[reached:]))))
    if points < 10:
        return None
    return Signal(
        "too_good",
        "results",
        points,
        f"{reached} of the newest {len(results)} finished dailies ended on the exact best possible result; of the others in "
        f"those fields about {100 * sum(chances) / len(chances) / 3:.0f} % got there. The very best players are lucky, too.",
        {"reached": reached, "dailies": len(results), "expected": round(sum(chances), 1)},
    )
