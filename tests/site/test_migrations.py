"""Migrations that lock nothing for long: rules for all from here on, and what `migrate` does about a lock it cannot have.

Games go on while a database is brought up to date, and older processes with it. So a migration may

- make tables, with whatever is on them, and add columns that may be NULL or whose default stays in the database;
- build or drop an index CONCURRENTLY, in a migration of its own without a transaction;
- add a constraint NOT VALID, and validate it in a later migration;
- run SQL of the few kinds below. Rows are filled by a command, in batches, and not by a migration.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import socketserver
import subprocess
import sys
import threading
import time
from typing import Any, Final
from urllib.parse import urlsplit

import psycopg
import pytest
from django.contrib.postgres import operations as postgres
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader

from tests.processes import ROOT, TIED_TO_US, database_url, free_port, fresh_database, run_manage
from tripeaks_site.management.commands.migrate import LOCK_SECONDS

FREE: Final = {"games": "0006", "leaderboards": "0003"}
"""Up to these they were made before anybody played."""
_QUICK_SQL: Final = re.compile(
    r"(DROP INDEX CONCURRENTLY IF EXISTS \w+|ALTER TABLE \w+ SET \([\w\s=,.]+\)|COMMENT ON .*)", re.DOTALL
)
_QUICK: Final = (
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    migrations.SeparateDatabaseAndState,
    postgres.AddConstraintNotValid,
    postgres.ValidateConstraint,
)


def faults(migration: migrations.Migration) -> list[str]:
    """What in a migration would keep others waiting, or break processes of the version before."""
    made: set[str] = set()
    found: list[str] = []
    validates = any(isinstance(operation, postgres.ValidateConstraint) for operation in migration.operations)
    for operation in migration.operations:
        name = type(operation).__name__
        model = str(getattr(operation, "model_name", "")).lower()
        if isinstance(operation, migrations.CreateModel):
            made.add(operation.name.lower())
        elif isinstance(operation, postgres.AddIndexConcurrently | postgres.RemoveIndexConcurrently):
            if migration.atomic:
                found.append(f"{name}: needs atomic = False")
        elif isinstance(operation, migrations.RunSQL):
            if not _QUICK_SQL.fullmatch(str(operation.sql).strip()):
                found.append(f"{name}: {str(operation.sql)[:60]}")
        elif isinstance(operation, migrations.AddField):
            found += [f"{name} {model}.{operation.name}: {fault}" for fault in field_faults(operation.field)]
        elif isinstance(operation, postgres.AddConstraintNotValid) and validates:
            found.append(f"{name}: validate it in a later migration")
        elif not isinstance(operation, _QUICK) and model not in made:
            found.append(f"{name} {model}")
    return found


def field_faults(field: models.Field[Any, Any]) -> list[str]:
    found = []
    if not field.null and field.db_default is models.NOT_PROVIDED:
        found.append("neither NULL nor a default in the database")
    if field.unique or getattr(field, "db_index", False):
        found.append("its index is built under a lock")
    return found


def test_no_migration_locks_for_long() -> None:
    loader = MigrationLoader(None)
    ours = [
        migration
        for (app, name), migration in sorted(loader.disk_migrations.items())
        if app in FREE and name[:4] > FREE[app]
    ]
    assert ours
    assert {f"{each.app_label}.{each.name}": faults(each) for each in ours if faults(each)} == {}


@pytest.mark.parametrize(
    ("operation", "fault"),
    [
        (migrations.AddIndex("attempt", models.Index(fields=["ply"], name="x")), "AddIndex attempt"),
        (migrations.RemoveIndex("attempt", "x"), "RemoveIndex attempt"),
        (postgres.AddIndexConcurrently("attempt", models.Index(fields=["ply"], name="x")), "atomic = False"),
        (migrations.AddField("attempt", "x", models.IntegerField(default=0)), "neither NULL nor a default"),
        (migrations.AddField("attempt", "x", models.IntegerField(null=True, db_index=True)), "built under a lock"),
        (migrations.AlterField("attempt", "ply", models.BigIntegerField()), "AlterField attempt"),
        (migrations.RemoveField("attempt", "ply"), "RemoveField attempt"),
        (migrations.AddConstraint("attempt", models.CheckConstraint(condition=models.Q(ply=1), name="x")), "AddConstraint"),
        (migrations.RunSQL("UPDATE games_attempt SET ply = 0"), "UPDATE games_attempt"),
        (migrations.RunSQL("CREATE INDEX x ON games_attempt (ply)"), "CREATE INDEX"),
        (migrations.RunPython(lambda apps, editor: None), "RunPython"),
    ],
)  # fmt: skip
def test_each_rule_is_a_rule(operation: Any, fault: str) -> None:
    bad = type("Migration", (migrations.Migration,), {"operations": [operation]})
    [found] = faults(bad("0099_bad", "games"))
    assert fault in found


def test_migrate_lets_others_pass_and_comes_through_when_the_lock_is_free() -> None:
    with fresh_database() as url, psycopg.connect(url) as holder:
        env = {"DATABASE_URL": url}
        with psycopg.connect(url, autocommit=True) as admin:  # as it was some versions ago
            admin.execute("DROP TABLE games_compactlog, games_sharedbrowser")
            admin.execute("ALTER TABLE games_attempt DROP COLUMN compacted CASCADE")
            admin.execute("DELETE FROM django_migrations WHERE app = 'games' AND name >= '0007'")
        holder.execute("SELECT count(*) FROM games_attempt")  # a transaction that stays open
        waited: list[float] = []

        def others() -> None:
            with psycopg.connect(url) as reader:
                while not done.is_set():
                    began = time.monotonic()
                    reader.execute("SELECT count(*) FROM games_attempt")
                    reader.commit()
                    waited.append(time.monotonic() - began)
                    if waited[-1] > 1:  # it stood behind a migration that has given way
                        holder.rollback()
                    done.wait(0.02)

        done = threading.Event()
        thread = threading.Thread(target=others)
        thread.start()
        said = run_manage("migrate", env=env)
        done.set()
        thread.join()
        assert "A lock was not to be had" in said.stderr
        assert 1 < max(waited) < 3 * LOCK_SECONDS, "not for as long as the open transaction would have lasted"
        assert run_manage("migrate", "--check", env=env).returncode == 0


class Late(socketserver.BaseRequestHandler):
    """Hands a connection on to the PostgreSQL of the run."""

    def handle(self) -> None:
        with psycopg.connect(os.environ["DATABASE_URL"]) as known:
            host, port = known.info.host, known.info.port
        ours = socket.socket(socket.AF_UNIX) if host.startswith("/") else socket.create_connection((host, port))
        if host.startswith("/"):
            ours.connect(f"{host}/.s.PGSQL.{port}")

        def back() -> None:
            with contextlib.suppress(OSError):
                while data := ours.recv(65536):
                    self.request.sendall(data)

        with ours, contextlib.suppress(OSError):
            threading.Thread(target=back, daemon=True).start()
            while data := self.request.recv(65536):
                ours.sendall(data)


class LateServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def test_migrate_waits_for_a_database_that_is_about_to_start() -> None:
    with fresh_database() as url, contextlib.ExitStack() as stack:
        port = free_port()
        given = urlsplit(url)
        login = given.netloc.rpartition("@")[0]
        late = given._replace(netloc=f"{login}@127.0.0.1:{port}").geturl()
        command = [*TIED_TO_US, sys.executable, str(ROOT / "manage.py"), "migrate"]
        env = {**os.environ, "DATABASE_URL": late}
        waiting = subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        stack.callback(waiting.kill)
        assert waiting.stderr is not None
        told = waiting.stderr.readline()
        assert "The database takes no connections" in told
        time.sleep(1)
        assert waiting.poll() is None
        server = stack.enter_context(LateServer(("127.0.0.1", port), Late))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
        said, more = waiting.communicate(timeout=120)
        assert "takes no connections" not in more, "said once"
        assert "No migrations to apply" in said


def test_migrate_waits_for_nothing_else() -> None:
    said = run_manage("migrate", env={"DATABASE_URL": database_url("none_of_this_name")}, check=False)
    assert said.returncode != 0
    assert "does not exist" in said.stderr
    assert "takes no connections" not in said.stderr  # what it says before it waits
