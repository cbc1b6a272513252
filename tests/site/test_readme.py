"""README.md tells of every setting and every command, and of none that does not exist."""

from __future__ import annotations

import re

from tests.processes import ROOT

README = (ROOT / "README.md").read_text()


def own_commands() -> set[str]:
    return {
        path.stem
        for app in ("games", "leaderboards", "tripeaks_site")
        for path in (ROOT / app / "management" / "commands").glob("[a-z]*.py")
    }


def section(title: str) -> str:
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_every_setting_is_documented_and_every_documented_one_exists() -> None:
    settings = "".join(path.read_text() for path in (ROOT / "tripeaks_site").glob("*.py"))
    read = {f"TRIPEAKS_{name}" for name in re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', settings)}
    throttles = re.findall(r"^    \"(\w+)\": \(\d+, \d+\),", settings, re.MULTILINE)
    assert len(throttles) >= 6
    read |= {f"TRIPEAKS_THROTTLE_{name.upper()}" for name in throttles}
    told = set(re.findall(r"TRIPEAKS_[A-Z_]+", section("Settings")))
    told |= {f"TRIPEAKS_THROTTLE_{name}" for name in re.findall(r"…_([A-Z]+)", section("Settings"))}
    assert told == read


def test_every_command_is_documented_and_every_documented_one_exists() -> None:
    rows = [line.split("|")[1] for line in section("Commands").splitlines() if line.startswith("| `")]
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert told == own_commands() | {"createsuperuser"}
