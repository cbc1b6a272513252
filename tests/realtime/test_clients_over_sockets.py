"""Whence moves over sockets come is written like that of moves over REST: kind, credential, the proxies' address."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from games.models import AttemptClient
from games.networks import network_hash
from tests.attempts.hand import Hand, deck_code
from tests.factories import credential, person
from tests.processes import ServerProcess, database_url, live_server
from tests.realtime.sockets import open_link

PLAY = "/ws/v1/play"
HOME, CAFE = "198.51.100.7", "2001:db8:1:2::9"


@pytest.fixture
def proxied(
    django_db_setup: None, transactional_db: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[ServerProcess]:
    """A server process behind one proxy, over the tests' own database."""
    with django_db_blocker.unblock():
        name: Any = connections["default"].settings_dict["NAME"]
    env = {"TRIPEAKS_TRUSTED_PROXIES": "1"}
    with live_server(env=env, database=database_url(name), redis=os.environ["REDIS_URL"]) as server:
        yield server


def test_pages_and_programs_on_sockets_are_written_once_with_network_and_ply(proxied: ServerProcess) -> None:
    alice = Hand.of(person("alice"))
    attempt = alice.start(deck_code("Z", "R")).public_id
    page = credential(alice.player, via="cookie")
    cookie = "tripeaks=" + page.secret
    ply = 0
    for address, options in (
        (HOME, {"token": alice.secret}),
        (HOME, {"token": alice.secret}),  # a new connection from the same place
        (CAFE, {"token": alice.secret}),
        (CAFE, {"cookie": cookie, "origin": proxied.url}),
    ):
        with open_link(proxied, PLAY, forwarded=f"10.0.0.1, {address}", **options) as link:  # type: ignore[arg-type]
            assert link.hear()["type"] == "welcome"
            for _ in range(2):
                link.move(attempt, f"t{18 + ply}", ply)
                assert link.hear("ack", "error")["type"] == "ack"
                ply += 1
    rows = AttemptClient.objects.order_by("id").values_list("client", "credential", "network", "first_ply")
    assert [(client, key, bytes(network), first) for client, key, network, first in rows] == [
        ("program_socket", alice.credential.pk, network_hash(HOME), 1),
        ("program_socket", alice.credential.pk, network_hash(CAFE), 5),
        ("page_socket", page.credential.pk, network_hash(CAFE), 7),
    ]
    assert not any(address in proxied.logs() for address in (HOME, CAFE, "198.51.100", "2001:db8:1"))


def test_a_foreign_attempt_writes_nothing_over_sockets_either(proxied: ServerProcess) -> None:
    alice, mallory = Hand.of(person("alice")), Hand.of(person("mallory"))
    attempt = alice.start(deck_code("Z", "R")).public_id
    with open_link(proxied, PLAY, forwarded=HOME, token=mallory.secret) as link:
        link.hear("welcome")
        link.move(attempt, "t18", 0)
        assert link.hear("ack", "error")["error"]["code"] == "not_found"
    assert AttemptClient.objects.count() == 0
