"""The simple forward search: what it finds wins, and what it exhausts cannot be won."""

from __future__ import annotations

import pytest

from games.engine.codes import GameCode
from games.engine.deals import deal_cards
from games.engine.errors import InvalidCards
from games.engine.replay import replay
from games.engine.rulesets import RULESETS
from games.solver.search import find_win, search
from tests.engine.tables import DECKS, GOLDEN, C, E


@pytest.mark.parametrize("letters", RULESETS)
def test_a_found_line_wins_by_replay(letters: str) -> None:
    ruleset = RULESETS[letters]
    found = 0
    for number in range(12):
        cards = deal_cards(GameCode("TP1", letters, number))
        line = find_win(ruleset, cards, node_limit=20_000)
        if line is not None:
            found += 1
            played = replay(ruleset, cards, line, undo_allowed=False)
            assert (played.error, played.position.outcome) == (None, "won")
    assert found > 0


def test_r7_4_aaaaaad_can_be_won_in_easy_and_not_in_classic() -> None:
    cards = deal_cards(GameCode("TP1", "E", 3))
    assert GOLDEN["min_draws"]["TP1-C-AAAAAAD"] is None
    assert find_win(E, cards) is not None
    classic = search(C, cards, node_limit=1_000_000)
    assert (classic.line, classic.exhausted) == (None, True)


def test_none_within_the_limit_is_no_proof() -> None:
    cards = deal_cards(GameCode("TP1", "E", 3))
    hasty = search(E, cards, node_limit=100)
    assert (hasty.line, hasty.exhausted, hasty.nodes) == (None, False, 100)


@pytest.mark.parametrize("letters", ["E", "C", "R", "T", "G", "O", "W"])
def test_deck_z_is_won_under_every_ruleset_of_52_cards(letters: str) -> None:
    line = find_win(RULESETS[letters], DECKS["Z"])
    assert line is not None
    assert replay(RULESETS[letters], DECKS["Z"], line, undo_allowed=False).position.outcome == "won"


def test_a_found_line_is_not_longer_than_the_deck_and_a_wrong_deck_is_refused() -> None:
    found = search(E, DECKS["Z"])
    assert found.line is not None
    assert (found.exhausted, 28 <= len(found.line) <= 51) == (False, True)
    with pytest.raises(InvalidCards):
        search(E, DECKS["Z"][:51])
