"""One daily of the simulated season: its cards, and everybody's attempt at it in the order of their ends."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Final, Literal

from games.engine.cards import Card
from games.engine.moves import DRAW, Move
from games.engine.ranking import Result, rank_key
from games.engine.rulesets import RULESETS, Ruleset
from games.solver.exact import winnable
from leaderboards.moderation.evidence import Line

from .fairplay_cast import Member
from .fairplay_cheats import Copying, Foreknowing, Looking, Told, edited
from .fairplay_oracle import Oracle
from .fairplay_players import STRENGTHS, Honest
from .fairplay_population import as_good, choices_of, log_chance, population_log_chance
from .fairplay_sight import Mind, Played, play
from .fairplay_times import intervals

BASE_MS: Final = 1_800_000_000_000
DAY_MS: Final = 86_400_000
PARTIAL: Final = 0.2
"""One in five choices is made by the hidden cards."""
FULL: Final = 0.98


@dataclass(frozen=True, slots=True)
class Sat:
    """One attempt of the day."""

    member: Member
    line: Line
    outcome: str
    likelier: float
    """`Played.likelier`; for copies less the chance of guessing the right source."""
    best: bool
    """The exact best result."""
    changed: int
    """Copies: moves that differ from the source."""
    throwaway: bool = False
    unaware: float = 0.0
    """Copies: `likelier` to an observer who knows neither the copier's honest self nor the source (fairplay_population)."""


def deal_of(*, seed: int, day: int, ruleset: Ruleset) -> tuple[Card, ...]:
    """A sealed order of cards that can be won."""
    choose = random.Random(f"{seed}/{ruleset.letters}/{day}/deal")
    while True:
        cards = tuple(choose.sample(range(ruleset.deck_size), ruleset.deck_size))
        if winnable(ruleset, cards)[0]:
            return cards


