"""Dump, restore, verify: whole or nothing, and what comes out is what went in."""

from __future__ import annotations

import gzip
import json
import stat
from pathlib import Path
from typing import Any

import dj_database_url
import psycopg
import pytest
from django.db import connection

from games.management.work import kept_results
from tests.leaderboards.cast import raw
from tests.processes import database_url, fresh_database, run_manage
from tests.verify.test_verify import history
from tripeaks_site.dumps import DumpError, restore


def rows(url: str) -> dict[str, str]:
    """A digest of every table."""
    with psycopg.connect(url) as database:
        names = [
            row[0]
            for row in database.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
        ]  # fmt: skip
        digest = "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {} t"
        found = {name: database.execute(digest.format(f'"{name}"').encode()).fetchone() for name in names}
        return {name: value[0] for name, value in found.items() if value}


def settings_of(url: str) -> dict[str, Any]:
    """As Django has them."""
    return dict(dj_database_url.parse(url))


def results_of_another(env: dict[str, str]) -> dict[str, str]:
    """What `verify` keeps results of, over another database."""
    script = (
        "import json; from leaderboards.management.commands.verify import results_of; print(json.dumps(results_of()))"
    )
    said = run_manage("shell", "--no-imports", "-c", script, env=env).stdout
    return dict(json.loads(said))


@pytest.mark.django_db(transaction=True)
def test_a_backup_comes_back_as_it_was_and_verifies_and_a_damaged_one_changes_nothing(tmp_path: Path) -> None:
    history()
    here = database_url(str(connection.settings_dict["NAME"]))
    file = tmp_path / "a backup.sql.gz"
    said = run_manage("backup", str(file), env={"DATABASE_URL": here}).stdout
    assert said == f"{file}: {file.stat().st_size:,} bytes\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with fresh_database() as other:
        env = {"DATABASE_URL": other, "TRIPEAKS_DATA": str(tmp_path / "data")}
        untouched = rows(other)
        assert "--replace drops" in run_manage("restore", str(file), env=env, check=False).stderr
        whole = file.read_bytes()
        half = gzip.compress(gzip.decompress(whole)[: 2 * len(gzip.decompress(whole)) // 3], 1)
        for number, bad in enumerate((whole[: len(whole) * 2 // 3], whole[:-9], half, b"no dump")):
            (tmp_path / f"bad{number}").write_bytes(bad)
            with pytest.raises(DumpError, match=r"damaged|not a whole dump"):
                restore(settings_of(other), tmp_path / f"bad{number}", replace=True)
        taken = gzip.compress(b"SELECT no_such_column;\n-- PostgreSQL database dump complete\n")
        (tmp_path / "sql").write_bytes(taken)
        with pytest.raises(DumpError, match="no_such_column"):
            restore(settings_of(other), tmp_path / "sql", replace=True)
        assert rows(other) == untouched
        raw().set("tripeaks:board:{x:1}:v", 7)
        with kept_results(tmp_path / "data" / "verify.jsonl", results_of_another(env)) as kept:
            kept.keep("attempts 0-20000", [0, []])
        run_manage("restore", str(file), "--replace", env=env)
        assert rows(other) == rows(here)
        assert raw().get("tripeaks:board:{x:1}:v") is None
        lines = run_manage("verify", env=env).stdout.splitlines()
        assert lines[0] == f"What {tmp_path}/data/verify.jsonl keeps is of another database: begun anew."
        assert lines[-1] == "No difference."
