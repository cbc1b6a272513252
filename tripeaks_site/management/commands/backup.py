"""`manage.py backup FILE`: a dump of the database, as of one moment, beside running games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from tripeaks_site.dumps import DumpError, dump


class Command(BaseCommand):
    help = (
        "Write all that is kept into a file (pg_dump, SQL in gzip), as of one moment, beside running games. The file"
        " holds the codes of sealed deals: keep it as secret as the database. `manage.py restore` reads it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            size = dump(connection.settings_dict, file)
        except DumpError as problem:
            raise CommandError(str(problem)) from problem
        except OSError as problem:
            raise CommandError(f"{file} cannot be written: {problem.strerror}.") from problem
        self.stdout.write(f"{file}: {size:,} bytes")
