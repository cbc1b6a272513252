"""Hints and "can this still be won?": in one's own practice on open codes, and nowhere else."""

from __future__ import annotations

import datetime as dt
from typing import NoReturn

import pytest

from games import clock
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.moves import parse_move
from games.engine.position import Position, start
from games.engine.rulesets import find_ruleset
from games.models import Attempt, DealExposure
from games.services import Competition
from games.solver import exact
from tests.analysis.cast import CLASSIC_LOST, EASY, Caller, stuck_log
from tests.attempts.hand import deck_code
from tests.factories import token

SEALED = "TP2-E-00000000000000000000000001"


@pytest.mark.parametrize(
    "code",
    [EASY, "TP1-C-AAAAAAB", "TP1-T-AAAAAAE", "TP1-G-AAAAAAR", "TP1-W-AAAAAAF", "TP1-J-AAAAAAH", deck_code("Z", "R")],
)
def test_following_the_hints_reaches_the_best_result(code: str, alice: Caller) -> None:
    attempt = alice.start(code, practice=True)
    given = parse_code(code)
    best = exact.solve(start(find_ruleset(given.ruleset), deal_cards(given))).best
    assert best is not None
    state = None
    while state is None or state["outcome"] is None:
        told = alice.hint(attempt).json
        assert told["ply"] == (state["ply"] if state else 0)
        if told["ply"] % 8 == 0:
            assert told["winnable"] == alice.winnable(attempt).json["winnable"]
        state = alice.hand.play(attempt, told["move"]).attempt
    result = state["result"]
    assert (result["outcome"], result["score"], result["moves"]) == (best.outcome, best.score, best.moves)
    if "Z" in code or "TPX" in code:
        assert result["score"] == 466


def test_winnable_tells_a_lost_position_from_a_won_one(alice: Caller) -> None:
    assert alice.winnable(alice.start(EASY, "a", practice=True)).json == {"winnable": True, "ply": 0}
    assert alice.winnable(alice.start(CLASSIC_LOST, "b", practice=True)).json == {"winnable": False, "ply": 0}


def test_a_stuck_position_has_no_move_to_tell(alice: Caller) -> None:
    attempt = alice.start(practice=True)
    states = alice.hand.play_all(attempt, stuck_log())
    assert alice.hint(attempt).json == {"move": None, "ply": states[-1]["ply"], "winnable": False}
    alice.hand.play(attempt, "u")
    assert alice.hint(attempt).status == 200


def test_a_ranked_attempt_gets_none_and_is_told_why(alice: Caller) -> None:
    ranked = alice.start()
    for answer in (alice.hint(ranked), alice.winnable(ranked)):
        assert (answer.status, answer.code) == (409, "hint_not_allowed")
        assert answer.data["reason"] == "ranked"
        assert "ranked" in answer.json["error"]["message"]
    assert alice.hint(alice.start("TP1-E-AAAAAAC", "k2", practice=True)).status == 200, "control"


def test_what_is_over_gets_none(alice: Caller) -> None:
    attempt = alice.start(practice=True)
    alice.hand.resign(attempt)
    assert (alice.hint(attempt).status, alice.hint(attempt).code) == (422, "game_over")


def test_foreign_and_unknown_attempts_are_the_same_404(alice: Caller, mallory: Caller) -> None:
    attempt = alice.start(practice=True)
    for verb in (Caller.hint, Caller.winnable):
        foreign, unknown = verb(mallory, attempt), verb(mallory, "0123456789abcdef")
        assert foreign.status == unknown.status == 404
        assert foreign.json == unknown.json
        assert verb(alice, attempt).status == 200, "control: its owner is answered"


def test_a_token_that_may_not_play_gets_none(alice: Caller) -> None:
    attempt = alice.start(practice=True)
    reader = token(alice.hand.player, "read")
    alice.hand.secret = reader.secret
    assert (alice.hint(attempt).status, alice.hint(attempt).code) == (403, "scope_missing")


def competition(*, over: bool, ranked: bool) -> Competition:
    now = clock.now()
    hours = -2 if over else 12
    return Competition(
        key="daily-test",
        deadline=now + dt.timedelta(hours=hours),
        sealed_until=now + dt.timedelta(hours=hours, minutes=1),
        undo_allowed=False,
        ranked=ranked,
    )


@pytest.mark.parametrize("ranked", [True, False])
def test_nothing_of_a_sealed_deal_reaches_the_solver(
    ranked: bool, alice: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.hand.at = clock.now()
    attempt = alice.hand.start(SEALED, "d", competition=competition(over=False, ranked=ranked))
    Attempt.objects.filter(pk=attempt.pk).update(ranked=ranked)
    alice.hand.play(attempt, "d")

    def never(*args: object, **options: object) -> NoReturn:
        raise AssertionError("the solver was asked about a sealed deal")

    for name in ("solve", "analyse", "winnable"):
        monkeypatch.setattr(exact, name, never)
    verbs = (Caller.hint, Caller.winnable, Caller.analysis, Caller.open_analysis)
    said = [
        (verb(who, attempt).status, verb(who, attempt).json["error"]["code"]) for who in (alice, bob) for verb in verbs
    ]
    gone = (404, "not_found")
    assert said == [(409, "hint_not_allowed"), (409, "hint_not_allowed"), *[gone] * 6]
    alice.hand.resign(attempt)
    assert [verb(alice, attempt).status for verb in (Caller.analysis, Caller.open_analysis)] == [404, 404]
    assert DealExposure.objects.count() == 0
    assert alice.hint(alice.start("TP1-E-AAAAAAC", "open", practice=True)).status == 500, "control: the trap snaps"


def test_practice_at_the_cards_of_a_competition_gets_none_until_it_is_final(alice: Caller) -> None:
    attempt = alice.start(practice=True)
    deal = attempt.deal
    deal.sealed_until = clock.now() + dt.timedelta(hours=1)
    deal.save()
    assert (alice.hint(attempt).status, alice.hint(attempt).data) == (409, {"reason": "competition"})
    alice.hand.resign(attempt)
    assert alice.analysis(attempt).status == 404
    deal.sealed_until = clock.now() - dt.timedelta(seconds=1)
    deal.save()
    assert alice.analysis(attempt).status == 200, "control: once it is final"


def test_the_hint_is_about_the_position_as_it_is_now(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Position] = []
    solve = exact.solve

    def watched(position: Position) -> exact.Solution:
        asked.append(position)
        return solve(position)

    monkeypatch.setattr(exact, "solve", watched)
    attempt = alice.start(practice=True)
    alice.hand.play_all(attempt, "d d u")
    assert alice.hint(attempt).json["ply"] == 3
    assert asked[0].line == (parse_move("d"),)
