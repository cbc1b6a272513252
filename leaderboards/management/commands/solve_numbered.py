"""`manage.py solve_numbered`: the exact best result of every numbered game, written into the running server's database."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from games.engine.codes import NUMBERED_GAMES
from games.management.work import Progress, available_cores, in_processes
from games.solver.exact import warm_up
from games.solver.numbered import NUMBERED_VERSION, games_facts
from leaderboards.selectors.numbered import numbers_missing
from leaderboards.services.numbered import numbered_write

BATCH = 250


class Command(BaseCommand):
    help = (
        "Solve the numbered games: can they be won, and in how few moves. What is solved already is left alone, so after "
        "an end, or a kill, the same command goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--processes", type=int, default=available_cores(), help="default: all cores")
        parser.add_argument(
            "--upto", type=int, default=NUMBERED_GAMES, metavar="N", help="only games 1 to N (default %(default)s)"
        )

    def handle(self, *args: Any, processes: int, upto: int, **options: Any) -> None:
        if processes < 1 or not 1 <= upto <= NUMBERED_GAMES:
            raise CommandError(f"--processes must be at least 1, --upto 1 to {NUMBERED_GAMES}.")
        try:
            missing = numbers_missing(upto=upto, version=NUMBERED_VERSION)
            if missing:
                self._solve(missing, processes, upto)
        except OperationalError as error:
            raise CommandError(f"The database cannot be used: {error}. Is the server running?") from error
        except KeyboardInterrupt:
            self.stderr.write("Stopped. The same command goes on from here.")
            sys.exit(130)
        already = f" {upto - len(missing):,} were solved already." if len(missing) < upto else ""
        self.stdout.write(f"{len(missing):,} games solved.{already}")

    def _solve(self, missing: list[int], processes: int, upto: int) -> None:
        warm_up()  # compiles once, not in every process
        batches = list(_batches(missing))
        tasks = ((len(batch), (batch,)) for batch in batches)
        with Progress(upto, "games", done=upto - len(missing)) as progress:
            for size, facts in in_processes(min(processes, len(batches)), games_facts, tasks):
                numbered_write(facts=facts, version=NUMBERED_VERSION)
                progress.add(size)


def _batches(numbers: list[int]) -> Iterator[list[int]]:
    return (numbers[at : at + BATCH] for at in range(0, len(numbers), BATCH))
