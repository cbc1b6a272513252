"""`manage.py restore FILE`: bring a backup into a database, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from games.redis import REDIS_ERRORS, redis_available
from leaderboards import standings
from tripeaks_site.dumps import DumpError, restore


class Command(BaseCommand):
    help = (
        "Bring a file of `manage.py backup` into the database, in one transaction, bring its schema up to date and drop"
        " the Redis copies of boards, which are of another history. Stop the processes that play before, and run"
        " `manage.py verify` after it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--replace", action="store_true", help="drop everything that is in the database now")

    def handle(self, *args: Any, file: Path, replace: bool, **options: Any) -> None:
        if not file.is_file():
            raise CommandError(f"There is no file {file}.")
        if not replace and connection.introspection.table_names():
            raise CommandError("The database is not empty. --replace drops everything in it.")
        connection.close()
        try:
            restore(connection.settings_dict, file, replace=replace)
        except DumpError as problem:
            raise CommandError(f"Nothing was changed: {problem}") from problem
        call_command("migrate", verbosity=0, interactive=False)
        self.stdout.write("Restored. Hold it to the engine with: manage.py verify")
        try:
            if redis_available():
                standings.forget_all()
        except REDIS_ERRORS as problem:
            raise CommandError(f"Redis failed ({type(problem).__name__}): empty it before anybody plays.") from problem
