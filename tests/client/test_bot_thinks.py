"""The bot's judgement, without a server: legal, better than chance, and blind to what is face down."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from games.bot import Brain
from games.engine.codes import numbered_code
from games.engine.deals import deal_cards
from games.engine.moves import move_text, parse_move
from games.engine.position import Position, start
from games.engine.rulesets import RULESETS, Ruleset
from games.engine.visibility import view

Choose = Callable[[Position, list[str]], str]


def play(ruleset: Ruleset, cards: tuple[int, ...], choose: Choose) -> Position:
    position = start(ruleset, cards, undo_allowed=True)
    while position.outcome is None:
        legal = [move_text(move) for move in position.legal_moves()]
        position = position.play(parse_move(choose(position, legal)))
    return position


def thinking(ruleset: Ruleset, seed: int) -> Choose:
    brain = Brain(ruleset, random.Random(seed), worlds=10)
    return lambda position, legal: brain.choose(view(position).as_json(), legal)


def by_chance(seed: int) -> Choose:
    dice = random.Random(seed)
    return lambda _position, legal: dice.choice([move for move in legal if move != "u"])


def deals(ruleset: Ruleset, count: int) -> list[tuple[int, ...]]:
    found = [deal_cards(numbered_code(number)) for number in range(1, count + 1)]
    return [(*cards, 52) for cards in found] if ruleset.has_joker else found


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=lambda ruleset: ruleset.letters)
def test_it_plays_every_ruleset_to_an_end_and_better_than_chance(ruleset: Ruleset) -> None:
    left = chance = 0
    for seed, cards in enumerate(deals(ruleset, 12)):
        left += play(ruleset, cards, thinking(ruleset, seed)).cards_left
        chance += play(ruleset, cards, by_chance(seed)).cards_left
    assert left < 0.75 * chance


def test_its_choice_does_not_depend_on_face_down_cards() -> None:
    ruleset = RULESETS["E"]
    cards = list(deals(ruleset, 1)[0])
    first = start(ruleset, tuple(cards))
    hidden = cards[:18]
    random.Random(1).shuffle(hidden)
    stock = cards[29:]
    random.Random(2).shuffle(stock)
    other = start(ruleset, (*hidden, *cards[18:29], *stock))
    assert first.cards != other.cards
    legal = [move_text(move) for move in first.legal_moves()]
    assert all(thinking(ruleset, seed)(first, legal) == thinking(ruleset, seed)(other, legal) for seed in range(20))