class Day:
    """Plays the attempts of one daily; attempt ids are given at the end, in the order of the ends."""

    def __init__(self, *, seed: int, day: int, letters: str) -> None:
        self.day = day
        self._seed = seed
        self._ruleset = RULESETS[letters]
        self._cards = deal_of(seed=seed, day=day, ruleset=self._ruleset)
        self._oracle = Oracle(self._ruleset, self._cards)
        self._fewest = winnable(self._ruleset, self._cards)[1]
        self._sat: dict[int, Sat] = {}
        self._keys: dict[int, int] = {}

    def play(self, cast: Sequence[Member]) -> list[Sat]:
        """All attempts, with ids from ``day * 100,000 + 1`` on in the order of their ends."""
        here = [member for member in cast if member.first <= self.day < member.end]
        copies: Sequence[Member] = [member for member in here if member.kind.startswith("copied")]
        later = [member for member in here if member.after]
        apart = {member.player_id for member in (*copies, *later)}
        for member in (*(one for one in here if one.player_id not in apart), *later):
            self._sit(member)
        originals = sorted(self._sat.values(), key=lambda sat: sat.line.ended_ms)
        for member in copies:
            self._copy(member, originals)
        ended = sorted(self._sat.values(), key=lambda sat: (sat.line.ended_ms, sat.line.player_id))
        return [_numbered(sat, self.day * 100_000 + number) for number, sat in enumerate(ended, start=1)]

    def _random(self, player: int | str) -> random.Random:
        return random.Random(f"{self._seed}/{self._ruleset.letters}/{self.day}/{player}")

    def _sit(self, member: Member) -> None:
        # instances of one program are alike to the last number
        choose = self._random(f"program {member.owner}" if member.owner else member.player_id)
        own = self._random(f"times {member.player_id}")
        start_ms = self._start_ms(member, own)
        honest = Honest(member.habits, choose)
        mind: Mind
        match member.kind:
            case "full foreknowledge":
                mind = Foreknowing(self._oracle, honest, FULL)
            case "partial foreknowledge":
                mind = Foreknowing(self._oracle, honest, PARTIAL)
            case "solver, humanised times":
                mind = Foreknowing(self._oracle, honest, 1.0, literal=True)
            case "machine speed" if member.variant:
                mind = Foreknowing(self._oracle, honest, 1.0, literal=True)
            case "second account":
                looked = self._look(member, start_ms, own)
                start_ms = self._sat[looked[0]].line.ended_ms + round(own.uniform(20_000, 600_000))
                mind = Told(member.habits, self._cards, looked[1], choose)
            case _:
                mind = honest
        self._keep(member, play(self._ruleset, self._cards, mind, choose), start_ms, own)

    def _start_ms(self, member: Member, choose: random.Random) -> int:
        day_ms = BASE_MS + self.day * DAY_MS
        if member.after and member.after in self._sat:
            return self._sat[member.after].line.ended_ms + round(choose.uniform(5_000, 1_800_000))
        hour = min(23.0, max(0.0, choose.gauss(member.hour, 0.5)))
        return day_ms + round(hour * 3_600_000)

    def _look(self, member: Member, start_ms: int, choose: random.Random) -> tuple[int, frozenset[Card]]:
        """The throwaway account's attempt; its player id, and what it turned up."""
        player = throwaway_of(member, self.day)
        honest = Honest(member.habits, choose)
        played = play(self._ruleset, self._cards, Looking(honest, gives_up=member.player_id % 2 == 0), choose)
        self._keep(member, played, start_ms, choose, player=player)
        return player, played.known

    def _copy(self, member: Member, originals: Sequence[Sat]) -> None:
        choose = self._random(member.player_id)
        start_ms = self._start_ms(member, choose)
        leaked = member.kind == "copied leak"
        before = [sat for sat in originals if sat.line.ended_ms < start_ms and not sat.throwaway]
        sources = [
            sat
            for sat in before
            if (sat.member.kind == "full foreknowledge" if leaked else sat.member.kind in STRENGTHS)
        ]
        if not sources:  # nothing to copy yet: wait for the first
            sources = [sat for sat in originals if sat.member.kind == "full foreknowledge" or not leaked][:1]
            start_ms = sources[0].line.ended_ms + 60_000
        source = choose.choice(sources) if leaked else min(sources, key=lambda sat: self._keys[sat.line.player_id])
        copy = edited(self._ruleset, self._cards, source.line.log, member.variant, choose)
        mind = Copying(copy, source.line.log, Honest(member.habits, choose))
        played = play(self._ruleset, self._cards, mind, choose)
        changed = differences(played.log, source.line.log)
        lines = {sat.line.log for sat in sources} if leaked else {source.line.log}
        self._keep(member, played, start_ms, choose, sources=len(lines), changed=changed)
        sat = self._sat[member.player_id]
        observer = self._random(f"observer {member.player_id}")
        choices = choices_of(sat.line)
        expected = played.likelier + log_chance(Honest(member.habits, observer), choices)
        guesses = as_good(source.line.log, [sat.line.log for sat in before])
        unaware = expected - population_log_chance(choices, observer) - log(guesses)
        self._sat[member.player_id] = replace(sat, unaware=unaware)

    def _keep(
        self,
        member: Member,
        played: Played,
        start_ms: int,
        choose: random.Random,
        *,
        player: int = 0,
        sources: int = 1,
        changed: int = 0,
    ) -> None:
        times = intervals(member.rhythm, played.plies, choose)
        player_id = player or member.player_id
        ended = start_ms + sum(times)
        line = Line(0, player_id, self._ruleset, self._cards, played.log, times, start_ms, ended)
        best = played.outcome == "won" and played.log.count(DRAW) == self._fewest
        likelier = played.likelier - log(sources)
        self._sat[player_id] = Sat(member, line, played.outcome, likelier, best, changed, player != 0)
        removed = len(played.log) - played.log.count(DRAW)
        tips = sum(move < 3 for move in played.log)
        outcome: Literal["won", "stuck"] = "won" if played.outcome == "won" else "stuck"
        result = Result(outcome, played.score, len(played.log), tips, 28 - removed, sum(times), 0)
        if played.outcome in ("won", "stuck"):
            self._keys[player_id] = rank_key(self._ruleset.ranking, result, timed=True)


def throwaway_of(member: Member, day: int) -> int:
    """The player id of the second account that looks first."""
    return 1_000_000 + member.player_id * 1_000 + (day if member.variant else 0)


def differences(log: Sequence[Move], source: Sequence[Move]) -> int:
    """Moves of a log that are not in place in the source: its length less the longest common run of choices."""
    row = [0] * (len(source) + 1)
    for one in log:
        last = 0
        for at, other in enumerate(source, start=1):
            last, row[at] = row[at], last + 1 if one == other else max(row[at], row[at - 1])
    return len(log) - row[-1]


def _numbered(sat: Sat, attempt_id: int) -> Sat:
    return replace(sat, line=replace(sat.line, attempt_id=attempt_id))
