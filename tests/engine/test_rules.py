"""R2, R3, R5, R6 example by example: refusals and their order, the end, undo, and each ruleset's own rules."""

from __future__ import annotations

import pytest

from games.engine.cards import JOKER, cards_text, parse_cards
from games.engine.codes import GameCode, parse_code
from games.engine.deals import deal_cards
from games.engine.errors import IllegalMove, InvalidCards, InvalidMove, UnknownRuleset
from games.engine.moves import DRAW, MAX_PLIES, UNDO, format_log
from games.engine.position import Position, start
from games.engine.rulesets import RULESETS, find_ruleset
from games.engine.visibility import view
from tests.engine.tables import DECKS, C, E, G, J, O, T, W, play_all

OPENING = deal_cards(parse_code("TP1-E-AAAAAAB"))


def refusal(position: Position, move: int) -> str:
    with pytest.raises(IllegalMove) as refused:
        position.play(move)
    assert refused.value.message[0].isupper()
    assert "error" not in refused.value.message.lower()
    assert "invalid" not in refused.value.message.lower()
    return refused.value.code


def test_r7_4_published_opening_in_easy_and_classic() -> None:
    easy, classic = start(E, OPENING), start(C, OPENING)
    seen = view(easy)
    assert seen.waste == "AC"
    assert " ".join(str(seen.tableau[slot]) for slot in range(18, 28)) == "3S 5S KC 4S 2D AS KD 8H 7C 9S"
    assert format_log(easy.legal_moves()) == "t20 t22 t24 d"
    assert format_log(classic.legal_moves()) == "t22 d"
    assert view(play_all(easy, [20, 23, 22])).tableau[13] == "7S"
    assert refusal(easy, 18) == "not_adjacent"
    with pytest.raises(IllegalMove, match="Must be one higher or lower") as refused:
        easy.check(18)
    assert refused.value.data == {"move": "t18", "slot": 18, "card": "3S", "waste": "AC"}


def test_r2_2_a_draw_is_allowed_while_a_card_fits_and_the_stock_is_used_once() -> None:
    position = start(E, OPENING)
    assert position.legal_moves()[0] == 20
    position = play_all(position, [DRAW] * 23)
    assert position.stock_left == 0
    assert position.waste_top == OPENING[51]
    assert position.legal_moves()
    assert refusal(position, DRAW) == "stock_empty"


def test_r2_3_king_and_ace_meet_in_easy_only() -> None:
    cards = DECKS["V"]
    after = [DRAW] * 23
    assert format_log(play_all(start(E, cards, undo_allowed=False), after).legal_moves()) == "t18 t19 t20 t21"
    assert play_all(start(C, cards), after).outcome == "stuck"


def test_r2_4_order_of_refusals_on_one_slot() -> None:
    position = start(E, DECKS["Z"])
    assert refusal(position, 9) == "covered"
    assert refusal(position, 27) == "not_adjacent"
    assert refusal(position.play(18), 18) == "empty_slot"
    assert refusal(position, UNDO) == "nothing_to_undo"
    assert refusal(start(E, DECKS["Z"], undo_allowed=False), UNDO) == "undo_not_allowed"


def test_r2_4_stuck_refuses_everything_but_undo_as_game_over() -> None:
    stuck = play_all(start(C, DECKS["V"]), [DRAW] * 23)
    for move in range(29):
        assert refusal(stuck, move) == "game_over"
    assert stuck.legal_moves() == (UNDO,)
    assert stuck.play(UNDO).outcome is None
    forbidden = play_all(start(C, DECKS["V"], undo_allowed=False), [DRAW] * 23)
    assert refusal(forbidden, UNDO) == "undo_not_allowed"
    assert forbidden.legal_moves() == ()


def test_r3_1_a_won_attempt_is_final_whatever_is_left_in_the_stock() -> None:
    won = play_all(start(E, DECKS["Z"]), [*range(18, 28), *range(9, 18), *range(3, 9), 0, 1, 2])
    assert (won.outcome, won.stock_left, won.peaks, won.cards_left) == ("won", 23, 3, 0)
    for move in range(30):
        assert refusal(won, move) == "game_over"
    assert won.legal_moves() == ()


