"""`manage.py worker`: the process that judges finished attempts, task by task."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games.metrics import MetricsNotServed, serve_metrics
from games.solver.exact import warm_up
from leaderboards.moderation.queue_metrics import queue_watch
from leaderboards.moderation.worker import work


class Command(BaseCommand):
    help = "Work off the queue: judge finished attempts. `up` runs one by itself; any number may run at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--threads", type=int, default=settings.WORKER_THREADS, help="tasks at once (default: %(default)s)"
        )
        parser.add_argument("--once", action="store_true", help="end when the queue is empty")
        parser.add_argument(
            "--alive", type=Path, metavar="FILE", help="touch this file every few seconds while all is well"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            serve_metrics(settings.METRICS)
        except MetricsNotServed as problem:
            raise CommandError(str(problem)) from problem
        queue_watch()
        warm_up()
        asyncio.run(work(threads=options["threads"], once=options["once"], alive=options["alive"]))
