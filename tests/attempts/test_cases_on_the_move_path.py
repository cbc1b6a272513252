"""Cases C06–C09 and C17 through the services; the engine's own part is in tests/engine."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from games.engine.replay import replay
from games.engine.rulesets import find_ruleset
from games.errors import Conflict, MoveRefused
from games.models import Attempt, Move
from games.selectors import attempt_get
from games.services import MoveReply
from tests.attempts.hand import DAILY, Z_LINE, Hand, deck_code


def test_C06_the_run_bonus_grows_and_is_lost_by_a_draw(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    states = alice.play_all(attempt, "t18 t19 t20 d t21 t22")
    assert [state["score"] for state in states] == [1, 3, 6, 1, 2, 4]
    assert [state["run"] for state in states] == [1, 2, 3, 0, 1, 2]


def test_C06_deck_Z_in_one_run_is_won_with_466(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    last = alice.play_all(attempt, Z_LINE)[-1]
    assert (last["outcome"], last["score"], last["closed"]) == ("won", 466, True)
    attempt.refresh_from_db()
    assert (attempt.result_score, attempt.result_outcome, attempt.closed_at) == (466, "won", alice.at)


def test_C07_undone_draws_come_back_in_the_same_order(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    before = attempt_get(public_id=attempt.public_id, player_id=alice.player.pk, now=alice.at)
    states = alice.play_all(attempt, "d d d u u u d d d")
    assert [state["view"]["waste"] for state in states] == ["7H", "9H", "JH", "9H", "7H", "2H", "7H", "9H", "JH"]
    assert [state["view"]["stock"] for state in states] == [22, 21, 20, 21, 22, 23, 22, 21, 20]
    assert [state["score"] for state in states] == [-5, -10, -15, -10, -5, 0, -5, -10, -15]
    undone = dict(states[5])
    for changing in ("moves", "ply", "elapsed_ms"):
        del undone[changing], before[changing]
    assert undone == before


def test_C08_undo_and_replay_farm_nothing(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    assert alice.play_all(attempt, Z_LINE[:26])[-1]["score"] == 366
    for _ in range(10):
        undone, again = alice.play_all(attempt, ["u", Z_LINE[25]])
        assert (undone["score"], again["score"], again["peaks"]) == (325, 366, 1)
    assert alice.play_all(attempt, Z_LINE[26:27])[-1]["score"] == 408


def test_C09_nobody_is_stuck_while_the_stock_or_a_neighbour_is_left(alice: Hand) -> None:
    patient = alice.start(deck_code("P", "R"), "p")
    for draw in range(1, 23):
        state = alice.play(patient, "d").attempt
        assert (state["outcome"], state["view"]["stock"]) == (None, 23 - draw)
        assert [move for move in state["legal"] if move.startswith("t")] == []
    state = alice.play(patient, "d").attempt
    assert (state["outcome"], state["legal"]) == (None, ["t22", "t23", "t24", "t25", "u"])
    joined = alice.start(deck_code("V", "R"), "v")
    assert alice.play_all(joined, ["d"] * 23)[-1]["legal"] == ["t18", "t19", "t20", "t21", "u"]
    apart = alice.start(deck_code("V", "RC"), "va")
    assert alice.play_all(apart, ["d"] * 23)[-1]["outcome"] == "stuck"
    reread = attempt_get(public_id=apart.public_id, player_id=alice.player.pk, now=alice.at)
    assert reread["outcome"] == "stuck"


def test_C17_a_repeat_gets_the_first_answer_and_plays_nothing(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    first = alice.play(attempt, "t18", ply=0, move_id="m1")
    alice.play(attempt, "t19")
    alice.wait(seconds=60)
    again = alice.play(attempt, "t18", ply=0, move_id="m1")
    assert again.as_json() == first.as_json()
    assert Move.objects.filter(attempt=attempt).count() == 2


def test_C17_a_repeat_of_the_winning_move_gets_the_winning_answer(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    alice.play_all(attempt, Z_LINE[:-1])
    won = alice.play(attempt, Z_LINE[-1], move_id="last")
    alice.wait(hours=30)
    assert alice.play(attempt, Z_LINE[-1], ply=27, move_id="last").as_json() == won.as_json()


def test_C17_a_repeat_after_stuck_undo_and_better_still_shows_what_was_recorded_then(alice: Hand) -> None:
    attempt = alice.start(deck_code("V", "RC"))
    alice.play_all(attempt, ["d"] * 22)
    stuck = alice.play(attempt, "d", move_id="stuck")
    alice.wait(seconds=5)
    undone = alice.play(attempt, "u", move_id="back")
    assert (undone.attempt["outcome"], undone.attempt["result"]["score"]) == (None, stuck.attempt["score"])
    assert alice.play(attempt, "d", ply=22, move_id="stuck").as_json() == stuck.as_json()
    assert alice.play(attempt, "u", ply=23, move_id="back").as_json() == undone.as_json()


def test_C17_the_same_id_with_another_move_is_refused(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    alice.play(attempt, "t18", ply=0, move_id="m1")
    with pytest.raises(Conflict) as refused:
        alice.play(attempt, "t19", ply=0, move_id="m1")
    assert refused.value.code == "move_id_reused"
    assert Attempt.objects.get(pk=attempt.pk).ply == 1


def test_C17_a_start_is_repeated_by_its_key(alice: Hand) -> None:
    first = alice.start(deck_code("Z", "R"), "once")
    assert alice.start(deck_code("Z", "R"), "once").pk == first.pk
    with pytest.raises(Conflict) as refused:
        alice.start(deck_code("P", "R"), "once")
    assert refused.value.code == "key_reused"


def test_a_stale_ply_gets_the_present_state(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    alice.play(attempt, "t18")
    with pytest.raises(Conflict) as refused:
        alice.play(attempt, "t19", ply=0, move_id="late")
    assert (refused.value.code, refused.value.status) == ("stale_ply", 409)
    assert refused.value.data["attempt"]["ply"] == 1


def test_a_refused_move_changes_nothing_and_says_why(alice: Hand) -> None:
    attempt = alice.start("TP1-E-AAAAAAB")
    before = attempt_get(public_id=attempt.public_id, player_id=alice.player.pk, now=alice.at)
    for move, code in (("t18", "not_adjacent"), ("t9", "covered"), ("u", "nothing_to_undo")):
        with pytest.raises(MoveRefused) as refused:
            alice.play(attempt, move)
        assert (refused.value.code, refused.value.data["ply"]) == (code, 0)
    assert attempt_get(public_id=attempt.public_id, player_id=alice.player.pk, now=alice.at) == before


def test_a_repeat_after_the_attempt_was_given_up_or_has_expired_is_still_the_first_answer(alice: Hand) -> None:
    given_up = alice.start(deck_code("Z", "R"), "a")
    first = alice.play(given_up, "t18", move_id="m1")
    alice.resign(given_up)
    alice.wait(seconds=1)
    assert alice.play(given_up, "t18", ply=0, move_id="m1").as_json() == first.as_json()
    expired = alice.start(deck_code("Z", "R"), "b", competition=DAILY)
    first = alice.play(expired, "t18", move_id="m1")
    alice.wait(hours=13)
    for _ in range(2):  # before and after the expiry is written down
        assert alice.play(expired, "t18", ply=0, move_id="m1").as_json() == first.as_json()
        with pytest.raises(MoveRefused, match="is over"):
            alice.play(expired, "t19", ply=1, move_id="m2")
    assert Attempt.objects.get(pk=expired.pk).outcome == "expired"
    assert Move.objects.filter(attempt=expired).count() == 1


def test_the_id_of_a_move_cannot_resign(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    alice.play(attempt, "t18", move_id="m1")
    with pytest.raises(Conflict) as refused:
        alice.resign(attempt, move_id="m1")
    assert refused.value.code == "move_id_reused"
    assert Attempt.objects.get(pk=attempt.pk).outcome is None
    assert alice.resign(attempt, move_id="m2")["outcome"] == "resigned"


def test_a_repeat_at_the_end_of_a_full_log_is_cheap(alice: Hand) -> None:
    """Replaying the log once for every ply would be a million moves a request, under the attempt's lock."""
    attempt = alice.start(deck_code("Z", "R"))
    Move.objects.bulk_create(
        Move(attempt=attempt, ply=ply, move=29 - ply % 2, move_id=f"m{ply}", at=alice.at) for ply in range(1, 1999)
    )
    Attempt.objects.filter(pk=attempt.pk).update(ply=1998, moves=999, undos=999)

    def cpu(work: Callable[[], object]) -> float:
        before = time.thread_time()
        work()
        return time.thread_time() - before

    first = alice.play(attempt, "d", ply=1998, move_id="last")
    again: list[MoveReply] = []
    repeat = cpu(lambda: again.append(alice.play(attempt, "d", ply=1998, move_id="last")))
    assert again[0].as_json() == first.as_json()
    ruleset, cards, log = find_ruleset("R"), tuple(attempt.deal.cards), [28, 29] * 999
    assert repeat < cpu(lambda: [replay(ruleset, cards, log[:ply]) for ply in range(1998)]) / 4
