"""`manage.py serve`: one web process, for PostgreSQL and Redis that run elsewhere."""

from __future__ import annotations

import logging
import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games.metrics import MetricsNotServed, serve_metrics
from tripeaks_site.open_files import allow_many_sockets
from tripeaks_site.reporting import dsn_well_formed, finish_reporting
from tripeaks_site.web_process import WebProcess, end_signals_are_ignored


class Command(BaseCommand):
    help = (
        "Serve pages, API and sockets on one port, over DATABASE_URL and REDIS_URL. TERM ends it in order: /readyz says "
        "no, sockets are told to reconnect, what is under way is finished. A second TERM ends it at once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to serve on (default: %(default)s)")
        parser.add_argument("--port", type=int, default=8000, help="port to serve on (default: %(default)s)")
        parser.add_argument(
            "--drain-seconds",
            type=float,
            default=10.0,
            help="after TERM, spread the goodbyes to open sockets over so long (default: %(default)s)",
        )

    def handle(self, *args: Any, host: str, port: int, drain_seconds: float, **options: Any) -> None:
        if not settings.DATABASE_URL:
            raise CommandError("Set DATABASE_URL (and REDIS_URL), or run the whole server by `python3 manage.py up`.")
        if not 0 <= drain_seconds <= 600:
            raise CommandError("--drain-seconds must be from 0 to 600.")
        allow_many_sockets()
        try:
            serve_metrics(settings.METRICS)
        except MetricsNotServed as problem:
            raise CommandError(str(problem)) from problem
        process = WebProcess(drain_seconds=drain_seconds, host=host, port=port)
        process.run()
        end_signals_are_ignored()
        if dsn_well_formed(settings.SENTRY_DSN):
            finish_reporting()
        logging.shutdown()
        sys.stdout.flush()
        # Not by a return: that would wait for requests that did not end within their time.
        os._exit(0 if process.started else 1)
