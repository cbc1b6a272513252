"""What an observer can know of a copy who knows neither the copier's honest self nor which line was the source.

The observer knows how people play, but not who sits there: a line's chance without copying is its mean over people drawn
from the season's honest population. And of all earlier lines that ended as well as the source any may have been it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Final

from games.engine.cards import Card
from games.engine.moves import DRAW, Move
from games.engine.replay import replay_steps
from games.engine.visibility import view
from leaderboards.moderation.evidence import Line

from .fairplay_cast import HONEST_PEOPLE
from .fairplay_players import Honest, new_habits
from .fairplay_sight import Seen, seen_of

DRAWN: Final = 24
"""People of each strength; a third as many experts, who take longer. Too few make a line look rarer than it is, so the
bound errs upwards."""
SAMPLES: Final = 100
"""Orders of the hidden cards that those experts imagine."""

Choices = list[tuple[Seen, int]]


def choices_of(line: Line) -> Choices:
    """Each choice as its player saw it, with the option taken."""
    known: frozenset[Card] = frozenset()
    found = []
    steps = replay_steps(line.ruleset, line.cards, line.log, undo_allowed=False)
    for position, move in zip(steps, line.log, strict=False):  # behind the last move there is one position more
        seen = seen_of(view(position), line.ruleset, position.ply + 1, known)
        known = seen.known
        if len(seen.options) > 1:
            found.append((seen, seen.options.index(move)))
    return found


def log_chance(honest: Honest, choices: Choices) -> float:
    """Natural log of the chance that this person makes these choices."""
    return math.fsum(math.log(max(honest.probabilities(seen)[at], 1e-12)) for seen, at in choices)


def population_log_chance(choices: Choices, choose: random.Random, drawn: int = DRAWN) -> float:
    """The same of somebody of the honest population."""
    people = sum(HONEST_PEOPLE.values())
    logs = []
    for strength, share in HONEST_PEOPLE.items():
        count = max(1, drawn // 3) if strength == "expert" else drawn
        for _ in range(count):
            honest = Honest(new_habits(strength, choose, SAMPLES), choose)
            logs.append(log_chance(honest, choices) + math.log(share / people / count))
    most = max(logs)
    return most + math.log(math.fsum(math.exp(one - most) for one in logs))


def as_good(source: Sequence[Move], lines: Sequence[Sequence[Move]]) -> int:
    """How many different lines, the source being one, ended as well as it or better: by cards left, then draws."""
    return len({tuple(log) for log in (*lines, source) if _ended(log) <= _ended(source)})


def _ended(log: Sequence[Move]) -> tuple[int, int]:
    draws = sum(move == DRAW for move in log)
    return draws - len(log), draws
