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


def section(title: str) -> str:
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def settings_in(source: str) -> set[str]:
    """The environment variables that a settings file reads."""
    names = re.findall(r'env\.(?:text|flag|integer|items|span|choice|address)\(\s*f?"([A-Z_]+)', source)
    scopes = re.findall(r"^    \"(\w+)\": \(\d+, \d+\),", source, re.MULTILINE)
    found = {*names, *(f"THROTTLE_{scope.upper()}" for scope in scopes)} - {"THROTTLE_"}
    return {f"TRIPEAKS_{name}" for name in found}


def test_every_setting_is_documented_and_every_documented_one_exists() -> None:
    settings = settings_in((ROOT / "tripeaks_site" / "settings.py").read_text())
    assert len(settings) > 20
    told = set(re.findall(r"TRIPEAKS_[A-Z_]+", section("Settings")))
    told |= {f"TRIPEAKS_THROTTLE_{name}" for name in re.findall(r"…_([A-Z]+)", section("Settings"))}
    assert told == settings


def test_every_command_is_documented_and_every_documented_one_exists() -> None:
    commands = {
        path.stem
        for app in ("games", "leaderboards", "tripeaks_site")
        for path in (ROOT / app / "management" / "commands").glob("[a-z]*.py")
    }
    assert {"up", "replay", "bench"} <= commands
    told = set(re.findall(r"`manage\.py (\w+)`", section("Commands")))
    assert told == commands | {"createsuperuser"}


@pytest.mark.parametrize("name", ["LICENSE", "CHANGELOG.md", "README.md", "docker-compose.yml", "pyproject.toml"])
def test_the_files_a_newcomer_looks_for_are_there(name: str) -> None:
    assert (ROOT / name).read_text().strip()
