"""Fixtures of all tests. The servers themselves are started by the plugin tests.servers, before settings load."""

from __future__ import annotations

from tests.processes import server

__all__ = ["server"]
