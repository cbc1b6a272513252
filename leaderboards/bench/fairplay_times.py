"""How long moves take: rhythms of people, of people with assistive technology, of programs and of those who pretend."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from .fairplay_sight import Ply

Kind = Literal[
    "slow",
    "medium",
    "fast",
    "erratic",
    "keyboard",
    "switch",
    "dwell",
    "dropped link",
    "program",
    "pretended",
    "read off",
    "machine",
]
HUMAN: Final[tuple[Kind, ...]] = (
    "slow",
    "medium",
    "fast",
    "erratic",
    "keyboard",
    "switch",
    "dwell",
    "dropped link",
)
"""Rhythms of honest people."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """One person's (or program's) way with time."""

    kind: Kind
    median_ms: float
    spread: float
    """Sigma of the logarithm of what chance adds."""
    drift: float
    """How much of the last move's surplus the next one keeps, 0 to 1."""
    look_ms: float
    """More for each option beyond the first."""
    turn_ms: float
    """More for each card just turned up."""
    draw_share: float
    """A draw takes this share of a card's time."""
    pause: float
    """Chance of a pause for thought at a choice."""
    pause_ms: float
    first_ms: float
    """Looking at the table before the first move."""
    floor_ms: float
    """No move is faster: fingers, and the way to the server."""
    step_ms: float = 0
    """Of switch scanning: the time the frame stays on one card."""


def new_rhythm(kind: Kind, choose: random.Random) -> Rhythm:
    """A person with this rhythm."""
    uniform = choose.uniform
    medium = Rhythm(
        kind,
        median_ms=uniform(900, 1600),
        spread=uniform(0.35, 0.6),
        drift=uniform(0.1, 0.4),
        look_ms=uniform(60, 250),
        turn_ms=uniform(50, 250),
        draw_share=uniform(0.6, 1.0),
        pause=uniform(0.03, 0.1),
        pause_ms=uniform(2_000, 6_000),
        first_ms=uniform(2_500, 9_000),
        floor_ms=uniform(220, 350),
    )
    match kind:
        case "slow":
            return replace(medium, median_ms=uniform(2_200, 5_000), pause=0.12, pause_ms=uniform(5_000, 15_000))
        case "fast":
            return replace(
                medium,
                median_ms=uniform(560, 700),
                spread=uniform(0.22, 0.4),
                look_ms=uniform(20, 60),
                turn_ms=uniform(20, 60),
                pause=uniform(0.02, 0.06),
                pause_ms=uniform(1_200, 3_000),
                first_ms=uniform(900, 2_500),
                floor_ms=uniform(180, 260),
            )
        case "erratic":
            return replace(medium, spread=uniform(0.8, 1.2), pause=uniform(0.04, 0.1), pause_ms=uniform(20_000, 90_000))
        case "keyboard":
            return replace(
                medium,
                median_ms=uniform(380, 650),
                spread=uniform(0.25, 0.45),
                look_ms=uniform(40, 120),
                draw_share=uniform(0.45, 0.7),
                floor_ms=uniform(150, 200),
            )
        case "switch":
            return replace(medium, step_ms=uniform(500, 1_200), pause=uniform(0.02, 0.08), floor_ms=150)
        case "dwell":
            return replace(medium, median_ms=uniform(120, 300), floor_ms=uniform(700, 1_200), look_ms=uniform(10, 60))
        case "dropped link":
            return replace(medium, median_ms=uniform(600, 1_400))
        case "program":
            return replace(medium, median_ms=uniform(15, 60), spread=0.12, first_ms=80, floor_ms=5)
        case "machine":
            return replace(medium, median_ms=uniform(40, 95), spread=uniform(0.05, 0.3), first_ms=800, floor_ms=30)
        case "pretended":
            return replace(
                medium, median_ms=uniform(700, 2_000), spread=uniform(0.3, 0.6), first_ms=uniform(1_500, 5_000)
            )
        case "read off":
            return replace(medium, median_ms=uniform(900, 1_800), spread=uniform(0.2, 0.4))
        case _:
            return medium


