"""Properties of play on any deal, ruleset and log (Hypothesis), held to a slow reference table that shares no code."""

from __future__ import annotations

from dataclasses import replace as with_fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine.cards import CARD_TEXTS, Card
from games.engine.codes import GameCode
from games.engine.deals import deal_cards
from games.engine.errors import IllegalMove, InvalidMove
from games.engine.moves import DRAW, UNDO
from games.engine.position import Position, start
from games.engine.replay import replay, replay_steps
from games.engine.rulesets import RULESETS, Ruleset
from games.engine.scoring import SCORING, tally
from games.engine.visibility import view
from tests.engine.tables import ALL_MOVES, DECKS, E, Table, choice_lists, deals, logs, pick, walk

Deal = tuple[Ruleset, tuple[Card, ...]]
eager = settings(max_examples=150, deadline=None)


def refusal(position: Position, move: int) -> str | None:
    try:
        position.check(move)
    except IllegalMove as error:
        return error.code
    return None


@eager
@given(deals(), choice_lists, st.booleans())
def test_legal_moves_are_exactly_those_that_check_lets_pass(deal: Deal, choices: list[int], undo: bool) -> None:
    """R2.4; also R3.1 and R3.2: over means that nothing but an undo is left."""
    for position in walk(*deal, choices, undo_allowed=undo):
        legal = position.legal_moves()
        assert list(legal) == [move for move in ALL_MOVES if refusal(position, move) is None]
        assert (position.outcome is not None) == (not set(legal) - {UNDO})


@eager
@given(deals(), choice_lists)
def test_52_distinct_cards_after_every_step(deal: Deal, choices: list[int]) -> None:
    ruleset, cards = deal
    for position in walk(*deal, choices):
        tableau = [cards[slot] for slot in range(28) if not position.removed >> slot & 1]
        waste = [] if ruleset.waste_starts_empty else [cards[28]]
        drawn = iter(cards[ruleset.stock_start :])
        waste += [next(drawn) if move == DRAW else cards[move] for move in position.line]
        everything = tableau + waste + list(drawn)
        assert len(everything) == len(set(everything)) == ruleset.deck_size
        assert position.waste_top == (waste[-1] if waste else None)
        assert (position.cards_left, position.waste_count) == (len(tableau), len(waste))


@eager
@given(deals(), choice_lists)
def test_undo_is_an_exact_inverse(deal: Deal, choices: list[int]) -> None:
    """R5.1, R5.2: every field but the counters is back, and the counter of moves is not lowered."""
    for position in walk(*deal, choices):
        for move in position.legal_moves():
            if move == UNDO:
                continue
            after = position.play(move)
            if after.outcome == "won":
                with pytest.raises(IllegalMove):
                    after.play(UNDO)
                continue
            back = after.play(UNDO)
            assert (back.moves, back.undos) == (position.moves + 1, position.undos + 1)
            assert with_fields(back, moves=position.moves, undos=position.undos) == position
            assert view(back) == view(position)


@eager
@given(deals(), choice_lists)
def test_replay_of_the_log_is_the_live_state(deal: Deal, choices: list[int]) -> None:
    log: list[int] = []
    live = start(*deal)
    for choice in choices:
        legal = live.legal_moves()
        if not legal:
            break
        log.append(pick(legal, choice))
        live = live.play(log[-1])
        played = replay(*deal, log)
        assert played.position == live
        assert (played.error, played.error_ply, played.valid) == (None, None, tuple(log))
    assert list(replay_steps(*deal, log))[-1] == live


@eager
@given(deals(), logs, st.booleans())
def test_replay_of_any_log_gives_its_valid_part_and_the_first_refusal(deal: Deal, log: list[int], undo: bool) -> None:
    live = start(*deal, undo_allowed=undo)
    refused: IllegalMove | None = None
    done = 0
    for move in log:
        try:
            live = live.play(move)
        except IllegalMove as error:
            refused = error
            break
        done += 1
    played = replay(*deal, log, undo_allowed=undo)
    assert played.position == live
    assert played.valid == tuple(log[:done])
    if refused is None:
        assert (played.error, played.error_ply) == (None, None)
    else:
        assert played.error is not None
        assert (played.error.code, played.error.data, played.error_ply) == (refused.code, refused.data, done + 1)


