"""A connection that PostgreSQL has closed costs one repeat, not an error."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection, connections

from games import clock
from games.models import Player
from games.retry import repeat_once
from games.services import guest_create
from tests.calls import call
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


def cut_our_connection() -> None:
    """As a restart of PostgreSQL does: end this thread's backend from another connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    other = connections.create_connection("default")
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    other.close()


def test_without_the_repeat_a_closed_connection_is_an_error() -> None:
    cut_our_connection()
    with pytest.raises(OperationalError):
        Player.objects.count()
    connection.close()


def test_a_service_is_repeated_once_on_a_new_connection() -> None:
    person("alice")
    cut_our_connection()
    player, _, _ = guest_create(via="bearer", now=clock.now())
    assert Player.objects.filter(pk=player.pk).exists()
    assert Player.objects.count() == 2


def test_a_request_after_a_restart_is_answered() -> None:
    alice = signed_in("alice")
    cut_our_connection()
    assert call("GET", "/account", who=alice).status == 200


def test_errors_of_a_living_connection_are_not_repeated() -> None:
    calls = []

    @repeat_once
    def act() -> None:
        calls.append(1)
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 10")
            try:
                cursor.execute("SELECT pg_sleep(1)")
            finally:
                cursor.execute("SET statement_timeout = 0")

    with pytest.raises(OperationalError):
        act()
    assert calls == [1]


def test_while_the_database_is_away_the_answer_is_503_and_says_when_to_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alice = signed_in("alice")
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nonexistent")
    answer = call("GET", "/account", who=alice)
    assert (answer.status, answer.code) == (503, "unavailable")
    assert answer.response.headers["Retry-After"] == "1"
    monkeypatch.undo()
    connection.close()
    assert call("GET", "/account", who=alice).status == 200
