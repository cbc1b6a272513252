"""Browsers of staff, signed in to the admin."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.staff import signed_in_moderator


@pytest.fixture
def mod(client: Client) -> Client:
    signed_in_moderator(client)
    return client


@pytest.fixture
def head(client: Client) -> Client:
    signed_in_moderator(client, role="head", name="hilda")
    return client
