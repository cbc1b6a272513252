"""A simulated season before the judge: how many cheats it finds, how many honest attempts it flags."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import wait
from time import perf_counter
from typing import Any, Final

from games.engine.rulesets import RULESETS
from games.management.work import Progress
from games.solver.exact import warm_up

from .fairplay_report import cost, report
from .fairplay_season import Season, Tried, pool

SEED: Final = 7
DAILIES: Final = 20
RULES: Final = ("E", "C", "R")
INTERVALS: Final = "Clopper-Pearson, 95 %"


def run(
    *, seed: int = SEED, dailies: int = DAILIES, players: float = 1.0, jobs: int = 2, rulesets: str = "E"
) -> dict[str, Any]:
    """One season for each ruleset (letters, comma-separated). ``players``: how many times the usual cast.

    `missed` lists the targets that were not reached although the moves would allow it. All but `cost` and `seconds`
    is the same for the same seed, however many jobs share the work.
    """
    letters = rulesets.split(",")
    if not set(letters) <= set(RULES):
        raise ValueError(f"rulesets are {', '.join(RULES)}, not {rulesets}")
    if dailies < 1 or players <= 0 or jobs < 1:
        raise ValueError("a season has dailies, players and jobs")
    warm_up()
    figures: dict[str, Any] = {
        "name": "fairplay: a simulated season before the judge",
        "seed": seed,
        "dailies": dailies,
        "intervals": INTERVALS,
    }
    missed: list[str] = []
    for one in letters:
        before = perf_counter()
        season = Season(seed=seed, dailies=dailies, scale=players, letters=one, jobs=jobs)
        tried = _judged(season, jobs)
        told = report(tried, season.likelier(), season.unaware(), seed=seed)
        told["cost"] = cost(tried)
        told["seconds"] = round(perf_counter() - before, 1)
        missed += [f"{one}: {name}" for name, target in told["targets"].items() if target["is"] == "missed"]
        if told["cost"]["is"] == "missed":
            missed.append(f"{one}: cost of a judgement")
        figures[RULESETS[one].name] = told
    figures["missed"] = missed
    return figures


def _judged(season: Season, jobs: int) -> list[Tried]:
    """All attempts, judged by so many processes: each has its own players, and sees everybody's lines."""
    with Progress(season.attempts, "attempts judged") as progress:
        if jobs == 1:
            return season.tried(passed=lambda: progress.add(1))
        global _season
        _passed.value = 0
        _season = season  # the workers are forks: nothing is copied to them
        try:
            with pool(jobs) as workers:
                parts = [workers.submit(_part, part, jobs) for part in range(jobs)]
                while wait(parts, timeout=1).not_done:
                    progress.add(_passed.value - progress.done)
        finally:
            _season = None
        progress.add(_passed.value - progress.done)
    found = (one for part in parts for one in part.result())
    return sorted(found, key=lambda one: (one.number, one.player_id))


_season: Season | None = None
_passed: Final = multiprocessing.get_context("fork").Value("q", 0)
"""Attempts that are behind the forks."""


def _part(part: int, parts: int) -> list[Tried]:
    assert _season is not None

    def passed() -> None:
        with _passed:
            _passed.value += 1

    return _season.tried(part=part, parts=parts, passed=passed)
