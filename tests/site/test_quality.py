"""`manage.py test`: every check runs, pytest closes the output, and the exit code tells of any failure."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import servers
from tests.processes import ROOT
from tripeaks_site.quality import find_tsc

CONFIG = """
[tool.ruff]
line-length = 120
[tool.mypy]
strict = true
files = ["thing.py"]
[tool.importlinter]
root_packages = ["games", "leaderboards"]
[[tool.importlinter.contracts]]
name = "games never imports leaderboards"
type = "forbidden"
source_modules = ["games"]
forbidden_modules = ["leaderboards"]
[tool.pytest]
addopts = ["-p", "no:django"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project in which everything is well."""
    for package in ("tripeaks_site", "games", "leaderboards"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    shutil.copy(ROOT / "tripeaks_site" / "quality.py", tmp_path / "tripeaks_site")
    (tmp_path / "pyproject.toml").write_text(CONFIG)
    (tmp_path / "thing.py").write_text("ANSWER: int = 42\n")
    (tmp_path / "test_thing.py").write_text(
        "from thing import ANSWER\n\n\ndef test_answer() -> None:\n    assert ANSWER == 42\n"
    )
    return tmp_path


@functools.cache
def _mypy_cache() -> str:
    """One for all: most of mypy's time goes into the standard library."""
    return str(servers.temporary_directory())


def run(project: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {"MYPY_CACHE_DIR": _mypy_cache(), "PYTEST_XDIST_AUTO_NUM_WORKERS": "1"}
    program = "import sys; from tripeaks_site.quality import run_checks; sys.exit(run_checks(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=project,
        env={name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PYTEST")}
        | kept
        | env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_when_all_is_well_every_check_is_named_and_pytest_has_the_last_word(project: Path) -> None:
    done = run(project)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("ruff check", "ruff format", "mypy", "lint-imports"):
        assert f"passed  {name}" in done.stdout.partition("test session starts")[0]  # pytest is heard after them
    assert "1 passed" in done.stdout.splitlines()[-1]


def test_each_failed_check_is_named_before_the_tests_and_fails_the_whole(project: Path) -> None:
    (project / "thing.py").write_text("ANSWER:int=42\nWORD: str = 1\n")
    (project / "other.py").write_text("import os\n")
    (project / "games/__init__.py").write_text("import leaderboards  # noqa: F401\n")
    done = run(project)
    assert done.returncode == 1
    assert "FAILED before the tests: ruff check, ruff format, mypy, lint-imports." in done.stdout
    assert "1 passed" in done.stdout.splitlines()[-1]
    (project / "thing.py").write_text("ANSWER: int = 42\n")
    (project / "other.py").unlink()
    done = run(project)
    assert done.returncode == 1
    assert (
        "FAILED before the tests: lint-imports." in done.stdout
    )  # the control: the others are named for their own fault


def test_a_failed_test_fails_the_whole(project: Path) -> None:
    (project / "thing.py").write_text("ANSWER: int = 41\n")
    done = run(project)
    assert done.returncode == 1
    assert "1 failed" in done.stdout.splitlines()[-1]


def test_with_arguments_only_pytest_runs(project: Path) -> None:
    (project / "thing.py").write_text("import os\n\nANSWER: int = 42\n")
    done = run(project, "-q", "test_thing.py")
    assert done.returncode == 0
    assert "ruff" not in done.stdout


def test_without_node_the_page_scripts_are_skipped_loudly_and_in_ci_that_fails(project: Path) -> None:
    (project / "games" / "static").mkdir()
    (project / "games" / "static" / "page.js").write_text("export const answer = 42;\n")
    nothing = str(project / "games")
    done = run(project, PATH=nothing)
    assert "SKIPPED  tsc (page scripts)" in done.stdout
    assert done.returncode == 0
    done = run(project, PATH=nothing, CI="true")
    assert "FAILED  tsc (page scripts)" in done.stdout
    assert done.returncode == 1


def test_wrong_types_in_a_page_script_are_found(project: Path) -> None:
    if find_tsc() is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail("Node and TypeScript are not installed")
        pytest.skip("Node and TypeScript are not installed")
    (project / "games" / "static").mkdir()
    if (ROOT / "node_modules").exists():
        (project / "node_modules").symlink_to(ROOT / "node_modules")
    script = project / "games" / "static" / "page.js"
    script.write_text("/** @param {number} n */\nexport const twice = (n) => 2 * n;\n")
    assert "passed  tsc" in run(project).stdout
    script.write_text('/** @param {number} n */\nexport const twice = (n) => 2 * n;\ntwice("a");\n')
    done = run(project)
    assert "FAILED  tsc" in done.stdout
    assert done.returncode == 1
