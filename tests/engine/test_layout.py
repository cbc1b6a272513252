"""R1: the tableau, and case C05 (a covered card can be taken)."""

from __future__ import annotations

import random

import pytest

from games.engine.codes import GameCode
from games.engine.deals import deal_cards
from games.engine.errors import IllegalMove
from games.engine.layout import (
    ALL_REMOVED,
    BIT,
    COVERED_BY,
    COVERS,
    PEAK_OF,
    REACHABLE_SHAPES,
    ROWS,
    SLOTS,
    TIPS,
    is_open,
    open_slots,
)
from games.engine.position import start
from tests.engine.tables import DECKS, PLACES, E, G, Table, play_all


def test_r1_1_rows_have_3_6_9_and_10_slots() -> None:
    assert [len(row) for row in ROWS] == [3, 6, 9, 10]
    assert [slot for row in ROWS for slot in row] == list(range(SLOTS))


def test_r1_2_cover_table_is_the_picture() -> None:
    """The formulas of R1.2 against the places of the cards on the table."""
    for slot, (row, x) in enumerate(PLACES):
        over = tuple(other for other, place in enumerate(PLACES) if place in ((row + 1, x - 1), (row + 1, x + 1)))
        assert COVERED_BY[slot] == over
        assert all(slot in COVERS[other] for other in over)
    assert sum(map(len, COVERS)) == sum(map(len, COVERED_BY)) == 36


def test_r1_5_peaks_own_9_9_and_10_cards() -> None:
    assert [PEAK_OF.count(peak) for peak in range(3)] == [9, 9, 10]
    assert [PEAK_OF[tip] for tip in TIPS] == [0, 1, 2]
    assert [PEAK_OF[slot] for slot in ROWS[3]] == [0] * 3 + [1] * 3 + [2] * 4
    for slot in range(
        3, 18
    ):  # a slot above the bottom row has an owner that its cover shares, or lies between two peaks
        assert PEAK_OF[slot] in {PEAK_OF[over] for over in COVERED_BY[slot]}


def test_r1_6_shapes_and_steps_are_exactly_22932_and_119364() -> None:
    seen = {0}
    todo = [0]
    steps = 0
    while todo:
        removed = todo.pop()
        for slot in open_slots(removed):
            steps += 1
            after = removed | BIT[slot]
            if after not in seen:
                seen.add(after)
                todo.append(after)
    assert len(seen) == REACHABLE_SHAPES == 22_932
    assert steps == 119_364
    assert ALL_REMOVED in seen


def _below(slot: int) -> int:
    """Mask of everything that must be gone before ``slot`` is uncovered."""
    return _closure(slot) & ~BIT[slot]


def _closure(slot: int) -> int:
    mask = BIT[slot]
    for over in COVERED_BY[slot]:
        mask |= _closure(over)
    return mask


@pytest.mark.parametrize("slot", range(18))
def test_c05_slot_opens_with_its_second_cover_and_not_before(slot: int) -> None:
    left, right = COVERED_BY[slot]
    for first, second in ((left, right), (right, left)):
        covered = _below(slot) & ~BIT[first] & ~BIT[second]
        assert not is_open(covered, slot)
        after_first = covered | BIT[first]
        assert not is_open(after_first, slot)
        after_second = after_first | BIT[second]
        assert is_open(after_second, slot)
        changed = set(open_slots(after_second)) ^ set(open_slots(after_first))
        others = {under for under in COVERS[second] if under != slot and is_open(after_second, under)}
        assert changed == {slot, second} | others


@pytest.mark.parametrize(
    ("covers", "slot"), [((26, 27), 17), ((25, 26), 16), ((16, 17), 8), ((15, 16), 7), ((7, 8), 2)]
)
def test_c05_third_peak_edge(covers: tuple[int, int], slot: int) -> None:
    assert COVERED_BY[slot] == covers


def test_c05_a_covered_card_is_refused_and_names_no_face() -> None:
    position = start(E, DECKS["Z"]).play(18)
    with pytest.raises(IllegalMove) as refused:
        position.check(9)
    assert refused.value.code == "covered"
    assert refused.value.data == {"move": "t9", "slot": 9, "covered_by": [19]}


def test_c05_deck_z_without_its_bottom_row_opens_exactly_9_to_17() -> None:
    position = play_all(start(E, DECKS["Z"]), range(18, 28))
    assert open_slots(position.removed) == tuple(range(9, 18))


def test_c05_no_card_is_lost_in_1000_random_games() -> None:
    choose = random.Random(5)
    for number in range(1000):
        cards = deal_cards(GameCode("TP1", "G", number))
        position, table = start(G, cards), Table(G, cards)
        while legal := position.legal_moves():
            move = choose.choice([move for move in legal if move != 29] or list(legal))
            if move == 29:
                break
            position = position.play(move)
            table.play(move)
            assert len(set(table.all_cards())) == len(table.all_cards()) == 52
            assert position.cards_left == len(table.tableau)
            assert position.waste_count == len(table.waste)
            assert position.stock_left == len(table.stock)
            assert position.cards_left + position.waste_count + position.stock_left == 52
