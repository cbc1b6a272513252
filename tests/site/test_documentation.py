"""Docs are executed: the README's example runs, and every setting, command and endpoint is documented."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def test_the_readme_example_runs() -> None:
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 3
    assert found.failed == 0


def settings_in(source: str) -> set[str]:
    """The environment variables that a settings file reads."""
    names = re.findall(r'env\.(?:text|flag|integer|items)\(\s*f?"([A-Z_]+)', source)
    return {f"TRIPEAKS_{name}" for name in names if not name.endswith("_")}


def test_every_setting_is_documented() -> None:
    settings = settings_in((ROOT / "tripeaks_site" / "settings.py").read_text())
    assert len(settings) > 10
    assert sorted(name for name in settings if name not in README) == []


def test_every_command_is_documented() -> None:
    commands = {
        path.stem
        for path in ROOT.glob("*/management/commands/*.py")
        if path.stem != "__init__" and ".venv" not in path.parts
    }
    assert {"up", "replay", "bench"} <= commands
    assert sorted(name for name in commands if f"manage.py {name}" not in README) == []


@pytest.mark.parametrize("name", ["LICENSE", "CHANGELOG.md", "README.md", "docker-compose.yml", "pyproject.toml"])
def test_the_files_a_newcomer_looks_for_are_there(name: str) -> None:
    assert (ROOT / name).read_text().strip()
