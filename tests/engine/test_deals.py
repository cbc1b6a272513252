"""R7.1-R7.3, R7.8, and cases C01 (same number, other cards), C02 (biased shuffle), C03 (hidden cards computed)."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from games.engine.cards import Card, cards_text
from games.engine.codes import TP1_SPAN, GameCode, parse_code, sealed_code
from games.engine.deals import DEAL_VERSION, DECK_ORDER, deal_cards, sealed_words, shuffle, splitmix64
from games.engine.moves import DRAW, UNDO
from games.engine.position import start
from tests.engine.tables import GOLDEN_DIRECTORY, R, play_all

ORDERS = json.loads((GOLDEN_DIRECTORY / "deal_orders.json").read_text())


def test_c01_stored_orders_belong_to_this_deal_version() -> None:
    """A changed order without a new version fails here; a new version needs a new golden file."""
    assert ORDERS["deal_version"] == DEAL_VERSION
    assert len(ORDERS["orders"]) == 20
    for text, order in ORDERS["orders"].items():
        cards = deal_cards(parse_code(text))
        assert cards_text(cards) == order
        assert len(set(cards)) == len(cards)


def test_c01_restarts_after_play_deal_the_same_cards() -> None:
    for text in ORDERS["orders"]:
        code = parse_code(text)
        cards = deal_cards(code)
        if len(cards) == 52:
            play_all(start(R, cards), [DRAW, DRAW, UNDO, DRAW, DRAW])
        assert deal_cards(code) == deal_cards(parse_code(text)) == cards


def test_c01_processes_with_other_hash_seeds_deal_the_same_cards() -> None:
    program = (
        "import sys, json; from games.engine.codes import parse_code; from games.engine.deals import deal_cards;"
        "from games.engine.cards import cards_text;"
        "print(json.dumps({text: cards_text(deal_cards(parse_code(text))) for text in sys.argv[1:]}), hash('x'))"
    )
    answers = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program, *ORDERS["orders"]],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(done.stdout.rsplit(" ", 1))
    assert json.loads(answers[0][0]) == json.loads(answers[1][0]) == ORDERS["orders"]
    assert answers[0][1] != answers[1][1]  # control: the hash seeds did differ


def _measure(orders: Iterable[tuple[Card, ...]]) -> tuple[float, float, float]:
    """C02's three figures: chi-square of card by position, mean cards in place, share with the last card still last."""
    counts = [[0] * 52 for _ in range(52)]
    home = {card: place for place, card in enumerate(DECK_ORDER)}
    total = 0
    for order in orders:
        total += 1
        for place, card in enumerate(order):
            counts[home[card]][place] += 1
    expected = total / 52
    chi_square = sum((seen - expected) ** 2 / expected for row in counts for seen in row)
    return chi_square, sum(counts[place][place] for place in range(52)) / total, counts[51][51] / total


def _is_fair(figures: tuple[float, float, float]) -> bool:
    chi_square, in_place, last = figures
    return 2200 < chi_square < 3100 and 0.95 <= in_place <= 1.05 and 0.014 <= last <= 0.025


def test_c02_shuffle_of_20000_consecutive_codes_is_fair() -> None:
    assert _is_fair(_measure(deal_cards(GameCode("TP1", "E", number)) for number in range(20_000)))


def _biased(swap_with: Callable[[random.Random, int], int]) -> Iterator[tuple[Card, ...]]:
    choose = random.Random(2)
    for _ in range(20_000):
        order = list(DECK_ORDER)
        for top in range(51, 0, -1):
            place = swap_with(choose, top)
            order[top], order[place] = order[place], order[top]
        yield tuple(order)


def test_c02_the_measure_finds_biased_shuffles() -> None:
    """Controls: swap with any index (16,197 in the case), and the own place left out (23,023)."""
    any_index = _measure(_biased(lambda choose, top: int(choose.random() * 52)))
    own_place_left_out = _measure(_biased(lambda choose, top: int(choose.random() * top)))
    assert any_index[0] > 10_000
    assert own_place_left_out[0] > 10_000
    assert own_place_left_out[2] == 0
    assert not _is_fair(any_index)
    assert not _is_fair(own_place_left_out)


def _deals_that_match(seen: tuple[Card, ...], numbers: Iterable[int]) -> list[int]:
    """TP1 numbers whose eleven visible cards (bottom row and waste) are these."""
    return [number for number in numbers if deal_cards(GameCode("TP1", "E", number))[18:29] == seen]


def test_c03_no_sampled_number_reproduces_a_sealed_deal() -> None:
    choose = random.Random(3)
    started = 1_796_000_000_000  # a start in milliseconds, as an attacker would know it
    sealed = deal_cards(sealed_code("E", choose.randbytes(16)))
    numbers = [
        *range(10_000),
        *(choose.randrange(TP1_SPAN) for _ in range(20_000)),
        *((started + offset) % TP1_SPAN for offset in range(-5_000, 5_000)),
    ]
    assert _deals_that_match(sealed[18:29], numbers) == []
    guessable = deal_cards(GameCode("TP1", "E", numbers[25_000]))  # control: a TP1 deal is found the same way
    assert _deals_that_match(guessable[18:29], numbers[20_000:30_000]) == [numbers[25_000]]


def test_r7_8_every_bit_of_the_seed_changes_the_cards() -> None:
    seed = bytes(range(16))
    deals = {deal_cards(sealed_code("E", seed))}
    for bit in range(128):
        other = (int.from_bytes(seed, "big") ^ 1 << bit).to_bytes(16, "big")
        deals.add(deal_cards(sealed_code("E", other)))
    assert len(deals) == 129


def test_r7_2_words_are_splitmix64() -> None:
    """The generator's own published first outputs for state 1234567."""
    assert list(islice(splitmix64(1234567), 3)) == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_r7_8_words_are_one_continuous_stream() -> None:
    import hashlib

    seed = bytes(16)
    stream = hashlib.shake_256(b"TP2" + seed).digest(8 * 300)
    assert b"".join(word.to_bytes(8, "big") for word in islice(sealed_words(seed), 300)) == stream


def test_r7_2_a_word_that_would_favour_low_places_is_drawn_again() -> None:
    """floor(2^64/3)*3 = 2^64 - 1, so the largest word is refused at the step with three places."""
    most = (1 << 64) - 1
    assert shuffle((0, 1, 2), iter([most, 0, 1])) == shuffle((0, 1, 2), iter([0, 1]))
    assert shuffle((0, 1), iter([most])) == (0, 1)  # 2 divides 2^64: nothing is refused, most % 2 = 1 stays in place
