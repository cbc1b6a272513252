"""Answers known from elsewhere: an independent exact solver, the decks of the cases, the reference."""

from __future__ import annotations

import pytest

from games.engine.codes import GameCode
from games.engine.deals import deal_cards
from games.engine.position import start
from games.engine.rulesets import RULESETS
from games.solver.exact import solve, winnable
from games.solver.survey import Survey, survey_block
from tests.engine.tables import DECKS, GOLDEN, C, E, G, O, R, T, W
from tests.solver.positions import opening, reaches

EASY_SHARE, EASY_MARGIN = 0.9704, 0.0011
CLASSIC_SHARE, CLASSIC_MARGIN = 0.7410, 0.0027


@pytest.mark.parametrize(("code", "draws"), GOLDEN["min_draws"].items())
def test_golden_fewest_draws(code: str, draws: int | None) -> None:
    position = opening(code)
    assert winnable(position.ruleset, position.cards) == (draws is not None, draws)
    found = solve(position)
    assert (found.winnable, found.fewest_draws) == (draws is not None, draws)
    assert reaches(position, found)
    assert found.best is not None
    if draws is not None:
        assert (found.best_score, found.best.moves) == (772 - draws, 28 + draws)


# Each computed with the reference: fewest draws (None: no win), best score, moves and cards left of the best result.
PINNED = [
    ("TP1-E-AAAAAAC", 13, 759, 41, 0),
    ("TP1-C-AAAAAAC", 13, 759, 41, 0),
    ("TP1-E-AAAAAAE", 14, 758, 42, 0),
    ("TP1-E-TRIPEAK", 21, 751, 49, 0),
    ("TP1-G-AAAAAAB", 13, 0, 41, 0),
    ("TP1-G-AAAAAAC", 14, 0, 42, 0),
    ("TP1-W-AAAAAAB", 13, 759, 41, 0),
    ("TP1-W-AAAAAAC", 14, 758, 42, 0),
    ("TP1-J-AAAAAAB", 11, 761, 39, 0),
    ("TP1-J-AAAAAAC", 13, 759, 41, 0),
    ("TP1-O-AAAAAAB", 12, 760, 40, 0),
    ("TP1-C-AAAAAAD", None, 657, 50, 1),
    ("TP1-C-TRIPEAK", None, 657, 47, 4),
    ("TP1-E-ZZZZZZZ", None, 657, 50, 1),
    ("TP1-C-ZZZZZZZ", None, 657, 48, 3),
    ("TP1-R-AAAAAAB", 12, 149, 44, 0),
    ("TP1-R-AAAAAAD", 23, 38, 51, 0),
    ("TP1-RC-AAAAAAB", 14, 99, 42, 0),
    ("TP1-RC-AAAAAAD", None, 0, 50, 1),
    ("TP1-T-AAAAAAB", 14, 63, 42, 0),
    ("TP1-T-AAAAAAC", 13, 79, 41, 0),
    ("TP1-T-AAAAAAD", None, -19, 50, 1),
    ("TP1-T-AAAAAAE", 22, 30, 51, 0),
]


@pytest.mark.parametrize(("code", "draws", "score", "moves", "left"), PINNED)
def test_whole_deals_pinned(code: str, draws: int | None, score: int, moves: int, left: int) -> None:
    found = solve(opening(code))
    assert found.best is not None
    told = (found.winnable, found.fewest_draws, found.best_score, found.best.moves, found.best.cards_left)
    assert told == (draws is not None, draws, score, moves, left)


def test_deck_z_is_a_single_run_worth_466() -> None:
    found = solve(start(R, DECKS["Z"]))
    assert (found.best_score, found.winnable, found.fewest_draws, len(found.line)) == (466, True, 0, 28)
    for ruleset in (E, C, O, W):
        assert solve(start(ruleset, DECKS["Z"])).best_score == 772
    assert solve(start(G, DECKS["Z"])).best_score == 0


def test_deck_p_has_nothing_to_play_before_the_last_card() -> None:
    for ruleset in (E, C):
        found = solve(start(ruleset, DECKS["P"]))
        assert found.best is not None
        assert (found.winnable, found.line[:23], found.best.moves, found.best.cards_left) == (False, (28,) * 23, 28, 23)


def test_deck_v_is_stuck_at_once_without_king_and_ace() -> None:
    apart = solve(start(C, DECKS["V"]))
    assert apart.best is not None
    assert (apart.winnable, apart.line, apart.best.score) == (False, (28,) * 23, 477)
    assert solve(start(T, DECKS["V"])).best_score == -115
    joined = solve(start(E, DECKS["V"]))
    assert joined.best is not None
    assert (joined.winnable, joined.best.cards_left, joined.best.score, joined.best_score) == (False, 6, 455, 469)


@pytest.mark.parametrize(
    ("letters", "share", "margin"), [("E", EASY_SHARE, EASY_MARGIN), ("C", CLASSIC_SHARE, CLASSIC_MARGIN)]
)
def test_random_deals_are_winnable_as_often_as_an_independent_solver_says(
    letters: str, share: float, margin: float
) -> None:
    """The difference of two samples, theirs of 100,000 deals and ours, within 3.5 standard errors."""
    deals = 4_000
    survey = Survey.of(deals, [survey_block(letters, 5, block) for block in range(deals // 1_000)])
    error = (share * (1 - share) / deals + (margin / 1.96) ** 2) ** 0.5
    assert abs(survey.share - share) < 3.5 * error


def test_rules_that_do_not_change_the_moves_do_not_change_what_can_be_won() -> None:
    """R and O are E, RC is C, to who only wants to win (R6)."""
    for number in range(60):
        cards = deal_cards(GameCode("TP1", "E", number))
        easy, classic = winnable(E, cards), winnable(C, cards)
        assert winnable(R, cards) == winnable(O, cards) == easy
        assert winnable(RULESETS["RC"], cards) == classic
        assert not classic[0] or easy[0]  # joined allows all that apart allows
        assert not winnable(T, cards)[0] or classic[0]


def test_a_draw_onto_the_empty_waste_never_helps() -> None:
    """G and W are won with as few draws: the first card to be removed can be removed before anything is drawn."""
    for number in range(100):
        cards = deal_cards(GameCode("TP1", "G", number))
        assert winnable(G, cards) == winnable(W, cards)
