"""Fixtures of all tests. The servers themselves are started by the plugin tests.servers, before settings load."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from tests.processes import server

__all__ = ["server"]


@pytest.fixture(autouse=True)
def quick_password_hashes(settings: Settings) -> None:
    """In this process only: a real hash costs a third of a second. Server processes keep the real one."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
