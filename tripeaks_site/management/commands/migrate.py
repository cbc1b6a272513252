"""`manage.py migrate`: Django's own, which waits for no lock for long: whoever queues behind it would wait as well."""

from __future__ import annotations

import time
from typing import Any, Final

from django.core.management.commands import migrate
from django.db import OperationalError, connections
from psycopg.errors import LockNotAvailable

LOCK_SECONDS: Final = 3
TRIES: Final = 20
_PAUSE_SECONDS: Final = 2.0


class Command(migrate.Command):
    help = (
        f"{migrate.Command.help} Waits {LOCK_SECONDS} s for a lock at most and then lets others pass, and tries again"
        f" {TRIES} times. Beside running games; the migrations follow the rules of tests/site/test_migrations.py."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        self._alias = options["database"]
        connection = connections[self._alias]
        try:
            for attempt in range(TRIES):
                try:
                    super().handle(*args, **options)
                    return
                except OperationalError as problem:
                    if attempt + 1 == TRIES or not isinstance(problem.__cause__, LockNotAvailable):
                        raise
                    self.stderr.write("A lock was not to be had; others pass, and the next try follows.")
                    time.sleep(_PAUSE_SECONDS)
        finally:
            if connection.connection is not None and not connection.connection.closed:
                with connection.cursor() as cursor:
                    cursor.execute("RESET lock_timeout")

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:
        """Before each migration. One outside of a transaction builds indexes concurrently: it waits, and nobody for it."""
        if action in ("apply_start", "unapply_start"):
            with connections[self._alias].cursor() as cursor:
                cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS if migration.atomic else 0}s'")
        super().migration_progress_callback(action, migration, fake)
