"""The cast of these tests: alice plays, bob competes, mallory may do nothing."""

from __future__ import annotations

import pytest

from games.services import person_create
from tests.attempts.hand import NOON, Hand


def hand(name: str) -> Hand:
    return Hand.of(person_create(name=name, password="correct horse battery", now=NOON))


@pytest.fixture
def alice(db: None) -> Hand:
    return hand("alice")


@pytest.fixture
def bob(db: None) -> Hand:
    return hand("bob")


@pytest.fixture
def mallory(db: None) -> Hand:
    return hand("mallory")