def intervals(rhythm: Rhythm, plies: Sequence[Ply], choose: random.Random) -> tuple[int, ...]:
    """The server's time of every move in whole milliseconds."""
    if rhythm.kind == "machine":
        return tuple(round(min(120.0, max(30.0, _chance(rhythm, choose)))) for _ in plies)
    if rhythm.kind in ("program", "pretended"):
        return _blind(rhythm, plies, choose)
    tired = choose.lognormvariate(0, 0.12)  # the form of the day
    surplus = 0.0
    found: list[float] = []
    for at, ply in enumerate(plies):
        surplus = rhythm.drift * surplus + choose.gauss(0, rhythm.spread) * math.sqrt(1 - rhythm.drift**2)
        thought = rhythm.median_ms * math.exp(surplus) * tired
        if ply.draw:
            thought *= rhythm.draw_share
        if rhythm.kind != "read off":
            thought += rhythm.look_ms * (ply.options - 1) * choose.uniform(0.5, 1.5)
            thought += rhythm.turn_ms * ply.turned * choose.uniform(0.5, 1.5)
            if choose.random() < rhythm.pause * (1.5 if ply.options > 2 else 0.7):
                thought += choose.expovariate(1 / rhythm.pause_ms)
        if at == 0:
            thought += rhythm.first_ms * choose.lognormvariate(0, 0.4)
        found.append(_on_time(rhythm, ply, thought, choose))
    if rhythm.kind == "dropped link":
        _drop_links(found, plies, choose)
    return tuple(max(0, round(one)) for one in found)


def _chance(rhythm: Rhythm, choose: random.Random) -> float:
    return rhythm.median_ms * math.exp(choose.gauss(0, rhythm.spread))


def _blind(rhythm: Rhythm, plies: Sequence[Ply], choose: random.Random) -> tuple[int, ...]:
    """Times that have nothing to do with the cards."""
    first = rhythm.first_ms * choose.lognormvariate(0, 0.3)
    return tuple(
        round(max(rhythm.floor_ms, _chance(rhythm, choose)) + (first if at == 0 else 0)) for at in range(len(plies))
    )


def _on_time(rhythm: Rhythm, ply: Ply, thought: float, choose: random.Random) -> float:
    """When the move that was thought of reaches the server."""
    network = abs(choose.gauss(0, 12))
    if rhythm.kind == "switch":
        # The frame goes round the open cards and the stock; the chosen one takes as many steps, or rounds more.
        steps = ply.place + 1
        while steps * rhythm.step_ms < min(thought, 20 * rhythm.step_ms):
            steps += 4
        return steps * rhythm.step_ms + choose.gauss(0, 18)
    if rhythm.kind == "dwell":
        return rhythm.floor_ms + choose.expovariate(1 / 60) + max(0.0, thought - rhythm.median_ms * 1.5) + network
    return max(rhythm.floor_ms * choose.uniform(0.85, 1.3), thought) + network


def _drop_links(found: list[float], plies: Sequence[Ply], choose: random.Random) -> None:
    """Now and then the link drops: what is played meanwhile waits in the page and arrives at once.

    That is only what can be thought of without an answer: a draw shows its card when the link is back.
    """
    for _ in range(choose.choice((0, 1, 1, 2, 3))):
        at = choose.randrange(1, len(found))
        gone = choose.uniform(3_000, 25_000)
        waiting = 0.0
        end = at
        while end < len(found) and waiting + found[end] < gone and plies[end].needs <= at:
            waiting += found[end]
            end += 1
        if end == at:
            found[at] = max(found[at], gone) + choose.uniform(0, 300)
            continue
        found[at] = gone
        for later in range(at + 1, end):
            found[later] = choose.expovariate(1 / 2)
        if end < len(found) and plies[end].needs <= at:
            found[end] = max(150.0, found[end] + waiting - gone)