def test_r2_4_a_move_that_is_none_is_invalid_and_not_illegal() -> None:
    for move in (-1, 30, 1000):
        with pytest.raises(InvalidMove):
            start(E, OPENING).play(move)


def test_c09_deck_p_is_never_called_stuck_before_its_last_stock_card() -> None:
    position = start(E, DECKS["P"], undo_allowed=False)
    for drawn in range(1, 23):
        position = position.play(DRAW)
        assert position.legal_moves() == (DRAW,)
        assert position.outcome is None
        assert position.stock_left == 23 - drawn
    position = position.play(DRAW)
    assert view(position).waste == "5C"
    assert position.legal_moves() == (22, 23, 24, 25)
    assert position.outcome is None


def test_c09_deck_v_is_stuck_with_king_and_ace_apart_only() -> None:
    after = [DRAW] * 23
    joined = play_all(start(E, DECKS["V"], undo_allowed=False), after)
    assert (view(joined).waste, joined.outcome, joined.legal_moves()) == ("KC", None, (18, 19, 20, 21))
    assert play_all(start(C, DECKS["V"], undo_allowed=False), after).outcome == "stuck"


def test_c07_undone_draws_come_back_in_the_same_order() -> None:
    opening = start(RULESETS["R"], DECKS["Z"])
    position = opening
    for _ in range(2):
        for stock, (top, score) in zip((22, 21, 20), (("7H", -5), ("9H", -10), ("JH", -15)), strict=True):
            position = position.play(DRAW)
            assert (view(position).waste, position.score, position.stock_left) == (top, score, stock)
        for stock, score in ((21, -10), (22, -5), (23, 0)):
            position = position.play(UNDO)
            assert (position.stock_left, position.score) == (stock, score)
        assert view(position) == view(opening)
        assert (position.line, position.run, position.peaks) == (opening.line, opening.run, opening.peaks)
    assert (position.moves, position.undos, position.ply) == (6, 6, 12)


def test_r5_1_undo_turns_down_what_the_move_had_turned_up() -> None:
    before = start(E, OPENING).play(22).play(DRAW)
    opened = play_all(start(E, OPENING), [20, 23, 22])
    assert view(opened).tableau[13] == "7S"
    assert view(opened.play(UNDO)).tableau[13] == "??"
    assert view(before.play(UNDO)) == view(start(E, OPENING).play(22))


def test_r5_1_every_action_of_the_longest_line_can_be_undone() -> None:
    position = play_all(start(G, DECKS["Z"]), [18, *range(19, 28), *range(9, 18), *range(3, 9), *[DRAW] * 24])
    assert len(position.line) == 49
    for _ in range(49):
        position = position.play(UNDO)
    assert (position.line, position.removed, position.drawn, position.waste_top) == ((), 0, 0, None)
    assert refusal(position, UNDO) == "nothing_to_undo"


