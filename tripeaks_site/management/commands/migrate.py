"""`manage.py migrate`: Django's own, which waits for no lock for long: whoever queues behind it would wait as well.

A database that takes no connections yet (a container that has just been started, a failover) is waited for; a wrong
password, a missing database and whatever else it answers is an error at once.
"""

from __future__ import annotations

import time
from typing import Any, Final

from django.conf import settings
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.conninfo import make_conninfo
from psycopg.errors import LockNotAvailable
from psycopg.pq import Conninfo, PGconn, Ping

LOCK_SECONDS: Final = 3
TRIES: Final = 20
_PAUSE_SECONDS: Final = 2.0
CONNECT_SECONDS: Final = 30


class Command(migrate.Command):
    help = (
        f"{migrate.Command.help} Waits {LOCK_SECONDS} s for a lock at most and then lets others pass, and tries again"
        f" {TRIES} times. Waits {CONNECT_SECONDS} s for a database that takes no connections. Beside running games;"
        " the migrations follow the rules of tests/site/test_migrations.py."
    )

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Before the system checks, which ask the database, too."""
        self._wait_for(connections[options["database"]])
        return super().execute(*args, **options)

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

    def _wait_for(self, connection: BaseDatabaseWrapper) -> None:
        """Until it takes connections, or for CONNECT_SECONDS: then the first statement says what is wrong."""
        if not settings.DATABASE_URL or not _takes_none(connection):
            return
        self.stderr.write(f"The database takes no connections; waiting {CONNECT_SECONDS} s for it at most.")
        until = time.monotonic() + CONNECT_SECONDS
        while _takes_none(connection) and time.monotonic() < until:
            time.sleep(0.5)

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:
        """Before each migration. One outside of a transaction builds indexes concurrently: it waits, and nobody for it."""
        if action in ("apply_start", "unapply_start"):
            with connections[self._alias].cursor() as cursor:
                cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS if migration.atomic else 0}s'")
        super().migration_progress_callback(action, migration, fake)


def _takes_none(connection: BaseDatabaseWrapper) -> bool:
    """As pg_isready tells: nobody answers, or a server that is starting, ending or recovering. Needs no password."""
    known = {each.keyword.decode() for each in Conninfo.get_defaults()} - {"password"}
    given = {name: value for name, value in connection.get_connection_params().items() if name in known}
    return PGconn.ping(make_conninfo(**given).encode()) in (Ping.REJECT, Ping.NO_RESPONSE)
