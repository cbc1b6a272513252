"""Playing over REST as a program does it: starts, moves, refusals with their status and code, and public replays."""

from __future__ import annotations

from typing import Any

import pytest

from games.engine.cards import cards_text
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.models import Attempt, Move
from tests.calls import Answer, call
from tests.engine.tables import GOLDEN
from tests.factories import SignedIn, signed_in, token

pytestmark = pytest.mark.django_db
LINE = GOLDEN["line_37_42_50"]


@pytest.fixture
def alice() -> SignedIn:
    return signed_in("alice")


def start(who: SignedIn, **body: Any) -> Answer:
    return call("POST", "/attempts", {"key": "k", **body}, who=who)


def started(who: SignedIn, code: str = "TP1-E-AAAAAAB") -> str:
    answer = start(who, code=code)
    assert answer.status == 201
    public_id: str = answer.json["attempt"]["id"]
    return public_id


def move(who: SignedIn, attempt: str, text: Any, ply: Any, move_id: Any = None) -> Answer:
    body = {"move": text, "expected_ply": ply, "move_id": f"m{ply}" if move_id is None else move_id}
    return call("POST", f"/attempts/{attempt}/moves", body, who=who)


def test_R7_5_the_published_line_is_played_to_750_and_its_replay_is_public(alice: SignedIn) -> None:
    attempt = started(alice, LINE["code"])
    moves = LINE["moves"].split()
    for ply, text in enumerate(moves):
        answer = move(alice, attempt, text, ply)
        assert (answer.status, answer.json["ply"], answer.json["move"]) == (200, ply + 1, text)
        hidden = call("GET", f"/attempts/{attempt}/replay") if ply == 10 else None
        assert hidden is None or (hidden.status, hidden.code) == (404, "not_found")
    state = answer.json["attempt"]
    assert (state["outcome"], state["score"], state["closed"], state["legal"]) == ("won", 750, True, [])
    replay = call("GET", f"/attempts/{attempt}/replay").json
    peaks = [ply["peaks"] for ply in replay["plies"]]
    assert [ply for ply in range(1, 51) if peaks[ply] > peaks[ply - 1]] == [37, 42, 50]
    assert (replay["plies"][-1]["score"], replay["log"]) == (750, LINE["moves"])
    assert replay["deal"] == cards_text(deal_cards(parse_code(LINE["code"])))
    assert (replay["player"]["name"], replay["attempt"]["result"]["score"]) == ("alice", 750)


def test_a_start_names_exactly_one_deal_and_its_key_is_safe_to_repeat(alice: SignedIn) -> None:
    first = start(alice, code=" tp1–e–aaaaaab\n")
    assert (first.status, first.json["attempt"]["code"]) == (201, "TP1-E-AAAAAAB")
    again = start(alice, code="TP1EAAAAAAB")
    assert (again.status, again.json["attempt"]["id"]) == (200, first.json["attempt"]["id"])
    assert (start(alice, code="TP1-C-AAAAAAB").status, start(alice, number=1).code) == (409, "key_reused")
    for nth, number in enumerate((17, "17", " 17 "), start=1):
        attempt = start(alice, key=f"n{nth}", number=number).json["attempt"]
        assert (attempt["code"], attempt["number"]) == ("TP1-G-AAAAAAR", nth)
    dice = start(alice, key="dice", random="RC").json["attempt"]
    assert (dice["code"][:7], dice["ranked"]) == ("TP1-RC-", True)
    assert start(alice, key="dice", random="RC").json["attempt"]["id"] == dice["id"]
    assert start(alice, key="dice", random="R").code == "key_reused"
    assert start(alice, key="own", code="TP1-E-AAAAAAB", practice=True).json["attempt"]["ranked"] is False
    for body in ({}, {"code": "TP1-E-AAAAAAB", "number": 1}, {"random": "E", "number": 1}):
        assert (start(alice, key="no", **body).status, start(alice, key="no", **body).code) == (400, "bad_field")
    assert Attempt.objects.count() == 6