def test_r5_4_a_log_of_2000_plies_is_full_and_game_over_comes_first() -> None:
    full = play_all(start(E, OPENING), [DRAW, UNDO] * (MAX_PLIES // 2))
    assert full.ply == MAX_PLIES == 2000
    assert full.moves == 1000
    for move in range(30):
        assert refusal(full, move) == "log_full"
    assert full.legal_moves() == ()
    assert full.outcome is None
    last = play_all(start(E, OPENING), [DRAW, UNDO] * 999 + [DRAW])
    assert last.play(UNDO).ply == 2000

    number = next(
        number
        for number in range(1000)
        if play_all(start(G, deal_cards(GameCode("TP1", "G", number))), [DRAW] * 24).outcome == "stuck"
    )
    cards = deal_cards(GameCode("TP1", "G", number))
    stuck = play_all(start(G, cards), [DRAW, UNDO] * 988 + [DRAW] * 24)
    assert (stuck.ply, stuck.outcome) == (2000, "stuck")
    assert refusal(stuck, DRAW) == "game_over"
    assert refusal(stuck, UNDO) == "log_full"


def test_r6_the_registry_is_the_table() -> None:
    rows = {
        letters: (
            row.name,
            "joined" if row.joined else "apart",
            "nothing" if row.waste_starts_empty else "one card",
            "only when no card fits" if row.draw_only_when_stuck else "any time",
            "all face up" if row.faces_up else "hidden",
            row.deck_size,
            row.scoring,
            row.ranking,
        )
        for letters, row in RULESETS.items()
    }
    usual = ("one card", "any time", "hidden", 52)
    assert rows == {
        "E": ("Easy", "joined", *usual, "points500", "result"),
        "C": ("Classic", "apart", *usual, "points500", "result"),
        "R": ("Runs", "joined", *usual, "runs", "score"),
        "RC": ("Runs, king and ace apart", "apart", *usual, "runs", "score"),
        "T": ("Traditional", "apart", "one card", "only when no card fits", "hidden", 52, "runs", "score"),
        "G": ("Numbered games", "joined", "nothing", "any time", "hidden", 52, "cards_left", "cards_left"),
        "O": ("Open peaks", "joined", "one card", "any time", "all face up", 52, "points500", "result"),
        "W": ("Empty waste", "joined", "nothing", "any time", "hidden", 52, "points500", "result"),
        "J": ("Joker", "joined", "one card", "any time", "hidden", 53, "points500", "result"),
    }
    assert find_ruleset("N") is RULESETS["E"]
    for letters in ("", "e", "X", "RCC", "TP1"):
        with pytest.raises(UnknownRuleset):
            find_ruleset(letters)


def test_r6_1_empty_waste_takes_any_uncovered_card() -> None:
    for ruleset in (G, W):
        position = start(ruleset, OPENING)
        assert (position.waste_top, position.waste_count, position.stock_left) == (None, 0, 24)
        assert position.legal_moves()[:10] == tuple(range(18, 28))
        assert view(position.play(DRAW) if ruleset is G else position.play(18)).waste == (
            "AC" if ruleset is G else "3S"
        )
    assert refusal(start(W, OPENING), DRAW) == "draw_not_allowed"
    assert DRAW not in start(W, OPENING).legal_moves()
    assert start(W, OPENING).play(18).play(DRAW).stock_left == 23
    again = start(W, OPENING).play(18).play(UNDO)
    assert refusal(again, DRAW) == "draw_not_allowed"


def test_r6_2_the_joker_fits_everywhere() -> None:
    deck = "XX " + cards_text(DECKS["Z"])
    cards = parse_cards(deck)
    tableau_joker = (*cards[1:28], JOKER, *cards[28:])
    position = start(J, tableau_joker)
    assert position.stock_left == 24
    assert 27 in position.legal_moves()
    after = position.play(27)
    assert after.waste_top == JOKER
    assert after.legal_moves()[:9] == tuple(range(18, 27))


def test_r6_t_draws_only_when_no_card_fits() -> None:
    position = start(T, DECKS["Z"])
    assert refusal(position, DRAW) == "draw_not_allowed"
    assert DRAW not in position.legal_moves()
    lonely = start(T, DECKS["P"])
    assert lonely.legal_moves() == (DRAW,)
    assert lonely.play(DRAW).stock_left == 22


def test_r6_o_shows_the_tableau_but_not_the_stock() -> None:
    seen = view(start(O, OPENING))
    assert " ".join(map(str, seen.tableau)) == cards_text(OPENING[:28])
    assert refusal(start(O, OPENING), 0) == "covered"


def test_a_deck_that_is_not_the_rulesets_is_refused() -> None:
    for ruleset, cards in (
        (E, OPENING[:51]),
        (E, (*OPENING[:51], OPENING[0])),
        (E, (*OPENING, JOKER)),
        (J, OPENING),
        (E, (*OPENING[:51], 99)),
    ):
        with pytest.raises(InvalidCards) as refused:
            start(ruleset, cards)
        assert refused.value.code == "wrong_deck"
