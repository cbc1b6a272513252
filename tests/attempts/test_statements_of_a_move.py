"""The two statements of a move: what changes between them stops the second, and the lock is a lock (C17, C21)."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable

import psycopg
import pytest
from django.db import connection, transaction

from games.engine.moves import parse_move
from games.models import Attempt, Credential, Move
from games.services import player_ban, player_delete
from games.services.attempt_rows import Asked, attempt_read, move_append
from tests.attempts.hand import NOON, Hand, deck_code
from tests.factories import bot

T18 = parse_move("t18")


def asked(hand: Hand, attempt: Attempt) -> Asked:
    return Asked(attempt.public_id, bytes(hand.credential.token_hash), "bearer", "between", hand.at)


def append_after(hand: Hand, change: Callable[[Attempt], object]) -> tuple[bool, int]:
    """Read, let something happen, append: did it hold, and how many plies has it added?"""
    attempt = hand.start(deck_code("Z", "R"))
    row = attempt_read(asked(hand, attempt), lock=False)
    assert row is not None
    change(attempt)
    before = Move.objects.count()
    held = move_append(row, asked(hand, attempt), move=T18, position=row.position().play(T18))
    return held, Move.objects.count() - before


def credential(hand: Hand, **values: object) -> None:
    Credential.objects.filter(pk=hand.credential.pk).update(**values)


CHANGES: dict[str, Callable[[Hand, Attempt], object]] = {
    "another move": lambda hand, attempt: hand.play(attempt, "d"),
    "a resignation": lambda hand, attempt: hand.resign(attempt),
    "a revoked token": lambda hand, _: credential(hand, revoked_at=NOON),
    "an expired token": lambda hand, _: credential(hand, expires_at=NOON),
    "a token that may no longer play": lambda hand, _: credential(hand, scopes=["read"]),
    "a ban": lambda hand, _: player_ban(player_id=hand.player.pk, reason="", until=None, now=NOON),
    "a deletion": lambda hand, _: player_delete(player_id=hand.player.pk, now=NOON),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_comes_between_reading_and_appending_stops_the_move(alice: Hand, name: str) -> None:
    assert append_after(alice, lambda attempt: CHANGES[name](alice, attempt)) == (False, 0)


def test_a_ban_of_its_owner_stops_a_bots_move(alice: Hand) -> None:
    machine = Hand.of(bot("robot", owner=alice.player))
    ban = CHANGES["a ban"]
    assert append_after(machine, lambda attempt: ban(alice, attempt)) == (False, 0)


def test_a_credential_gives_rights_only_the_way_it_was_made_for(alice: Hand) -> None:
    """The secret of a token, put into a cookie by a foreign page, say."""
    attempt = alice.start(deck_code("Z", "R"))
    by_cookie = dataclasses.replace(asked(alice, attempt), via="cookie")
    assert attempt_read(by_cookie, lock=False) is None
    row = attempt_read(asked(alice, attempt), lock=False)
    assert row is not None
    assert not move_append(row, by_cookie, move=T18, position=row.position().play(T18))


def test_control_nothing_in_between_or_a_ban_that_is_over_stops_nothing(alice: Hand, bob: Hand) -> None:
    assert append_after(alice, lambda _: None) == (True, 1)
    bob.wait(hours=1)

    def short_ban(_: Attempt) -> None:
        player_ban(player_id=bob.player.pk, reason="", until=NOON + dt.timedelta(hours=1), now=NOON)

    assert append_after(bob, short_ban) == (True, 1)


@pytest.mark.django_db(transaction=True)
def test_a_locked_read_keeps_others_off_the_row_and_a_plain_one_does_not(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))

    def is_free() -> bool:
        """Asked from another connection."""
        with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as other:
            try:
                other.execute("SELECT 1 FROM games_attempt WHERE id = %s FOR UPDATE NOWAIT", [attempt.pk])
            except psycopg.errors.LockNotAvailable:
                return False
            return True

    with transaction.atomic():
        attempt_read(asked(alice, attempt), lock=False)
        assert is_free()
        attempt_read(asked(alice, attempt), lock=True)
        assert not is_free()
    assert is_free()
