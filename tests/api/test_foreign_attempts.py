"""C22 on REST: what is somebody else's is, to everybody else, the same nothing as what does not exist."""

from __future__ import annotations

import itertools

import pytest

from games.ids import ALPHABET, new_public_id
from games.models import Attempt
from tests.calls import call
from tests.factories import SignedIn, credential, guest, signed_in, token

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> SignedIn:
    return signed_in("alice")


@pytest.fixture
def running(alice: SignedIn) -> str:
    started = call("POST", "/attempts", {"key": "k", "code": "TP1-E-AAAAAAB"}, who=alice)
    attempt: str = started.json["attempt"]["id"]
    move = {"move": "t20", "expected_ply": 0, "move_id": "m1"}
    assert call("POST", f"/attempts/{attempt}/moves", move, who=alice).status == 200
    return attempt


def everything_mallory_tries(attempt: str, who: SignedIn, alice: SignedIn) -> list[tuple[int, object]]:
    mine = {"player": alice.player.public_id, "player_id": alice.player.pk, "move_id": "m9", "expected_ply": 1}
    tries = [
        call("GET", f"/attempts/{attempt}", who=who),
        call("GET", f"/attempts/{attempt}/replay", who=who),
        call("GET", f"/attempts/{attempt}/news", who=who),
        call("POST", f"/attempts/{attempt}/moves", {**mine, "move": "t23"}, who=who),
        call("POST", f"/attempts/{attempt}/moves", {**mine, "move": "d"}, who=who),
        call("POST", f"/attempts/{attempt}/moves", {**mine, "move": "u"}, who=who),
        call("POST", f"/attempts/{attempt}/moves", {"move": "t20", "expected_ply": 0, "move_id": "m1"}, who=who),
        call("POST", f"/attempts/{attempt}/resign", {**mine}, who=who),
        call("GET", f"/players/{who.player.public_id}/games/{attempt}", who=who),
        call("GET", f"/attempts/{attempt}?player={alice.player.public_id}", who=who),
    ]
    return [(answer.status, answer.json) for answer in tries]


@pytest.mark.parametrize("kind", ["session", "token", "guest"])
def test_C22_a_foreign_attempt_is_the_same_404_as_an_unknown_one(kind: str, alice: SignedIn, running: str) -> None:
    mallory = {
        "session": lambda: signed_in("mallory"),
        "token": lambda: token(signed_in("mallory").player),
        "guest": lambda: credential(guest()),
    }[kind]()
    before = call("GET", f"/attempts/{running}", who=alice).json["attempt"]
    foreign = everything_mallory_tries(running, mallory, alice)
    unknown = everything_mallory_tries(new_public_id(), mallory, alice)
    assert foreign == unknown
    assert {status for status, _ in foreign} == {404}
    after = call("GET", f"/attempts/{running}", who=alice).json["attempt"]
    assert after["ply"] == before["ply"] == 1
    assert after["view"] == before["view"]
    assert everything_mallory_tries(running, alice, alice)[0][0] == 200, "control: its owner is let in"


def neighbours(public_id: str, count: int) -> list[str]:
    """Ids that differ by one step in the last places, as a walker tries them."""
    number = 0
    for char in public_id:
        number = number * 32 + ALPHABET.index(char)
    steps = [step for half in range(1, count // 2 + 1) for step in (half, -half)]
    return ["".join(ALPHABET[(number + step) % 2**80 >> shift & 31] for shift in range(75, -1, -5)) for step in steps]


def test_C22_walking_a_thousand_neighbouring_ids_and_numbers_finds_nothing(alice: SignedIn, running: str) -> None:
    mallory = signed_in("mallory")
    primary_key = Attempt.objects.get(public_id=running).pk
    tries = [*neighbours(running, 500), *(str(primary_key + step) for step in range(-250, 250))]
    assert len(set(tries)) == 1000
    statuses = {call("GET", f"/attempts/{attempt}/replay", who=mallory).status for attempt in tries}
    assert statuses == {404}
    assert call("POST", f"/attempts/{running}/resign", {"move_id": "r"}, who=alice).status == 200
    assert call("GET", f"/attempts/{running}/replay", who=mallory).status == 200, "finished and public: found by its id"


def test_C22_ids_made_one_after_the_other_have_nothing_in_common() -> None:
    made = sorted(new_public_id() for _ in range(2000))
    assert len(set(made)) == 2000
    shared = max(
        next(place for place, (one, two) in enumerate(zip(first, second, strict=True)) if one != two)
        for first, second in itertools.pairwise(made)
    )
    assert shared < 8, "neighbours among 2,000 random ids of 80 bits share 4 to 6 characters at most"
