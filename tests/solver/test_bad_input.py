"""What makes no sense is refused by name, never solved."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from games.engine.errors import EngineError, IllegalMove, InvalidCards, InvalidMove, UnknownRuleset
from games.engine.moves import parse_log
from games.engine.position import Position, start
from games.engine.rulesets import find_ruleset
from games.solver.errors import SolverError
from games.solver.exact import analyse, solve, winnable
from tests.engine.tables import DECKS, E, J
from tests.solver.positions import at, opening

Z = DECKS["Z"]
CALLS: list[Callable[[Any, Sequence[Any]], object]] = [
    winnable,
    lambda ruleset, cards: analyse(ruleset, cards, ()),
    lambda ruleset, cards: solve(Position(ruleset, tuple(cards), 0, 0, (), 0, 0, 500, 0, True)),
]


def refusal(call: Callable[[], object]) -> EngineError:
    with pytest.raises(EngineError) as caught:
        call()
    assert caught.value.message
    return caught.value


@pytest.mark.parametrize("call", CALLS, ids=["winnable", "analyse", "solve"])
@pytest.mark.parametrize(
    "cards",
    [
        (),
        Z[:26],
        Z[:51],
        (*Z, 52),
        (*Z[:51], Z[0]),
        (*Z[:51], 52),
        (*Z[:51], -1),
        (*Z[:51], 51.0),
        (*Z[:51], "KS"),
        (*Z[:51], None),
    ],
)
def test_half_a_deck_a_duplicate_and_no_cards_at_all(
    call: Callable[[Any, Sequence[Any]], object], cards: Sequence[Any]
) -> None:
    assert isinstance(refusal(lambda: call(E, cards)), InvalidCards)
    assert isinstance(refusal(lambda: call(J, Z)), InvalidCards)


@pytest.mark.parametrize("call", CALLS, ids=["winnable", "analyse", "solve"])
def test_an_unknown_ruleset(call: Callable[[Any, Sequence[Any]], object]) -> None:
    for ruleset in ("E", None, dataclasses.replace(E, letters="Q"), dataclasses.replace(E, joined=False)):
        error = refusal(lambda ruleset=ruleset: call(ruleset, Z))  # type: ignore[misc]
        assert (type(error), error.code) == (UnknownRuleset, "unknown_ruleset")
    assert refusal(lambda: winnable(find_ruleset("Q"), Z)).code == "unknown_ruleset"


PLAYED = at(E, Z, parse_log("t18 t19 d d u"))


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"removed": 0}, "removed"),
        ({"removed": 1}, "removed"),
        ({"removed": PLAYED.removed | 1 << 3}, "removed"),
        ({"drawn": 2}, "drawn"),
        ({"drawn": 0}, "drawn"),
        ({"score": 500}, "score"),
        ({"run": 2}, "run"),
        ({"moves": 3}, "moves"),
        ({"undos": 0}, "moves"),
        ({"undos": -1, "moves": 2}, "moves"),
        ({"undo_allowed": False}, "undos"),
        ({"undos": 1_000, "moves": 1_003}, "ply"),
        ({"line": (18, 20, 28)}, "line"),
        ({"line": (0, 1, 28)}, "line"),
        ({"line": (18, 29, 28)}, "line"),
        ({"line": (18, 99, 28)}, "line"),
        ({"line": (28,) * 24}, "line"),
        ({"line": ()}, "removed"),
        ({"cards": (*Z[1:28], Z[0], *Z[28:])}, "line"),
    ],
)
def test_positions_that_no_play_reaches(changes: dict[str, Any], part: str) -> None:
    solve(PLAYED)  # control: as it was it is fine
    error = refusal(lambda: solve(dataclasses.replace(PLAYED, **changes)))
    assert (type(error), error.code, error.data["part"]) == (SolverError, "unreachable_position", part)


def test_what_is_no_position() -> None:
    assert refusal(lambda: solve("TP1-E-AAAAAAB")).code == "unreachable_position"  # type: ignore[arg-type]


def test_an_analysis_of_a_log_that_cannot_be_played() -> None:
    position = opening("TP1-E-AAAAAAB")
    illegal = refusal(lambda: analyse(position.ruleset, position.cards, parse_log("t20 t18")))
    assert (type(illegal), illegal.code) == (IllegalMove, "not_adjacent")
    assert isinstance(refusal(lambda: analyse(position.ruleset, position.cards, (99,))), InvalidMove)
    undone = refusal(lambda: analyse(position.ruleset, position.cards, (28, 29), undo_allowed=False))
    assert undone.code == "undo_not_allowed"


def test_ends_are_solved_too() -> None:
    won = solve(at(E, Z, (*range(18, 28), *range(9, 18), *range(3, 9), 0, 1, 2)))
    assert (won.winnable, won.fewest_draws, won.line, won.best_score) == (True, 0, (), 772)
    stuck = solve(at(find_ruleset("C"), DECKS["V"], (28,) * 23))
    assert (stuck.winnable, stuck.fewest_draws, stuck.line, stuck.best_score) == (False, None, (), 477)


def test_the_opening_of_every_kind_of_position_is_accepted() -> None:
    for letters in ("E", "G", "W", "T"):
        solve(start(find_ruleset(letters), Z))
