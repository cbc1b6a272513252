"""`manage.py bench NAME`: figures as ratios to a floor measured in the same run; never a test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tripeaks_site.embedded.process import EmbeddedError
from tripeaks_site.embedded.servers import Servers, Urls
from tripeaks_site.serving import uvicorn_command
from tripeaks_site.topology import Topology

BENCHES = {
    "replay": "games.bench.replay",
    "moves": "games.bench.moves",
    "solver": "games.bench.solver",
    "fanout": "leaderboards.bench.fanout",
    "rank": "leaderboards.bench.rank",
    "page": "leaderboards.bench.page",
    "fairplay": "leaderboards.bench.fairplay",
    "judging": "leaderboards.bench.judging",
}
ALONE = {"capacity": "leaderboards.bench.capacity", "verify": "leaderboards.bench.verifying"}
ON_HOSTS = {"load": "leaderboards.bench.load", "faults": "leaderboards.bench.faults"}
SERVED = {"moves", "fanout", "page"}
TAKES = {  # options handed to the benchmark where given
    "fairplay": ("seed", "dailies", "players", "jobs", "rulesets"),
    "rank": ("entries",),
    "fanout": ("sockets", "processes"),
    "capacity": ("entries",),
    "verify": ("entries",),
}
NEED_SERVERS = {"moves", "fanout", "rank", "page", "judging", "capacity", "verify"}
NAMES = [*BENCHES, *ALONE, *ON_HOSTS]


class Command(BaseCommand):
    help = (
        "Measure: replay (games/s), moves (CPU a move), solver (deals/s), fanout (one event to 5,000 sockets), "
        "rank (1,000,000 entries), page (bytes, requests and queries; taps and news in a browser), "
        "judging (CPU of a judgement, lag of a worker), verify (stored attempts/s), "
        "capacity (plans and times over 10,000,000 entries), fairplay (a simulated season before the judge), "
        "load (paced players and spectators over several web processes), faults (parts fail under load); "
        "all: all but capacity, verify, load and faults."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="+", choices=[*NAMES, "all"], metavar="NAME", help="|".join([*NAMES, "all"]))
        parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
        parser.add_argument("--own", action="store_true", help="on the configured servers, not on fresh embedded ones")
        parser.add_argument(
            "--entries",
            type=int,
            help="of the board of rank (1,000,000), in all for capacity (10,000,000) and verify (40,000)",
        )
        parser.add_argument("--sockets", type=int, help="fanout: sockets in all (default: 5,000)")
        parser.add_argument("--processes", type=int, help="fanout: server processes that share them (default: 1)")
        season = parser.add_argument_group("fairplay")
        season.add_argument("--seed", type=int, default=7, help="another number, another season")
        season.add_argument("--dailies", type=int, default=20)
        season.add_argument(
            "--players",
            type=float,
            help="fairplay: how many times the usual 1,900 (1); load (300), faults (100): how many",
        )
        season.add_argument("--jobs", type=int, default=2, help="processes that share the work")
        season.add_argument("--rulesets", default="E", help="one season each: E,C,R")
        load = parser.add_argument_group("load, faults")
        load.add_argument("--spectators", type=int, help="sockets that follow the daily that is played")
        load.add_argument("--seconds", type=float, help="how long the players play")
        load.add_argument("--web", type=int, default=3, help="web processes")
        load.add_argument("--workers", type=int, default=2, help="processes that work off the queue")
        load.add_argument(
            "--faults", nargs="+", metavar="FAULT", help="some of: web worker postgres redis link reader clock"
        )
        load.add_argument("--plot", type=Path, metavar="FILE", help="write a chart of the run (SVG)")

    def handle(self, *args: Any, names: list[str], **options: Any) -> None:
        chosen = list(BENCHES) if "all" in names else names
        if set(chosen) & set(ALONE) and len(chosen) > 1:
            raise CommandError(f"{' and '.join(ALONE)} each need a database of their own: run one at a time.")
        given = {name: options[name] for taken in TAKES.values() for name in taken if options[name] is not None}
        if NEED_SERVERS & set(chosen) and not options["own"]:
            self._on_fresh_servers(chosen, given, as_json=options["json"])
            return
        figures: dict[str, Any] = {}
        for name in chosen:
            run: Callable[..., dict[str, Any]] = import_module((BENCHES | ALONE | ON_HOSTS)[name]).run
            if name in ON_HOSTS:
                figures[name] = self._on_hosts(run, options)
            else:
                wanted = {option: given[option] for option in TAKES.get(name, ()) if option in given}
                figures[name] = run(*([uvicorn_command()] if name in SERVED else []), **wanted)
            if not options["json"]:
                self.stdout.write(as_text(figures[name]))
        if options["json"]:
            self.stdout.write(json.dumps(figures))
        if any(figure.get("missed") for figure in figures.values()):
            sys.exit(1)

    def _on_hosts(self, run: Callable[..., dict[str, Any]], options: dict[str, Any]) -> dict[str, Any]:
        """Over the many-process form on hosts of this machine; `--own`: with the configured PostgreSQL and Redis."""
        given = Urls(settings.DATABASE_URL, settings.REDIS_URL) if options["own"] else None
        names = ("spectators", "seconds", "plot", "faults")
        wanted = {name: options[name] for name in names if options[name] is not None}
        if options["players"] is not None:
            wanted["players"] = int(options["players"])
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # an end that tidies up
        try:
            with Topology(web=options["web"], workers=options["workers"], servers=given) as stage:
                return run(stage, say=self.stderr.write, **wanted)
        except EmbeddedError as problem:
            raise CommandError(str(problem)) from problem

    def _on_fresh_servers(self, chosen: list[str], given: dict[str, Any], *, as_json: bool) -> None:
        """Run again as a process over servers of its own (durable, as in `up`), so that nobody's data is touched."""
        with tempfile.TemporaryDirectory(prefix="tripeaks-bench-") as directory:
            servers = Servers(Path(directory))
            servers.start()
            try:
                env = {
                    **os.environ,
                    "DATABASE_URL": servers.urls.database_url,
                    "REDIS_URL": servers.urls.redis_url,
                    "TRIPEAKS_DATA": directory,
                    "TRIPEAKS_SECRET_KEY": os.environ.get("TRIPEAKS_SECRET_KEY", "for one benchmark run only"),
                }
                manage = [sys.executable, str(settings.BASE_DIR / "manage.py")]
                subprocess.run([*manage, "migrate", "--verbosity", "0"], env=env, check=True)
                played = [f"--{name}={value}" for name, value in given.items()]
                command = [*manage, "bench", "--own", *chosen, *played, *(["--json"] if as_json else [])]
                done = subprocess.run(command, env=env, check=False)
            finally:
                servers.stop()
        if done.returncode:
            sys.exit(done.returncode)


def as_text(figure: dict[str, Any], indent: str = "") -> str:
    """A figure as indented lines; nested parts below their name."""
    lines = [f"{indent}{figure['name']}"] if "name" in figure else []
    for key, value in figure.items():
        if key == "name":
            continue
        if isinstance(value, dict):
            lines += [f"{indent}  {key}", as_text(value, indent + "  ")]
        elif isinstance(value, float):
            lines.append(f"{indent}  {key:<24}{value:>14,.2f}")
        else:
            lines.append(f"{indent}  {key:<24}{value!s:>14}")
    return "\n".join(lines)
