"""R8.1, R8.6: a claimed guest stands where an account with the same moves would stand, on both views."""

from __future__ import annotations

import pytest

from games.models import Player
from games.services import guest_claim, guest_create
from leaderboards.models import Entry
from tests.attempts.conftest import hand
from tests.attempts.hand import NOON, Z_LINE, Hand, deck_code


def stuck_and_then_bettered(hand: Hand) -> None:
    """Deck Z: the stock thrown away and stuck; then all of it undone, and cleared in one run."""
    attempt = hand.start(deck_code("Z", "R"))
    state = hand.play_all(attempt, ["d"] * 23)[-1]
    while state["outcome"] is None:
        hand.wait(seconds=1)
        state = hand.play(attempt, state["legal"][0]).attempt
    assert (state["outcome"], state["result"]["score"] < 0) == ("stuck", True)
    hand.play_all(attempt, ["u"] * state["moves"])
    assert hand.play_all(attempt, Z_LINE)[-1]["result"]["score"] == 466


def entries(player: Player) -> list[tuple[str, int, int]]:
    return sorted(Entry.objects.filter(player=player, active=True).values_list("board__view", "score", "moves"))


@pytest.mark.django_db
def test_a_claimed_guest_keeps_the_first_result_that_was_reached_without_undo() -> None:
    account = hand("alice")
    guest = Hand.of(guest_create(via="bearer", now=NOON)[0])
    for player in (account, guest):
        stuck_and_then_bettered(player)
    assert entries(guest.player) == []
    guest_claim(player_id=guest.player.pk, name="was a guest", password="correct horse battery", now=guest.at)
    assert entries(guest.player) == entries(account.player)
    assert {view for view, _, _ in entries(account.player)} == {"best", "first"}
