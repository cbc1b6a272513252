"""A guest takes a name in the very moment in which a game of theirs ends: the result reaches the board either way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from games import clock
from games.models import Attempt
from games.services import guest_claim
from games.signals import attempt_finished
from tests.accounts.test_guests_and_claims import DECK_Z_CLEARED, play_deck_z
from tests.calls import call
from tests.factories import PASSWORD, SignedIn, signed_in_guest

pytestmark = pytest.mark.django_db(transaction=True)

SECONDS = 10.0


class Pause:
    """A receiver that stops the first transaction that reports `attempt`, open as it is, until told to go on."""

    def __init__(self, attempt: str) -> None:
        self.attempt, self.reached, self.go_on = attempt, threading.Event(), threading.Event()
        self.kinds: list[str] = []

    def __call__(self, *, attempt: Attempt, **kwargs: Any) -> None:
        self.kinds.append(f"{attempt.public_id[:4]} {attempt.player.kind}")
        if attempt.public_id == self.attempt and not self.reached.is_set():
            self.reached.set()
            assert self.go_on.wait(SECONDS)

    def __enter__(self) -> Pause:
        attempt_finished.connect(self)
        return self

    def __exit__(self, *problem: object) -> None:
        self.go_on.set()
        attempt_finished.disconnect(self)


def closing(act: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> Any:
        try:
            return act()
        finally:
            connection.close()

    return run


def all_but_the_last_move(who: SignedIn, code: str) -> tuple[str, Callable[[], int]]:
    """A game that the returned act wins."""
    started = call("POST", "/attempts", {"key": "last", "code": code}, who=who).json["attempt"]["id"]

    def move(ply: int) -> int:
        body = {"move": f"t{DECK_Z_CLEARED[ply]}", "expected_ply": ply, "move_id": f"m{ply}"}
        return call("POST", f"/attempts/{started}/moves", body, who=who).status

    assert {move(ply) for ply in range(27)} == {200}
    return started, lambda: move(27)


def rank_on(code: str, who: SignedIn) -> Any:
    return call("GET", f"/boards/{code}/me", who=who).json["rank"]


def deck_z_codes() -> tuple[str, str]:
    """The cards of deck Z under two rulesets: two boards."""
    from games.engine.cards import parse_cards
    from games.engine.codes import composed_code
    from tests.accounts.test_guests_and_claims import DECK_Z

    cards = parse_cards(DECK_Z)
    return composed_code("R", cards).text, composed_code("E", cards).text


def claim(who: SignedIn) -> Callable[[], str]:
    return lambda: (
        guest_claim(
            player_id=who.player.pk,
            name="alice",
            password=PASSWORD,
            keep_credential_id=who.credential.pk,
            now=clock.now(),
        ).player.name
        or ""
    )


def test_a_result_recorded_just_before_the_claim_is_sent_by_the_claim() -> None:
    alice = signed_in_guest()
    _, code = deck_z_codes()
    attempt, win = all_but_the_last_move(alice, code)
    with Pause(attempt) as pause, ThreadPoolExecutor(2) as pool:
        winning = pool.submit(closing(win))
        assert pause.reached.wait(SECONDS), "the result is written, not yet committed"
        claiming = pool.submit(closing(claim(alice)))
        with pytest.raises(TimeoutError):
            claiming.result(timeout=0.5)
        pause.go_on.set()
        assert (winning.result(SECONDS), claiming.result(SECONDS)) == (200, "alice")
    assert [kind.split()[1] for kind in pause.kinds] == ["guest", "person"]
    assert rank_on(code, alice) == 1


def test_a_result_recorded_just_after_the_claim_finds_a_person() -> None:
    alice = signed_in_guest()
    other_code, code = deck_z_codes()
    earlier = play_deck_z(alice)
    attempt, win = all_but_the_last_move(alice, code)
    with Pause(earlier.public_id) as pause, ThreadPoolExecutor(2) as pool:
        claiming = pool.submit(closing(claim(alice)))
        assert pause.reached.wait(SECONDS), "the name is written, not yet committed"
        winning = pool.submit(closing(win))
        with pytest.raises(TimeoutError):
            winning.result(timeout=0.5)
        pause.go_on.set()
        assert (claiming.result(SECONDS), winning.result(SECONDS)) == ("alice", 200)
    assert pause.kinds == [f"{earlier.public_id[:4]} person", f"{attempt[:4]} person"]
    assert (rank_on(code, alice), rank_on(other_code, alice)) == (1, 1)
