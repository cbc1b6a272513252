"""One running server for each module of these tests, without throttles in the way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.processes import ServerProcess, live_server

from .cast import UNHURRIED


@pytest.fixture(scope="module")
def site() -> Iterator[ServerProcess]:
    """A server over a fresh database."""
    with live_server(env=UNHURRIED) as server:
        yield server
