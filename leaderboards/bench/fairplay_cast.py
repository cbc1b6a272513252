"""Who plays in the simulated season: honest people, bots and cheats, with their accounts and networks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from leaderboards.moderation.evidence import Kind as AccountKind

from .fairplay_players import STRENGTHS, Habits, Strength, new_habits
from .fairplay_times import Kind as RhythmKind
from .fairplay_times import Rhythm, new_rhythm

Kind = Literal[
    "beginner",
    "first fit",
    "greedy",
    "careful",
    "expert",
    "bot",
    "full foreknowledge",
    "partial foreknowledge",
    "solver, humanised times",
    "copied leak",
    "copied honest line",
    "machine speed",
    "second account",
]
HONEST_PEOPLE: Final[dict[Strength, int]] = {
    "beginner": 170,
    "first fit": 210,
    "greedy": 250,
    "careful": 310,
    "expert": 70,
}
"""Players of each strength at scale 1."""
BOTS: Final = 4
"""Instances of each of three programs."""
CHEATS: Final[dict[Kind, int]] = {
    "full foreknowledge": 40,
    "partial foreknowledge": 50,
    "solver, humanised times": 30,
    "copied leak": 240,
    "copied honest line": 240,
    "machine speed": 240,
    "second account": 24,
}
SHORT: Final = frozenset({"copied leak", "copied honest line", "machine speed"})
"""Kinds that one attempt shows: more players, each for a few dailies."""
SHORT_DAILIES: Final = 2
_RHYTHMS: Final[dict[RhythmKind, int]] = {
    "medium": 28,
    "slow": 15,
    "fast": 15,
    "erratic": 10,
    "keyboard": 10,
    "switch": 6,
    "dwell": 6,
    "dropped link": 10,
}
_CAMPUS: Final = 12
"""Honest people behind one network, beside the pairs."""


@dataclass(frozen=True, slots=True)
class Member:
    """One account of the season, with whoever sits before it."""

    player_id: int
    kind: Kind
    account: AccountKind
    habits: Habits
    rhythm: Rhythm
    age_ms: int
    """Of the account when the season begins."""
    finished_before: int
    hour: float
    """When it usually plays."""
    first: int
    """Its first daily, from 0, and the one after its last."""
    end: int
    network: int = 0
    """Accounts with the same number share a network; 0: nobody else's."""
    owner: int = 0
    """Bots with the same number have one owner; 0: no bot."""
    after: int = 0
    """The player of the same home who plays first each day."""
    variant: int = 0
    """Copies: how many changes. Second accounts: 1 a new guest every day. Machine speed: 1 with the solver's moves."""

    @property
    def honest(self) -> bool:
        return self.kind in STRENGTHS or self.kind == "bot"


def cast_of(*, seed: int, dailies: int, scale: float, rhythms: bool = True) -> list[Member]:
    """Everybody, by player id; at least one of each kind however small the scale."""
    choose = random.Random(f"{seed}/cast")
    people = _networks(list(_people(choose, dailies, scale)), scale)
    bots = list(_bots(choose, dailies, len(people) + 1, scale))
    cheats = list(_cheats(choose, dailies, len(people) + len(bots) + 1, scale))
    return [*people, *bots, *cheats]


def _count(full: int, scale: float, least: int = 1) -> int:
    return max(least, round(full * scale))


def _people(choose: random.Random, dailies: int, scale: float) -> Iterator[Member]:
    player = 0
    kinds = [kind for kind, weight in _RHYTHMS.items() for _ in range(weight)]
    for strength, full in HONEST_PEOPLE.items():
        for _ in range(_count(full, scale)):
            player += 1
            samples = choose.choice((100, 200, 200, 400, 1_000))
            yield _member(
                player, strength, choose, dailies, new_habits(strength, choose, samples), choose.choice(kinds)
            )


def _member(player: int, kind: Kind, choose: random.Random, dailies: int, habits: Habits, rhythm: RhythmKind) -> Member:
    fresh = choose.random() < 0.3
    return Member(
        player,
        kind,
        "person" if choose.random() < 0.9 else "guest",
        habits,
        new_rhythm(rhythm, choose),
        age_ms=round(choose.uniform(0, 3 if fresh else 500) * 86_400_000),
        finished_before=0 if fresh else round(choose.expovariate(1 / 60)),
        hour=min(22.5, max(0.2, choose.gauss(14, 5))),
        first=0,
        end=dailies,
    )


def _networks(people: list[Member], scale: float) -> list[Member]:
    """One in eight lives with another player; a dozen share one network at their university."""
    shuffled = random.Random(len(people)).sample(range(len(people)), len(people))
    pairs = max(1, len(people) // 16)
    for pair in range(pairs):
        one, other = shuffled[2 * pair : 2 * pair + 2]
        people[one] = replace(people[one], network=1 + pair)
        after = people[one].player_id if pair % 2 == 0 else 0  # in half of the homes one always plays after the other
        people[other] = replace(people[other], network=1 + pair, after=after)
    for at in shuffled[2 * pairs : 2 * pairs + _count(_CAMPUS, scale, 3)]:
        people[at] = replace(people[at], network=pairs + 1)
    return people


def _bots(choose: random.Random, dailies: int, player: int, scale: float) -> Iterator[Member]:
    """Three deterministic programs; the instances of one play alike."""
    strengths: tuple[Strength, ...] = ("greedy", "careful", "expert")
    for owner, strength in enumerate(strengths, start=1):
        habits = replace(new_habits(strength, choose, 100), temperature=1e-4, lapse=0.0)
        for _ in range(_count(BOTS, scale, 2)):
            member = _member(player, "bot", choose, dailies, habits, "program")
            yield replace(member, account="bot", owner=owner, network=10_000 + owner)
            player += 1


def _cheats(choose: random.Random, dailies: int, player: int, scale: float) -> Iterator[Member]:
    for kind, full in CHEATS.items():
        for number in range(_count(full, scale, 2)):
            strength: Strength = "greedy" if number % 2 else "careful"
            rhythm: RhythmKind = ("medium", "fast", "slow", "keyboard", "erratic")[number % 5]
            if kind == "machine speed":
                rhythm = "machine"
            elif kind == "solver, humanised times":
                rhythm = "pretended"
            elif kind in ("copied leak", "copied honest line") and number % 2:
                rhythm = "read off"
            elif kind == "second account":
                strength = "expert"
            member = _member(player, kind, choose, dailies, new_habits(strength, choose, 100), rhythm)
            variant = number // 2 % 4 if kind in ("copied leak", "copied honest line") else number // 2 % 2
            hour = member.hour
            if kind == "full foreknowledge":
                hour = choose.uniform(0.1, 9)
            elif kind in SHORT:
                hour = choose.uniform(10, 23)
            first = choose.randrange(max(1, dailies - SHORT_DAILIES + 1)) if kind in SHORT else 0
            end = min(dailies, first + SHORT_DAILIES) if kind in SHORT else dailies
            yield replace(member, account="person", variant=variant, hour=hour, first=first, end=end)
            player += 1
