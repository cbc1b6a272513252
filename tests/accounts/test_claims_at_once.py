"""Sign-ups at the very same time, in real threads with connections of their own."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from games import clock
from games.errors import Conflict
from games.models import Player
from games.services import bot_create, guest_claim
from tests.factories import PASSWORD, guest, person

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(acts: list[Callable[[], Any]]) -> list[Any]:
    """Run the acts in as many threads, released together; results or Conflict codes."""
    barrier = threading.Barrier(len(acts), timeout=60)

    def run(act: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return act()
        except Conflict as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def claim(player: Player, name: str) -> Callable[[], str]:
    def act() -> str:
        return guest_claim(player_id=player.pk, name=name, password=PASSWORD, now=clock.now()).player.name or ""

    return act


@pytest.mark.parametrize("names", [("alice", "alice"), ("alice", "A1ice"), ("Вера", "Bepa")])
def test_of_equal_or_look_alike_names_at_once_one_is_taken_and_the_others_get_409(names: tuple[str, str]) -> None:
    for _ in range(5):
        guests = [guest() for _ in range(4)]
        answers = at_once([claim(player, names[index % 2]) for index, player in enumerate(guests)])
        assert Counter(answers)["name_taken"] == 3
        assert Player.objects.filter(kind="person").count() == 1
        Player.objects.all().delete()


def test_the_race_is_real_two_different_names_at_once_both_succeed() -> None:
    assert sorted(at_once([claim(guest(), "alice"), claim(guest(), "bobby")])) == ["alice", "bobby"]


def test_one_guest_claiming_twice_at_once_becomes_one_person() -> None:
    alice = guest()
    assert at_once([claim(alice, "alice"), claim(alice, "alice")]) == ["alice", "alice"]
    assert sorted(at_once([claim(guest(), "bobby"), claim(alice, "bobby")]), key=len) == ["bobby", "already_claimed"]


def test_equal_bots_of_one_owner_at_once_are_one_bot() -> None:
    alice, bob = person("alice"), person("bob")

    def make(owner: Player) -> Callable[[], int]:
        return lambda: bot_create(owner_id=owner.pk, name="robotnik", now=clock.now()).pk

    first, second = at_once([make(alice), make(alice)])
    assert first == second
    assert at_once([make(bob)]) == ["name_taken"]
