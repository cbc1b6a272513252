"""The README's steps for containers, as they stand there, with real dumps; what `docker` is told is carried out here."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.processes import ROOT, fresh_database
from tests.verify.test_backup import rows, settings_of
from tripeaks_site.dumps import environment, program

DUMP, RESTORE = re.findall(r"```sh\n(\(\n.*?pg_dump.*?\))\n```.*?```sh\n(\(\n.*?psql.*?\))\n```", (ROOT / "README.md").read_text(), re.S)[0]  # fmt: skip
# A `docker` of this test: PostgreSQL's programs run here, over the database of the environment; the rest is noted.
DOCKER = """#!{python}
import os, subprocess, sys
arguments = sys.argv[1:]
with open(os.environ["TOLD"], "a") as told:
    print(*arguments, file=told)
if arguments[:4] == ["compose", "exec", "-T", "postgres"]:
    name, *rest = arguments[4:]
    assert (rest.pop(), rest.pop(0), rest.pop(0)) == ("tripeaks", "-U", "tripeaks")
    done = subprocess.run([{programs}[name], *rest], stdout=subprocess.PIPE)
    size = int(os.environ.get("CUT", len(done.stdout)))
    sys.stdout.buffer.write(done.stdout[:size])
    sys.exit(done.returncode or int(os.environ.get("FAIL", 0)))
"""


def follow(steps: str, folder: Path, url: str, **env: str) -> tuple[int, list[str]]:
    """(exit code, what docker was told) of the steps, followed in this folder."""
    programs = {name: str(program(name)) for name in ("pg_dump", "psql")}
    docker = folder / "bin" / "docker"
    docker.parent.mkdir(exist_ok=True)
    docker.write_text(DOCKER.format(python=sys.executable, programs=programs))
    docker.chmod(0o700)
    told = folder / "told"
    told.write_text("")
    everything: Mapping[str, str] = {
        **environment(settings_of(url)),
        "PATH": f"{docker.parent}:{os.environ['PATH']}",
        "TOLD": str(told),
        **env,
    }
    done = subprocess.run(["bash", "-c", steps], cwd=folder, env=everything, capture_output=True, check=False)
    return done.returncode, told.read_text().splitlines()


def dumps(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.gz"))


def test_a_dump_has_its_name_when_it_is_whole_and_comes_back_over_another_database(tmp_path: Path) -> None:
    with fresh_database() as here, fresh_database() as other:
        subprocess.run(
            [program("psql"), "-q", "-c", "UPDATE django_migrations SET applied = '2001-01-01'"],
            env=environment(settings_of(here)),
            check=True,
        )
        assert follow(DUMP, tmp_path, here)[0] == 0
        [file] = dumps(tmp_path)
        assert file.stat().st_mode & 0o077 == 0
        for bad in ({"FAIL": "1"}, {"CUT": "20000"}, {"CUT": "0"}):
            assert follow(DUMP.replace("tripeaks-$", "later-$"), tmp_path, here, **bad)[0] != 0
            assert dumps(tmp_path) == [file]
        steps = re.sub(r"file=\S+", f"file={file.name}", RESTORE)
        before, whole = rows(other), file.read_bytes()
        assert before != rows(here)
        plain = gzip.decompress(whole)
        broken = plain.replace(b"\nCOPY ", b"\nCOPY no_such_table FROM stdin;\nCOPY ", 1)
        for bad_file in (whole[:-9], whole[: len(whole) // 2], gzip.compress(plain[: len(plain) // 2], 1)):
            file.write_bytes(bad_file)
            assert follow(steps, tmp_path, other) == (1, [])
        file.write_bytes(gzip.compress(broken, 1))
        code, told = follow(steps, tmp_path, other)
        assert (code, len(told)) == (3, 3)
        assert rows(other) == before
        file.write_bytes(whole)
        code, told = follow(steps, tmp_path, other)
        assert (code, rows(other)) == (0, rows(here))
    assert [re.sub(r"^compose (exec -T |run --rm |up -d --wait |)", "", line).split()[0] for line in told] == (
        "stop postgres postgres migrate redis redis up maintenance".split()
    )