@eager
@given(deals(), choice_lists, st.booleans())
def test_replay_refuses_each_next_move_exactly_as_check_does(deal: Deal, choices: list[int], undo: bool) -> None:
    log: list[int] = []
    live = start(*deal, undo_allowed=undo)
    for choice in [*choices, None]:
        if choice is None or choice % 16 == 0:
            for move in ALL_MOVES:
                played = replay(*deal, [*log, move], undo_allowed=undo)
                assert (played.error.code if played.error else None) == refusal(live, move)
        if choice is None or not live.legal_moves():
            break
        log.append(pick(live.legal_moves(), choice))
        live = live.play(log[-1])


@eager
@given(deals(), choice_lists, st.booleans())
def test_the_engine_agrees_with_the_reference_table(deal: Deal, choices: list[int], undo: bool) -> None:
    """Refusals with their order, score, run, what is open, and the whole deck: R2-R6 in two independent spellings."""
    table = Table(*deal)
    position = start(*deal, undo_allowed=undo)
    for choice in choices:
        for move in ALL_MOVES:
            assert refusal(position, move) == table.refusal(move, undo_allowed=undo)
        legal = position.legal_moves()
        if not legal:
            break
        move = pick(legal, choice)
        table.play(move)
        position = position.play(move)
        assert (position.score, position.run, position.moves) == (table.score(), table.run(), table.moves)
        seen = view(position)
        assert seen.open == tuple(slot for slot in sorted(table.tableau) if table.is_open(slot))
        assert (seen.waste, seen.stock, seen.waste_count) == (
            table.waste[-1] if table.waste else None,
            len(table.stock),
            len(table.waste),
        )
        assert len(set(table.all_cards())) == deal[0].deck_size
        assert (position.outcome == "won") == (not table.tableau)


@eager
@given(deals(), choice_lists)
def test_the_score_is_a_function_of_the_standing_line(deal: Deal, choices: list[int]) -> None:
    """R5.4."""
    for position in walk(*deal, choices):
        assert (position.score, position.run) == tally(SCORING[deal[0].scoring], position.line)
        straight = replay(*deal, position.line).position
        assert (straight.score, straight.run, straight.peaks) == (position.score, position.run, position.peaks)


def test_the_reference_table_can_disagree() -> None:
    """Control: with a wrong neighbour rule the comparison above would fail."""
    deal = walk_deal()
    wrong = Table(*deal)
    wrong.fits = lambda slot: True  # type: ignore[method-assign]
    position = start(*deal)
    assert any(
        (wrong.refusal(move, undo_allowed=True) is None) != (move in position.legal_moves()) for move in ALL_MOVES
    )


def walk_deal() -> Deal:
    return E, DECKS["Z"]


def test_replay_refuses_numbers_that_are_no_moves_with_their_ply() -> None:
    for wrong in (-1, 30):
        with pytest.raises(InvalidMove) as refused:
            replay(*walk_deal(), [18, wrong, 99])
        assert refused.value.data == {"ply": 2}


def test_replay_reports_the_2001st_ply_as_log_full() -> None:
    """R5.4."""
    played = replay(*walk_deal(), [DRAW, UNDO] * 1000 + [18])
    assert played.error is not None
    assert (played.error.code, played.error_ply, len(played.valid)) == ("log_full", 2001, 2000)
    assert replay(*walk_deal(), [DRAW, UNDO] * 1000).error is None


def test_a_position_shows_no_card_when_printed() -> None:
    """R10.1: positions end up in logs and tracebacks."""
    played = replay(*walk_deal(), [18])
    for text in (repr(played), repr(played.position), str(played.position)):
        assert not any(card in text for card in CARD_TEXTS)


@pytest.mark.parametrize("move", [UNDO, DRAW, 18, 2])
def test_replay_takes_nothing_after_a_win(move: int) -> None:
    """R3.1, R3.3: no undo after it, and no draw from what is left of the stock."""
    clearing = [*range(18, 28), *range(9, 18), *range(3, 9), 0, 1, 2]
    played = replay(*walk_deal(), [*clearing, move])
    assert played.error is not None
    assert (played.error.code, played.error_ply, played.position.outcome) == ("game_over", 29, "won")


@pytest.mark.parametrize("letters", ["E", "G", "W", "J"])
def test_replay_after_undoing_everything_is_replay_from_the_opening(letters: str) -> None:
    """R5.1 with R6.1: an emptied waste is empty again, so any uncovered card fits and W refuses a draw."""
    ruleset = RULESETS[letters]
    cards = deal_cards(GameCode("TP1", letters, 1))
    first = start(ruleset, cards).legal_moves()[0]
    for move in ALL_MOVES:
        fresh = replay(ruleset, cards, [move])
        again = replay(ruleset, cards, [first, UNDO, move])
        assert again.position.line == fresh.position.line
        assert (again.error.code if again.error else None) == (fresh.error.code if fresh.error else None)
