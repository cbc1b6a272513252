"""R10.1 and case C23: what leaves the engine names no card that is not turned up."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings

from games.engine.cards import CARD_TEXTS, Card, cards_text
from games.engine.codes import sealed_code
from games.engine.errors import IllegalMove
from games.engine.moves import DRAW, UNDO
from games.engine.position import Position, start
from games.engine.rulesets import Ruleset
from games.engine.visibility import FACE_DOWN, view
from tests.engine.tables import ALL_MOVES, DECKS, PLACES, E, choice_lists, deals, walk


def hidden_cards(position: Position) -> set[str]:
    """Cards the player cannot know now: covered ones (unless faces are up) and the stock. Counted from the picture."""
    left = [slot for slot in range(28) if not position.removed >> slot & 1]
    hidden = set()
    for slot in left:
        row, x = PLACES[slot]
        covered = any(PLACES[other] in ((row + 1, x - 1), (row + 1, x + 1)) for other in left)
        if covered and not position.ruleset.faces_up:
            hidden.add(CARD_TEXTS[position.cards[slot]])
    stock = position.cards[position.ruleset.stock_start + position.drawn :]
    return hidden | {CARD_TEXTS[card] for card in stock}


def leaks(position: Position, text: str) -> set[str]:
    """Hidden cards that stand in a text."""
    return set(re.findall(r"\b(?:[A23456789TJQK][CDHS]|XX)\b", text)) & hidden_cards(position)


@settings(max_examples=60, deadline=None)
@given(deals(), choice_lists)
def test_no_hidden_card_is_in_a_view_a_refusal_or_a_repr(
    deal: tuple[Ruleset, tuple[Card, ...]], choices: list[int]
) -> None:
    for position in walk(*deal, choices):
        texts = [json.dumps(view(position).as_json()), repr(view(position)), repr(position)]
        for move in ALL_MOVES:
            try:
                position.check(move)
            except IllegalMove as error:
                texts += [json.dumps(error.data), error.message, repr(error)]
        assert leaks(position, "\n".join(texts)) == set()


def test_the_leak_checker_finds_a_leak() -> None:
    """Control: a view that told the tableau, or the revealed deal, would be caught."""
    position = start(E, DECKS["Z"])
    assert len(hidden_cards(position)) == 41
    assert len(leaks(position, cards_text(position.cards[:28]))) == 18
    assert len(leaks(position, json.dumps(view(position, reveal=True).as_json()))) == 41


def test_c23_each_move_turns_up_one_new_face() -> None:
    def faces(position: Position) -> set[str]:
        seen = view(position)
        return {card for card in (*seen.tableau, seen.waste) if card and card != FACE_DOWN}

    position = start(E, DECKS["Z"])
    known = faces(position)
    assert len(known) == 11
    for move, new in ((18, set()), (19, {CARD_TEXTS[DECKS["Z"][9]]}), (DRAW, {CARD_TEXTS[DECKS["Z"][29]]})):
        position = position.play(move)
        assert faces(position) - known == new
        known |= faces(position)
    for move in (UNDO, DRAW, UNDO, UNDO):
        position = position.play(move)
        assert faces(position) <= known


def test_view_as_json_has_its_stated_shape() -> None:
    seen = view(start(E, DECKS["Z"]).play(18)).as_json()
    assert seen == {
        "tableau": ["??"] * 18 + [None, "4H", "5H", "6H", "7D", "8D", "9D", "TD", "JD", "QD"],
        "open": list(range(19, 28)),
        "waste": "3H",
        "waste_count": 2,
        "stock": 23,
    }
    assert json.loads(json.dumps(seen)) == seen


def test_reveal_adds_the_deal_and_changes_nothing_else() -> None:
    position = start(E, DECKS["Z"]).play(18)
    revealed = view(position, reveal=True).as_json()
    assert revealed.pop("deal") == cards_text(DECKS["Z"])
    assert revealed == view(position).as_json()


def test_a_sealed_code_hides_its_seed_when_printed() -> None:
    code = sealed_code("E", bytes(range(16)))
    assert code.text[6:] not in repr(code) + str(code)
    assert str(code.number) not in repr(code)
