"""The clock of this process can be stepped by tests of pages."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

SetClock = Callable[[dt.datetime], None]


@pytest.fixture
def set_clock(settings: Settings, tmp_path: Path) -> SetClock:
    """Make it this instant, for all that asks games.clock."""
    file = tmp_path / "clock"
    settings.CLOCK_OFFSET_FILE = str(file)

    def step(instant: dt.datetime) -> None:
        file.write_text(str((instant - dt.datetime.now(dt.UTC)).total_seconds()))

    return step
