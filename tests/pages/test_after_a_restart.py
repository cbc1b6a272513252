"""A restart of PostgreSQL cuts the connections that are kept: the next page of each thread is served all the same (C20)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client

from games import clock
from leaderboards.services import dailies_prepare
from tests.accounts.test_database_retry import cut_our_connection
from tests.leaderboards.cast import finish, person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/new",
        "/fairness",
        "/fair-play",
        "/boards",
        "/boards/TP1-E-AAAAAAB",
        "/boards/{daily}",
        "/numbered",
        "/numbered/17",
        "/play/daily",
        "/play/TP1-E-AAAAAAB",
        "/play/{daily}",
        "/attempts/{attempt}",
        "/attempts/{attempt}?analysis=1",
        "/players/{player}",
        "/api/v1/attempts/{attempt}/replay",
        "/api/v1/daily",
        "/api/v1/daily/{date}",
        "/api/v1/names?name=Somebody",
    ],
)
def test_the_first_page_after_a_restart_is_served(address: str) -> None:
    now = clock.now()
    dailies_prepare(now=now)
    alice = person("alice")
    attempt = finish(alice, 700, code="TP1-E-AAAAAAB", at=now)
    names = {"daily": f"daily-{now.date()}", "date": str(now.date()), "attempt": attempt.public_id}
    path = address.format(**names, player=alice.public_id)
    client = Client(raise_request_exception=False)
    before = client.get(path).status_code
    assert before < 400
    cut_our_connection()
    try:
        assert client.get(path).status_code == before
    finally:
        connection.close()  # where no query was made it is the dead one
