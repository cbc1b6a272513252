"""What an analysis says of each move agrees with solving each position by itself, in every ruleset."""

from __future__ import annotations

import random

import pytest

from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.moves import DRAW, MAX_PLIES, UNDO, format_log, parse_log
from games.engine.position import Position, start
from games.engine.ranking import rank_key
from games.engine.replay import replay_steps
from games.engine.rulesets import find_ruleset
from games.selectors.analysis import analysis_json
from games.solver.exact import analyse, solve
from leaderboards.analysis_words import verdict
from leaderboards.chart import chart_of
from tests.analysis.cast import CLASSIC_LOST, EASY, Caller, best_line, stuck_log
from tests.attempts.hand import Z_LINE, deck_code

CODES = ["TP1-E-AAAAAAC", "TP1-C-AAAAAAB", "TP1-R-AAAAAAB", "TP1-T-AAAAAAE", "TP1-W-AAAAAAF", "TP1-G-AAAAAAG"]
CODES += ["TP1-J-AAAAAAH", "TP1-O-AAAAAAI", CLASSIC_LOST]


def sloppy_log(code: str, seed: int) -> str:
    """Half at random, half as the solver says, with a few undos; not always to the end."""
    chance = random.Random(seed)
    given = parse_code(code)
    position = start(find_ruleset(given.ruleset), deal_cards(given))
    log: list[int] = []
    while position.outcome is None and len(log) < 24:
        moves = [move for move in position.legal_moves() if move != UNDO]
        move = chance.choice(moves)
        if position.line and chance.random() < 0.15:
            move = UNDO
        elif log and len(log) % 5 == 0:
            move = solve(position).line[0]
        log.append(move)
        position = position.play(move)
    return format_log(log)


def positions(code: str, log: str) -> list[Position]:
    given = parse_code(code)
    return list(replay_steps(find_ruleset(given.ruleset), deal_cards(given), parse_log(log)))


@pytest.mark.parametrize("code", CODES)
def test_every_ply_says_what_solving_that_position_says(code: str, alice: Caller) -> None:
    log = sloppy_log(code, seed=7)
    told = alice.analysis(alice.finished(code, log)).json
    ranking = find_ruleset(parse_code(code).ruleset).ranking
    kept, keys, winnable = [], [], []
    for ply, position in zip(told["plies"], positions(code, log), strict=True):
        solved = solve(position)
        assert solved.best is not None
        assert ply["ply"] == position.ply
        assert ply["winnable"] == solved.winnable
        assert ply["fewest_draws"] == solved.fewest_draws
        assert ply["best_score"] == solved.best_score
        assert ply["best"] == {
            name: getattr(solved.best, name) for name in ("outcome", "score", "moves", "peaks", "cards_left")
        }
        keys.append(rank_key(ranking, solved.best.result(), timed=False))
        winnable.append(solved.winnable)
    for ply, move in enumerate(log.split(), start=1):
        said = told["plies"][ply]
        assert said["move"] == move
        if move == "u":
            assert said["kept"] is None
            continue
        assert said["kept"] == (keys[ply] == keys[ply - 1]), "no move can better the best that was possible"
        assert keys[ply] >= keys[ply - 1]
        assert said["lost_win"] == (winnable[ply - 1] and not winnable[ply])
        assert (said["cost"] is None) == said["kept"]
        kept.append(said["kept"])
    assert told["costly"] == [ply for ply, said in enumerate(told["plies"]) if said["kept"] is False]
    assert told["accuracy"] == round(sum(kept) / len(kept), 4)
    assert (told["moves"], told["kept"]) == (len(kept), sum(kept))


def test_a_perfect_line_has_accuracy_1(alice: Caller) -> None:
    told = alice.analysis(alice.finished(EASY, best_line(EASY))).json
    assert told["accuracy"] == 1
    assert told["lost_at"] is None
    assert told["costly"] == []
    assert {ply["best"]["score"] for ply in told["plies"]} == {760}, "TP1-E-AAAAAAB: 28 cards and 12 draws at best"
    assert told["plies"][0]["fewest_draws"] == 12


def test_the_move_that_throws_the_win_away_is_found(alice: Caller) -> None:
    log = stuck_log()
    wins = [solve(position).winnable for position in positions(EASY, log)]
    lost = wins.index(False)
    assert lost > 1, "control: the game begins winnable and is lost by a later move"
    attempt = alice.start()
    alice.hand.play_all(attempt, log)
    told = alice.open_analysis(attempt).json
    assert told["lost_at"] == lost
    assert told["plies"][lost]["cost"] == {"of": "win", "amount": None}
    assert told["plies"][lost]["lost_win"]
    assert lost in told["costly"]
    assert told["accuracy"] < 1


def test_a_deal_that_cannot_be_won_is_lost_at_no_move(alice: Caller) -> None:
    told = alice.analysis(alice.finished(CLASSIC_LOST, "d d d")).json
    assert not told["plies"][0]["winnable"]
    assert told["lost_at"] is None


def test_a_move_taken_back_costs_accuracy_but_not_the_win(alice: Caller) -> None:
    """TP1-E-AAAAAAB can be won with 12 draws at least; who has drawn 23 before the first card has lost it."""
    bad = " ".join(["d"] * 23)
    back = " ".join(["u"] * 23)
    line = best_line(EASY)
    told = alice.analysis(alice.finished(EASY, f"{bad} {back} {line}")).json
    lost = [ply["ply"] for ply in told["plies"] if ply["lost_win"]]
    assert lost, "control: one of the draws did throw the win away"
    assert told["plies"][lost[0]]["undone"]
    assert told["lost_at"] is None, "taken back, and won in the end"
    assert told["accuracy"] < 1
    assert told["moves"] == 23 + len(line.split()), "undos are not moves"
    assert told["attempt"]["outcome"] == "won"


def test_deck_Z_of_the_runs_is_worth_466_at_every_ply_of_its_chain(alice: Caller) -> None:
    told = alice.analysis(alice.finished(deck_code("Z", "R"), " ".join(Z_LINE))).json
    assert {ply["best"]["score"] for ply in told["plies"]} == {466}
    assert told["accuracy"] == 1
    broken = alice.analysis(alice.finished(deck_code("Z", "R"), f"{Z_LINE[0]} d", key="f2")).json
    cost = broken["plies"][2]["cost"]
    assert broken["costly"] == [2]
    assert cost["of"] == "points"
    assert cost["amount"] == 466 - broken["plies"][2]["best_score"] > 5, "the run is broken, not only the draw paid"


def test_an_attempt_without_moves_has_no_accuracy(alice: Caller) -> None:
    told = alice.analysis(alice.finished(EASY, "")).json
    assert told["accuracy"] is None
    assert [ply["ply"] for ply in told["plies"]] == [0]
    assert told["costly"] == []


def test_a_full_log_is_judged_to_its_end() -> None:
    """R5.4: where no line has room any more there is no best, and nothing to lose."""
    given = parse_code("TP1-C-AAAAAAB")
    ruleset, log = find_ruleset(given.ruleset), [DRAW, UNDO] * (MAX_PLIES // 2)
    found = analysis_json(ruleset, log, analyse(ruleset, deal_cards(given), log))
    assert len(found["plies"]) == MAX_PLIES + 1
    assert found["plies"][-1]["best"] is None
    assert found["lost_at"] is None, "every move was taken back"
    assert found["moves"] == MAX_PLIES // 2
    assert chart_of(ruleset, found) is not None
    assert "full" in verdict({**found, "attempt": {"outcome": "resigned"}}, ruleset)
