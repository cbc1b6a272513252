"""Who may start, move and resign: banned, deleted and read-only players may not, however close the call (R2.4, C21)."""

from __future__ import annotations

import datetime as dt

import pytest

from games.errors import Forbidden, GameError, NotFound, NotSignedIn
from games.models import Attempt, Player
from games.services import player_ban, player_delete, player_unban
from games.services.credentials import credential_create
from tests.attempts.hand import DAILY, NOON, Hand, deck_code
from tests.factories import bot


def refused(act: object, *args: object, **options: object) -> type[GameError]:
    assert callable(act)
    with pytest.raises(GameError) as problem:
        act(*args, **options)
    return type(problem.value)


def test_a_read_only_token_is_told_its_scope_is_missing_and_plays_nothing(alice: Hand, mallory: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    credential, _ = credential_create(player=alice.player, kind="token", via="bearer", scopes=["read"], now=NOON)
    reader = Hand(alice.player, credential, "")
    for act in (lambda: reader.play(attempt, "t18"), lambda: reader.resign(attempt)):
        with pytest.raises(Forbidden) as problem:
            act()
        assert (problem.value.code, problem.value.data) == ("scope_missing", {"scope": "play"})
    assert refused(mallory.play, attempt, "t18") is NotFound
    assert refused(mallory.resign, attempt) is NotFound
    assert Attempt.objects.get(pk=attempt.pk).ply == 0


@pytest.mark.parametrize("competition", [None, DAILY])
def test_a_ban_that_came_after_the_request_was_let_in_stops_the_start(alice: Hand, competition: None) -> None:
    player_ban(player_id=alice.player.pk, reason="", until=NOON + dt.timedelta(hours=1), now=NOON)
    assert refused(alice.start, deck_code("Z", "R"), competition=competition) is NotSignedIn
    assert not Attempt.objects.exists()
    alice.wait(hours=1)
    assert alice.start(deck_code("Z", "R"), "later").number == 1


def test_a_ban_stops_the_starts_of_the_players_bots(alice: Hand) -> None:
    machine = Hand.of(bot("robot", owner=alice.player))
    player_ban(player_id=alice.player.pk, reason="", until=None, now=NOON)
    assert refused(machine.start, deck_code("Z", "R")) is NotSignedIn
    player_unban(player_id=alice.player.pk)
    assert machine.start(deck_code("Z", "R")).number == 1
    player_delete(player_id=alice.player.pk, now=NOON)
    for hand in (alice, machine):
        assert refused(hand.start, deck_code("Z", "R"), "again") is NotSignedIn
    assert Attempt.objects.count() == 1


def test_a_guest_at_a_sealed_deal_is_unranked_and_who_has_claimed_meanwhile_is_ranked(alice: Hand) -> None:
    """R8.6: the row under the lock says what the player is, not what the request was let in as."""
    guest = Hand.of(Player.objects.create(kind="guest", created_at=NOON))
    assert guest.start(deck_code("Z", "R"), competition=DAILY).ranked is False
    assert guest.start(deck_code("P", "R"), "open").ranked is True  # enters the boards once claimed
    assert alice.start(deck_code("Z", "R"), competition=DAILY).ranked is True
