"""`manage.py winnability`: the share of random deals that can be won, with its interval, and the fewest draws."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games.engine.errors import EngineError
from games.engine.rulesets import DEFAULT_RULESET, RULESETS, find_ruleset
from games.management.work import (
    AlreadyWorking,
    Kept,
    Progress,
    available_cores,
    in_processes,
    kept_results,
    release_digest,
)
from games.solver.exact import warm_up
from games.solver.survey import BLOCK, Survey, survey_block


class Command(BaseCommand):
    help = (
        "Solve random deals and tell how many can be won (95 % interval) and with how few draws. The same arguments "
        "give the same output, whatever the number of processes. Started again after an end, it goes on."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        letters = DEFAULT_RULESET.letters
        parser.add_argument("--ruleset", default=letters, help=f"{', '.join(RULESETS)} (default {letters})")
        parser.add_argument("--deals", type=int, default=100_000, help="how many (default %(default)s)")
        parser.add_argument("--seed", type=int, default=1, help="which random deals (default %(default)s)")
        parser.add_argument("--processes", type=int, default=available_cores(), help="default: all cores")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(
        self, *args: Any, ruleset: str, deals: int, seed: int, processes: int, json: bool, **options: Any
    ) -> None:
        if deals < 1 or processes < 1:
            raise CommandError("--deals and --processes must be at least 1.")
        try:
            letters = find_ruleset(ruleset).letters
        except EngineError as error:
            raise CommandError(error.message) from error
        path: Path = settings.DATA_DIR / f"winnability-{letters}-{seed}.jsonl"
        try:
            with kept_results(path, {"release": release_digest("games/engine", "games/solver")}) as kept:
                if kept.dropped:
                    self.stderr.write(f"The results in {path} are of another release: begun anew.")
                survey = _measure(kept, letters, deals, seed, processes)
                self.stdout.write(as_json(letters, seed, survey) if json else as_text(letters, seed, survey))
                kept.forget()
        except AlreadyWorking:
            raise CommandError(f"Another run is already at it ({path}).") from None
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
        except KeyboardInterrupt:
            self.stderr.write("Stopped. The same command goes on from here.")
            sys.exit(130)


def _measure(kept: Kept, letters: str, deals: int, seed: int, processes: int) -> Survey:
    sizes = {block: min(BLOCK, deals - block * BLOCK) for block in range(-(-deals // BLOCK))}
    names = {block: f"{block} {size}" for block, size in sizes.items()}
    missing = [block for block in sizes if names[block] not in kept.results]
    done = deals - sum(sizes[block] for block in missing)
    warm_up()  # compiles once, not in every process
    tasks = ((block, (letters, seed, block, sizes[block])) for block in missing)
    with Progress(deals, "deals", done=done) as progress:
        for block, counts in in_processes(min(processes, max(len(missing), 1)), survey_block, tasks):
            kept.keep(names[block], counts)
            progress.add(sizes[block])
    return Survey.of(deals, [kept.results[names[block]] for block in sizes])


def as_json(letters: str, seed: int, survey: Survey) -> str:
    low, high = survey.interval
    return json.dumps(
        {
            "ruleset": letters,
            "deals": survey.deals,
            "seed": seed,
            "winnable": survey.won,
            "share": round(survey.share, 6),
            "interval_95": [round(low, 6), round(high, 6)],
            "fewest_draws": {str(draws): count for draws, count in enumerate(survey.draws) if count},
        }
    )


def as_text(letters: str, seed: int, survey: Survey) -> str:
    low, high = survey.interval
    lines = [
        f"{letters}: {survey.won:,} of {survey.deals:,} random deals (seed {seed}) can be won: "
        f"{survey.share:.3%}, 95 % interval {low:.3%} to {high:.3%}",
        "fewest draws   deals    share of all",
    ]
    lines += [
        f"{draws:12d} {count:7,d}  {count / survey.deals:13.3%}" for draws, count in enumerate(survey.draws) if count
    ]
    lines.append(f"{'no win':>12} {survey.deals - survey.won:7,d}  {1 - survey.share:13.3%}")
    return "\n".join(lines)
