"""The golden values of R7, byte for byte."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

import games.engine
from games.engine.cards import cards_text, parse_cards
from games.engine.codes import commitment, composed_code, parse_code, sealed_code
from games.engine.deals import DECK_ORDER, deal_cards
from games.engine.layout import peaks_cleared
from games.engine.moves import format_log, parse_log
from games.engine.replay import replay, replay_steps
from games.engine.rulesets import RULESETS
from tests.engine.tables import GOLDEN, E


def test_deck_order_is_the_published_one() -> None:
    assert cards_text(DECK_ORDER) == GOLDEN["deck_order"]


@pytest.mark.parametrize("golden", GOLDEN["deals"], ids=lambda golden: str(golden["letters"]))
def test_tp1_deals_are_as_published_under_every_ruleset_of_52_cards(golden: dict[str, Any]) -> None:
    """R7.1, R7.2: the ruleset never changes the cards."""
    for letters, ruleset in RULESETS.items():
        code = parse_code(f"TP1-{letters}-{golden['letters']}")
        assert str(code.number) == golden["number"]
        assert (cards_text(deal_cards(code)) == golden["cards"]) == (ruleset.deck_size == 52)


@pytest.mark.parametrize("golden", GOLDEN["joker_deals"], ids=lambda golden: str(golden["letters"]))
def test_joker_deals_are_as_published(golden: dict[str, Any]) -> None:
    assert cards_text(deal_cards(parse_code(f"TP1-J-{golden['letters']}"))) == golden["cards"]


@pytest.mark.parametrize("golden", GOLDEN["sealed"], ids=lambda golden: str(golden["seed_hex"]))
def test_sealed_deals_codes_and_commitments_are_as_published(golden: dict[str, Any]) -> None:
    """R7.8."""
    code = sealed_code("E", bytes.fromhex(golden["seed_hex"]))
    assert code.text == golden["code"]
    assert parse_code(golden["code"]) == code
    assert code.seed.hex() == golden["seed_hex"]
    assert commitment(code.text) == golden["commitment_sha256"]
    assert cards_text(deal_cards(code)) == golden["cards"]


@pytest.mark.parametrize("golden", GOLDEN["composed"], ids=lambda golden: str(golden["name"]))
def test_composed_codes_are_as_published_both_ways(golden: dict[str, Any]) -> None:
    """R7.9."""
    cards = parse_cards(golden["cards"])
    assert composed_code(E, cards).text == golden["code"]
    assert deal_cards(parse_code(golden["code"])) == cards


def test_published_line_clears_its_peaks_at_37_42_50_and_ends_on_750() -> None:
    """R7.5."""
    golden = GOLDEN["line_37_42_50"]
    log = parse_log(golden["moves"])
    cards = deal_cards(parse_code(golden["code"]))
    positions = list(replay_steps(E, cards, log))
    cleared_at = [
        ply
        for ply in range(1, len(positions))
        if peaks_cleared(positions[ply].removed) > peaks_cleared(positions[ply - 1].removed)
    ]
    assert cleared_at == golden["peaks_cleared_at"] == [37, 42, 50]
    assert positions[-1].score == golden["final_score"] == 750
    assert positions[-1].outcome == "won"
    assert replay(E, cards, log).position == positions[-1]
    assert format_log(log) == golden["moves"]


def test_the_example_of_the_package_runs() -> None:
    result = doctest.testmod(games.engine)
    assert (result.failed, result.attempted > 5) == (0, True)