@pytest.mark.parametrize(
    ("body", "code"),
    [
        *(({"number": number}, "game_number") for number in (0, -1, 50_001, "0", "007", "+1", "1e3", "５", 10**300)),
        *(({"number": number}, "bad_field") for number in (1.0, True, [1], "")),
        *(({"random": letters}, "unknown_ruleset") for letters in ("X", "e", "É")),
        ({"code": "TP1-E-АAAAAAB"}, "code_character"),  # a Cyrillic A
        ({"code": "TPI-E-AAAAAAB"}, "code_kind"),
        ({"code": "TP1-X-AAAAAAB"}, "unknown_ruleset"),
        ({"code": "TPX-J-" + "0" * 46}, "no_joker_order"),
        ({"code": "TP2-E-" + "Z" * 26}, "code_value"),
        ({"code": "T" * 300}, "code_too_long"),
        ({"code": "T" * 401}, "bad_field"),
        ({"code": 5}, "bad_field"),
        ({"code": "TP1-E-AAAAAAB", "practice": "yes"}, "bad_field"),
        ({"code": "TP1-E-AAAAAAB", "key": "a b"}, "bad_field"),
        ({"code": "TP1-E-AAAAAAB", "key": ""}, "bad_field"),
    ],
)
def test_a_start_that_makes_no_sense_is_a_coded_400_and_starts_nothing(
    alice: SignedIn, body: dict[str, Any], code: str
) -> None:
    answer = start(alice, **body)
    assert (answer.status, answer.code) == (400, code)
    assert not Attempt.objects.exists()


def test_refused_moves_have_a_status_and_a_code_and_change_nothing(alice: SignedIn) -> None:
    attempt = started(alice)
    assert move(alice, attempt, "t20", 0, "m1").status == 200
    refusals = [
        (move(alice, attempt, "t27", 1, "x"), 422, "not_adjacent"),
        (move(alice, attempt, "t0", 1, "x"), 422, "covered"),
        (move(alice, attempt, "t20", 1, "x"), 422, "empty_slot"),
        (move(alice, attempt, "d", 0, "x"), 409, "stale_ply"),
        (move(alice, attempt, "d", 7, "x"), 409, "stale_ply"),
        (move(alice, attempt, "d", 0, "m1"), 409, "move_id_reused"),
        (move(alice, attempt, "t20", 1, "m1"), 409, "move_id_reused"),
        *((move(alice, attempt, wrong, 1, "x"), 400, "move_text") for wrong in ("t28", "T1", "t01", "pass", "t１")),
        *((move(alice, attempt, wrong, 1, "x"), 400, "bad_field") for wrong in (20, None, "", "t" * 99, ["d"])),
        *((move(alice, attempt, "d", ply, "x"), 400, "bad_field") for ply in (-1, 2001, "1", 1.0, True, 10**30)),
        *((move(alice, attempt, "d", 1, name), 400, "bad_field") for name in ("", "a b", "x" * 65, 5, "ü")),
        (call("POST", f"/attempts/{attempt}/resign", {"move_id": "m1"}, who=alice), 409, "move_id_reused"),
        (move(token(alice.player, "read"), attempt, "d", 1, "x"), 403, "scope_missing"),
        (call("POST", f"/attempts/{attempt}/moves", {"move": "d", "expected_ply": 1, "move_id": "x"}), 401, ""),
    ]
    for number, (answer, status, code) in enumerate(refusals):
        assert (answer.status, answer.code) == (status, code or "not_signed_in"), number
    stale = refusals[3][0].data["attempt"]
    assert stale == call("GET", f"/attempts/{attempt}", who=alice).json["attempt"] | {"elapsed_ms": stale["elapsed_ms"]}
    assert Move.objects.count() == 1


def test_a_finished_attempt_and_a_full_log_take_no_move(alice: SignedIn) -> None:
    attempt = started(alice)
    row = Attempt.objects.get(public_id=attempt)
    Move.objects.bulk_create(
        Move(attempt=row, ply=ply, move=29 - ply % 2, move_id=f"m{ply}", at=row.started_at) for ply in range(1, 2001)
    )
    Attempt.objects.filter(pk=row.pk).update(ply=2000, moves=1000, undos=1000)
    for text in ("d", "u", "t20"):
        answer = move(alice, attempt, text, 2000, "more")
        assert (answer.status, answer.code) == (422, "log_full")
    state = call("GET", f"/attempts/{attempt}", who=alice).json["attempt"]
    assert (state["ply"], state["legal"], state["outcome"]) == (2000, [], None)
    assert move(alice, attempt, "u", 1999, "m2000").json["attempt"]["ply"] == 2000
    for _ in range(2):
        resigned = call("POST", f"/attempts/{attempt}/resign", who=alice)
        assert (resigned.status, resigned.json["attempt"]["outcome"]) == (200, "resigned")
    answer = move(alice, attempt, "u", 2000, "more")
    assert (answer.status, answer.code, answer.data["attempt"]["closed"]) == (422, "game_over", True)
    replay = call("GET", f"/attempts/{attempt}/replay")
    assert (replay.status, len(replay.json["plies"])) == (200, 2001)
    assert Move.objects.count() == 2000
