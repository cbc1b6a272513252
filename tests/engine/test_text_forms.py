"""Cards, moves and logs: what is written is read, everything else is refused with its place."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.cards import JOKER, card_text, cards_text, parse_card, parse_cards
from games.engine.errors import EngineError, IllegalMove, InvalidCards, InvalidInput, InvalidMove
from games.engine.moves import format_log, move_text, parse_log, parse_move


@given(st.permutations(range(53)))
def test_cards_read_back(cards: list[int]) -> None:
    assert parse_cards(cards_text(cards)) == tuple(cards)


@given(st.lists(st.integers(0, 29), max_size=200))
def test_r2_5_logs_read_back(log: list[int]) -> None:
    assert parse_log(format_log(log)) == tuple(log)


def test_card_numbers_are_rank_and_suit() -> None:
    assert [card_text(card) for card in (0, 12, 13, 22, 51, JOKER)] == ["AC", "KC", "AD", "TD", "KS", "XX"]
    assert parse_card("TD") % 13 == 9
    assert parse_card("TD") // 13 == 1


@pytest.mark.parametrize("text", ["", "10D", "td", "T", "TDD", "1D", "TX", "X", "ТD", " TD"])
def test_texts_that_are_no_card_are_refused(text: str) -> None:
    with pytest.raises(InvalidCards):
        parse_card(text)


@pytest.mark.parametrize(
    ("text", "code"), [("AC 2C ZZ", "card_text"), ("AC 2C AC", "card_twice"), ("AC " * 1000, "cards_too_long")]
)
def test_lists_of_cards_are_refused_with_the_place(text: str, code: str) -> None:
    with pytest.raises(InvalidCards) as refused:
        parse_cards(text)
    assert refused.value.code == code
    assert code == "cards_too_long" or refused.value.data["position"] == 3


@pytest.mark.parametrize("text", ["", "t", "t28", "t-1", "t01", "T1", "D", "draw", "t1 ", "t１", "u1", "18"])
def test_r2_5_texts_that_are_no_move_are_refused(text: str) -> None:
    with pytest.raises(InvalidMove) as refused:
        parse_move(text)
    assert refused.value.code == "move_text"


def test_a_refusal_repeats_only_the_beginning_of_what_was_sent_and_no_control_character() -> None:
    for wrong in ("x" * 1_000_000, "\x1b[2J\r\n" * 9, "é" * 100):
        with pytest.raises(InvalidMove) as refused:
            parse_move(wrong)
        assert len(refused.value.message) < 200
        assert refused.value.message.isprintable()
        assert refused.value.message.isascii()


def test_logs_are_refused_with_the_ply() -> None:
    with pytest.raises(InvalidMove) as refused:
        parse_log("d t20 x d y")
    assert refused.value.data == {"text": "x", "ply": 3}
    with pytest.raises(InvalidMove) as refused:
        parse_log("d " * 1_000_000)
    assert refused.value.code == "log_too_long"
    for number in (-1, 30):
        with pytest.raises(InvalidMove):
            move_text(number)
        with pytest.raises(InvalidMove):
            format_log([number])
    with pytest.raises(InvalidCards):
        card_text(53)


def test_things_that_are_no_text_are_refused_and_do_not_crash() -> None:
    for wrong in (None, 5, ["t1"], {"t1"}, b"t1"):
        with pytest.raises(InvalidMove):
            parse_move(wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidMove):
            parse_log(wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidCards):
            parse_cards(wrong)  # type: ignore[arg-type]


def test_invalid_and_illegal_are_two_families() -> None:
    assert issubclass(InvalidMove, InvalidInput)
    assert not issubclass(IllegalMove, InvalidInput)
    assert issubclass(IllegalMove, EngineError)


def test_refusals_survive_a_process_boundary() -> None:
    error = IllegalMove("covered", "This card is blocked.", slot=9)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.code, copy.message, copy.data) == (IllegalMove, error.code, error.message, error.data)
