"""`manage.py test` for `help` and django-admin. manage.py itself goes to tripeaks_site.quality before Django starts."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tripeaks_site.quality import run_checks


class Command(BaseCommand):
    help = "Run every check (ruff, mypy, import rules, page scripts, tests); with arguments, pytest alone with them."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pytest_arguments", nargs="*")

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(run_checks(options["pytest_arguments"]))
