"""`manage.py rejudge`: judge a period anew with the present version of the signals, or show what that would change."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games import clock
from games.solver.exact import warm_up
from leaderboards.moderation.rejudging import Rejudged, rejudge
from leaderboards.moderation.signals import VERSION


def _date(text: str) -> dt.datetime:
    return dt.datetime.combine(dt.date.fromisoformat(text), dt.time(), dt.UTC)


class Command(BaseCommand):
    help = (
        "Judge the attempts of a period anew with this version of the signals. Without --apply it shows what would change "
        "and writes nothing. With it, what got worse is put before the moderators or held, and holds that no moderator "
        "made end where this version would not make them; a run that was stopped goes on where it was."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--from", dest="since", type=_date, required=True, metavar="DATE", help="first day, UTC")
        parser.add_argument("--to", dest="until", type=_date, required=True, metavar="DATE", help="last day, UTC")
        parser.add_argument("--attempt", metavar="ID", help="this attempt only, if it ended in the period")
        parser.add_argument("--apply", action="store_true", help="write it down and act on it")

    def handle(self, *args: Any, since: dt.datetime, until: dt.datetime, apply: bool, **options: Any) -> None:
        if until < since:
            raise CommandError("--to must not be before --from.")
        warm_up()
        judged = rejudge(
            since=since,
            until=until + dt.timedelta(days=1),
            apply=apply,
            now=clock.now(),
            attempt_id=options["attempt"],
        )
        changes: Counter[tuple[str, str]] = Counter()
        effects: Counter[str] = Counter()
        known = 0
        for one in judged:
            known += one.known
            effects[one.effect] += 1
            if not one.known:
                changes[one.before or "not judged", one.after] += 1
            if (one.changed and not one.known) or one.effect or options["verbosity"] > 1:
                self.stdout.write(_line(one, apply=apply))
        self._sum_up(changes, effects, known, apply=apply)

    def _sum_up(self, changes: Counter[tuple[str, str]], effects: Counter[str], known: int, *, apply: bool) -> None:
        self.stdout.write(f"\nVersion {VERSION}: {changes.total()} attempts, {known} more were judged by it before.")
        for (before, after), count in sorted(changes.items()):
            self.stdout.write(f"  {before:>10} -> {after:<8} {count:>8}")
        for effect in ("case", "hold", "lift", "left alone"):
            if effects[effect]:
                self.stdout.write(f"  {_EFFECTS[effect][apply]:>22} {effects[effect]:>8}")
        if not apply:
            self.stdout.write("Nothing was written. The same with --apply does it.")


_EFFECTS = {
    "": ("", ""),
    "case": ("would open a case", "opened a case"),
    "hold": ("would hold it", "held it"),
    "lift": ("would end the hold", "ended the hold"),
    "left alone": ("a person's decision", "a person's decision"),
}


def _line(one: Rejudged, *, apply: bool) -> str:
    before = f"{one.before} {one.before_points}" if one.before else "not judged"
    said = f"{one.ended:%Y-%m-%d %H:%M}  {one.attempt:<16}  {before:>11} -> {one.after} {one.after_points}"
    return f"{said}  {_EFFECTS[one.effect][apply]}".rstrip()
