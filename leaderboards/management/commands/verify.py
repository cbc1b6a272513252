"""`manage.py verify`: replay every stored attempt and hold results, boards and copies to it; for backups and upgrades."""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from games.management.work import AlreadyWorking, Kept, Progress, in_processes, kept_results, release_digest
from games.redis import REDIS_ERRORS, redis_available
from games.selectors.verify import attempts_span, database_identity
from leaderboards.selectors import verify
from leaderboards.verifying import Found, part_verify

PARTS = {"attempts": 20_000, "players": 5_000, "boards": 2_000}
"""What a process takes at a time, in ids."""


def results_of() -> dict[str, str]:
    """What kept results have to be of to be believed: this release, over this database as it is."""
    # All of the code: besides the engine, that of logs, results and boards decides what a part comes to.
    return {"release": release_digest("games", "leaderboards"), **database_identity()}


class Command(BaseCommand):
    help = (
        "Replay every stored attempt, in either form of its log, and compare results; compute the entries of all boards"
        " anew; count counters and histograms; compare the Redis copies. Nothing is changed, and games may go on. Exit 1"
        " with a list of what differs. Started again after an end, it goes on where it was, if release and database are"
        " the same. The copy of a board that is played all the while cannot be compared: that is told, and no fault."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: %(default)s)")
        parser.add_argument(
            "--progress", metavar="FILE", help="what is done (default: verify.jsonl in the data directory)"
        )
        parser.add_argument("--anew", action="store_true", help="forget what an earlier run has done")
        parser.add_argument("--list", type=int, default=100, metavar="N", help="list so many differences (%(default)s)")

    def handle(self, *args: Any, jobs: int, progress: str | None, anew: bool, list: int, **options: Any) -> None:
        if jobs < 1:
            raise CommandError("--jobs must be at least 1.")
        path = Path(progress) if progress else settings.DATA_DIR / "verify.jsonl"
        try:
            with kept_results(path, results_of()) as kept:
                if anew:
                    kept.begin_anew()
                elif kept.dropped:
                    self.stdout.write(f"What {path} keeps is of another {' or '.join(kept.dropped)}: begun anew.")
                found = self._verify(kept, jobs)
                kept.forget()
        except AlreadyWorking:
            raise CommandError(f"Another run is already at it ({path}).") from None
        except OperationalError as problem:
            raise CommandError(
                f"The database cannot be used: {problem} The same command goes on from here."
            ) from problem
        except OSError as problem:
            raise CommandError(
                f"{path} cannot be written: {problem.strerror}. Choose another with --progress."
            ) from problem
        except KeyboardInterrupt:
            self.stderr.write("Stopped. The same command goes on from here.")
            sys.exit(130)
        for what, code, said in found[:list]:
            self.stdout.write(f"{what}: {code}: {said}")
        if found:
            self.stdout.write(f"{len(found):,} {'difference' if len(found) == 1 else 'differences'}.")
            sys.exit(1)
        self.stdout.write("No difference.")

    def _verify(self, kept: Kept, jobs: int) -> list[tuple[str, str, str]]:
        found: list[tuple[str, str, str]] = []
        for kind, span in (
            ("attempts", attempts_span),
            ("players", verify.players_span),
            ("boards", verify.boards_span),
        ):
            found += self._rows(kind, *span(), kept, jobs)
        count, different = verify.competitions_verify()
        self.stdout.write(f"{count:,} dailies")
        found += different
        return found + self._copies()

    def _rows(self, kind: str, highest: int, total: int, kept: Kept, jobs: int) -> list[tuple[str, str, str]]:
        size = PARTS[kind]
        parts = {f"{kind} {after}-{after + size}": (kind, after, after + size) for after in range(0, highest, size)}
        done = {name: _found(kept.results[name]) for name in parts if name in kept.results}
        missing = [(name, part) for name, part in parts.items() if name not in done]
        before = sum(count for count, _ in done.values())
        began, verified = monotonic(), 0
        with Progress(total, kind, done=before) as bar:
            for name, result in in_processes(min(jobs, max(1, len(missing))), part_verify, missing):
                if parts[name][2] <= highest:  # a part that is not full yet may have grown when the next run begins
                    kept.keep(name, result)
                done[name] = result
                verified += result[0]
                bar.add(result[0])
        seconds = monotonic() - began
        earlier = f", {before:,} of them by an earlier run" if before else ""
        self.stdout.write(
            f"{before + verified:,} {kind}{earlier}; {seconds:.1f} s, {verified / max(seconds, 0.001):,.0f} a second"
        )
        return [(what, code, said) for name in parts for what, code, said in done[name][1]]

    def _copies(self) -> list[tuple[str, str, str]]:
        if not redis_available():
            self.stdout.write("Redis does not answer: its copies were not compared.")
            return []
        try:
            count, busy, found = verify.copies_verify()
        except REDIS_ERRORS as problem:
            raise CommandError(f"Redis failed: {problem}") from problem
        self.stdout.write(f"{count:,} Redis copies of boards")
        for name in busy:
            self.stdout.write(f"copy of {name}: busy: played all the while, not compared")
        return [(what, code, said) for what, code, said in found]


def _found(kept: Any) -> Found:
    """As it was before JSON."""
    return kept[0], [(what, code, said) for what, code, said in kept[1]]
