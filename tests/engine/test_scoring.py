"""R4, and cases C06 (the bonus that never grew) and C08 (bonus farmed with undo)."""

from __future__ import annotations

import pytest

from games.engine.moves import DRAW, UNDO
from games.engine.position import start
from games.engine.rulesets import RULESETS
from games.engine.scoring import SCORING, tally
from tests.engine.tables import DECKS, C, E, G, R, play_all

CLEARING = [*range(18, 28), *range(9, 18), *range(3, 9), 0, 1, 2]


def test_c06_score_and_run_after_each_reply() -> None:
    position = start(R, DECKS["Z"])
    scores, runs = [], []
    for move in (18, 19, 20, DRAW, 21, 22):
        position = position.play(move)
        scores.append(position.score)
        runs.append(position.run)
    assert scores == [1, 3, 6, 1, 2, 4]
    assert runs == [1, 2, 3, 0, 1, 2]


def test_r4_2_perfect_run_scores_466() -> None:
    won = play_all(start(R, DECKS["Z"]), CLEARING)
    assert (won.outcome, won.score, won.run) == ("won", 406 + 60, 28)


def test_r4_1_wins_score_772_to_748() -> None:
    assert play_all(start(E, DECKS["Z"]), CLEARING).score == 772
    assert tally(SCORING["points500"], [*CLEARING, *[DRAW] * 23]) == (749, 0)
    assert tally(SCORING["points500"], [*[DRAW] * 24, *CLEARING]) == (748, 28)


def test_r4_1_never_below_zero() -> None:
    assert tally(SCORING["points500"], [DRAW] * 600) == (0, 0)


def test_r4_1_stuck_has_no_penalty_and_no_bonus() -> None:
    stuck = play_all(start(C, DECKS["V"]), [DRAW] * 23)
    assert (stuck.outcome, stuck.score) == ("stuck", 477)


def test_r4_2_may_go_negative() -> None:
    assert play_all(start(R, DECKS["Z"]), [DRAW] * 23).score == -115


def test_r4_3_cards_left_counts_the_tableau() -> None:
    assert play_all(start(G, DECKS["Z"]), [18, 19, 20]).score == 25
    assert play_all(start(G, DECKS["Z"]), CLEARING).score == 0


def test_c08_undo_and_redo_never_farm_a_bonus() -> None:
    position = play_all(start(R, DECKS["Z"]), CLEARING[:26])
    assert (position.score, position.peaks) == (366, 1)
    for _ in range(10):
        position = position.play(UNDO)
        assert (position.score, position.peaks) == (325, 0)
        position = position.play(CLEARING[25])
        assert (position.score, position.peaks) == (366, 1)
    assert position.play(CLEARING[26]).score == 408


def test_scoring_rules_are_named_and_versioned() -> None:
    assert {rule.name: rule.version for rule in SCORING.values()} == {"points500": 1, "runs": 1, "cards_left": 1}
    assert {row.scoring for row in RULESETS.values()} == set(SCORING)


@pytest.mark.parametrize("name", SCORING)
def test_scores_are_functions_of_the_line_alone(name: str) -> None:
    """R5.4: the same line scores the same, whatever was undone on the way."""
    ruleset = next(row for row in RULESETS.values() if row.scoring == name)
    plain = play_all(start(ruleset, DECKS["Z"]), [18, 19])
    detour = play_all(start(ruleset, DECKS["Z"]), [18, UNDO, 18, 19, DRAW, UNDO, UNDO, 19])
    assert (plain.score, plain.run, plain.line) == (detour.score, detour.run, detour.line)
    assert (plain.moves, detour.moves) == (2, 5)
