"""A simulated season handed to the judge, attempt by attempt, as if its rows had been gathered.

    for kind, evidence, judged in season(seed=7, dailies=3, scale=0.05): ...

Only plain values go over, and only `verdict.judge` is called, with the answer to its question for careful figures that
the queue's worker gives it too: nothing here knows how it judges.
"""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from time import thread_time_ns
from typing import Any, Final

from games.management.work import Progress
from leaderboards.moderation.evidence import Career, DailyResult, Evidence, Line, Link, Retries, Subject
from leaderboards.moderation.field import Field
from leaderboards.moderation.shuffles import Care, Studied, study
from leaderboards.moderation.verdict import Judged, judge

from .fairplay_cast import Kind, Member, cast_of
from .fairplay_day import BASE_MS, Day, Sat

CAREER: Final = 200
CAREFUL: Final = 60
"""Attempts that the judge gets careful figures of."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One judged attempt, for the report."""

    kind: Kind
    honest: bool
    player_id: int
    number: int
    """Of the player's attempts, from 1."""
    planned: int
    """How many attempts the player has in the season, judged or not."""
    rhythm: str
    home: bool
    """Shares a network with somebody."""
    variant: int
    changed: int
    verdict: str
    points: int
    signals: tuple[tuple[str, str, int], ...]
    """Name, group and points of each."""
    cpu_ns: int


@dataclass(slots=True)
class _Account:
    """What has been found of one player so far."""

    knowledge: list[tuple[float, ...]] = field(default_factory=list)
    settled: int = 0
    results: list[DailyResult] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    studied: dict[tuple[int, Care], Studied] = field(default_factory=dict)
    caught: bool = False

    def confirm(self, care: Care) -> list[Studied]:
        """The earlier attempts studied with care, as the queue's worker gives them: kept, for it costs."""
        for line in self.lines[-CAREFUL:]:
            if (line.attempt_id, care) not in self.studied:
                self.studied[line.attempt_id, care] = study(line, care)
        return [self.studied[line.attempt_id, care] for line in self.lines[-CAREFUL:]]


class Season:
    """All attempts of a season, played; `judged` goes through them in order."""

    def __init__(self, *, seed: int, dailies: int, scale: float, letters: str = "E", jobs: int = 1) -> None:
        self.cast = cast_of(seed=seed, dailies=dailies, scale=scale)
        works = [(seed, day, letters, self.cast) for day in range(dailies)]
        self.days: list[list[Sat]] = []
        with ExitStack() as stack:
            played = stack.enter_context(pool(jobs)).map(_play, works) if jobs > 1 else map(_play, works)
            progress = stack.enter_context(Progress(dailies, "dailies played"))
            for day in played:
                self.days.append(day)
                progress.add(1)

    @property
    def attempts(self) -> int:
        """All of them, also those that are not judged."""
        return sum(map(len, self.days))

    def judged(
        self, *, part: int = 0, parts: int = 1, passed: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[Sat, Evidence, Judged, int]]:
        """The attempts of every ``parts``-th player in the order of their ends, each with the judge's CPU time in ns.

        ``passed`` is called after each of their attempts, also those that are not judged. A cheat that has been flagged or
        held is not judged again: a moderator has it. The honest play on.
        """
        accounts: dict[int, _Account] = defaultdict(_Account)
        homes = _Homes(self.cast)
        for day in self.days:
            earlier = Field()
            people = [sat for sat in day if sat.outcome != "resigned" and sat.member.account != "bot"]
            best = sum(sat.best for sat in people)
            homes.begin(day)
            for sat in day:
                account = accounts[sat.member.player_id]
                gone = sat.throwaway or (account.caught and not sat.member.honest)
                if not gone and sat.member.player_id % parts == part:
                    evidence = _evidence(sat, account, homes, earlier)
                    before = thread_time_ns()
                    judged = judge(evidence, confirm=account.confirm)
                    account.lines.append(sat.line)
                    yield sat, evidence, judged, thread_time_ns() - before
                    if judged.knowledge:
                        account.knowledge.append(judged.knowledge)
                    if judged.settles:
                        account.settled = len(account.knowledge)
                    own = sat.member.account != "bot"
                    account.results.append(DailyResult(sat.best, len(people) - own, best - (own and sat.best)))
                    account.caught |= judged.verdict != "nothing"
                if sat.outcome != "resigned":
                    earlier.add(sat.line)
                if sat.member.player_id % parts == part:
                    passed()
            homes.end(day)

    def likelier(self) -> dict[str, list[list[float]]]:
        """`Sat.likelier` of all attempts of each kind, for each daily."""
        return self._of_each_kind(lambda sat: sat.likelier)

    def unaware(self) -> dict[str, list[list[float]]]:
        """`Sat.unaware` in the same way."""
        return self._of_each_kind(lambda sat: sat.unaware)

    def _of_each_kind(self, value: Callable[[Sat], float]) -> dict[str, list[list[float]]]:
        found: dict[str, list[list[float]]] = defaultdict(lambda: [[] for _ in self.days])
        for number, day in enumerate(self.days):
            for sat in day:
                if not sat.throwaway:
                    found[sat.member.kind][number].append(value(sat))
        return dict(found)

    def tried(self, *, part: int = 0, parts: int = 1, passed: Callable[[], None] = lambda: None) -> list[Tried]:
        """The judged attempts of every ``parts``-th player as the report wants them."""
        numbers: dict[int, int] = defaultdict(int)
        found = []
        for sat, evidence, judged, cpu_ns in self.judged(part=part, parts=parts, passed=passed):
            member = sat.member
            numbers[member.player_id] += 1
            found.append(
                Tried(
                    member.kind,
                    member.honest,
                    member.player_id,
                    numbers[member.player_id],
                    member.end - member.first,
                    member.rhythm.kind,
                    bool(evidence.links),
                    member.variant,
                    sat.changed,
                    judged.verdict,
                    judged.points,
                    tuple((signal.name, signal.group, signal.points) for signal in judged.signals),
                    cpu_ns,
                )
            )
        return sorted(found, key=lambda one: (one.number, one.player_id))


