"""Whoever decides while others play."""

from __future__ import annotations

import pytest

from games.models import Player
from tests.staff import staff


@pytest.fixture
def mod() -> Player:
    return staff(role="head")
