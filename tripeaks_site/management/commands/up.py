"""`manage.py up` for `help` and django-admin. manage.py itself goes to tripeaks_site.up before Django starts."""

from __future__ import annotations

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tripeaks_site.up import ROOT, add_arguments


class Command(BaseCommand):
    help = "Run the whole server in one process: PostgreSQL, Redis, pages, API and sockets."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = [f"--{name}={options[name]}" for name in ("host", "port", "data") if options[name] is not None]
        os.execv(sys.executable, [sys.executable, str(ROOT / "manage.py"), "up", *chosen])
