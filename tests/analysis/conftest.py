"""The cast: alice plays, bob competes, mallory may do nothing. Each as a hand of the services and as a caller of the API."""

from __future__ import annotations

import pytest

from games.services import guest_create, person_create
from tests.analysis.cast import Caller
from tests.attempts.hand import NOON, Hand


def caller(name: str) -> Caller:
    return Caller(Hand.of(person_create(name=name, password="correct horse battery", now=NOON)))


@pytest.fixture
def alice(db: None) -> Caller:
    return caller("alice")


@pytest.fixture
def bob(db: None) -> Caller:
    return caller("bob")


@pytest.fixture
def mallory(db: None) -> Caller:
    return caller("mallory")


@pytest.fixture
def guest(db: None) -> Caller:
    player, _, _ = guest_create(via="bearer", now=NOON)
    return Caller(Hand.of(player))