def season(
    *, seed: int, dailies: int, scale: float, letters: str = "E", jobs: int = 1
) -> Iterator[tuple[Kind, Evidence, Judged]]:
    """Play a season, then judge it: kind, evidence and verdict of each attempt in the order of their ends."""
    for sat, evidence, judged, _ in Season(
        seed=seed, dailies=dailies, scale=scale, letters=letters, jobs=jobs
    ).judged():
        yield sat.member.kind, evidence, judged


def pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork"))


def _play(work: tuple[int, int, str, Sequence[Member]]) -> list[Sat]:
    seed, day, letters, cast = work
    return Day(seed=seed, day=day, letters=letters).play(cast)


def _evidence(sat: Sat, account: _Account, homes: _Homes, earlier: Field) -> Evidence:
    member = sat.member
    links = homes.links(sat)
    given_up = sum(link.line_ended == "resigned" and not link.same_owner for link in links)
    age = member.age_ms + sat.line.ended_ms - BASE_MS
    return Evidence(
        line=sat.line,
        subject=Subject(member.account, age, member.finished_before + len(account.results)),
        sealed=True,
        field=earlier,
        career=Career(
            tuple(account.knowledge[-CAREER:]),
            max(0, account.settled - max(0, len(account.knowledge) - CAREER)),
            tuple(account.results[-CAREER:]),
        ),
        links=links,
        retries=Retries(linked_given_up=given_up),
    )


class _Homes:
    """Accounts behind one network, and who of them played which daily when."""

    def __init__(self, cast: Sequence[Member]) -> None:
        self._of: dict[int, list[Member]] = defaultdict(list)
        for member in cast:
            if member.network:
                self._of[member.network].append(member)
        self._both: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
        self._today: dict[int, Sat] = {}
        self._looked: dict[int, list[int]] = defaultdict(list)
        """Throwaway accounts of a player so far."""

    def begin(self, day: Sequence[Sat]) -> None:
        self._today = {sat.line.player_id: sat for sat in day}
        for sat in day:
            if sat.throwaway and sat.line.player_id not in self._looked[sat.member.player_id]:
                self._looked[sat.member.player_id].append(sat.line.player_id)

    def links(self, sat: Sat) -> tuple[Link, ...]:
        member = sat.member
        found = []
        for other in self._of[member.network] if member.network else ():
            if other.player_id != member.player_id:
                owner = bool(member.owner) and member.owner == other.owner
                found.append(self._link(sat.line, other.player_id, other.account, owner))
        for player_id in self._looked[member.player_id][-20:]:
            found.append(self._link(sat.line, player_id, "guest", False))
        return tuple(link for link in found if link is not None)

    def _link(self, line: Line, other_id: int, kind: Any, same_owner: bool) -> Link | None:
        both, after = self._both[line.player_id, other_id]
        other = self._today.get(other_id)
        before = other is not None and other.line.ended_ms < line.started_ms
        if other is not None and other.line.started_ms < line.ended_ms:
            both += 1
            after += before
        if not both:
            return None  # nothing in the evidence kept links them yet
        shown = other if before else None
        return Link(
            other_id,
            kind,
            same_network=True,
            same_owner=same_owner,
            dailies_both=both,
            dailies_after=after,
            line=None if shown is None else shown.line,
            line_ended="" if shown is None else shown.outcome,
        )

    def end(self, day: Sequence[Sat]) -> None:
        """Count the daily for every two accounts of a home."""
        for sat in day:
            member = sat.member
            ids = [other.player_id for other in self._of[member.network]] if member.network else []
            if not sat.throwaway:
                ids += self._looked[member.player_id]
            for other_id in ids:
                other = self._today.get(other_id)
                if other is not None and other_id != sat.line.player_id:
                    counts = self._both[sat.line.player_id, other_id]
                    counts[0] += 1
                    counts[1] += other.line.ended_ms < sat.line.started_ms
