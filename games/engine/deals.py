"""From a game code to its ordered cards (R7.2, R7.8, R7.9): our own shuffle, pinned by golden vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from games.engine.cards import JOKER, Card, parse_cards
from games.engine.codes import GameCode, composed_cards
from games.engine.rulesets import find_ruleset

DEAL_VERSION: Final = 1
"""Raised if any code ever came to mean other cards; stored with each deal."""

DECK_ORDER: Final[tuple[Card, ...]] = parse_cards(
    "2C 3S 3C 4C 5C 6C 8C 9C TC JC QC AC 4S 5S 7S AD 3D 4D 5D 6D 7D 8D 7C 9D TD JD "
    "QD AH 2H 3H 4H 5H 6H 7H 9H AS TH JH 2D QH KH 2S 6S 8S KC TS 9S JS KD 8H QS KS"
)
"""What every shuffle starts from; chosen so that a published example holds (R7.4). The joker comes last."""

_WORD: Final = (1 << 64) - 1


def splitmix64(state: int) -> Iterator[int]:
    """The endless words of SplitMix64 from this state (R7.2)."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _WORD
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        yield z ^ (z >> 31)


def sealed_words(seed: bytes) -> Iterator[int]:
    """The endless 64-bit big-endian words of one SHAKE-256 stream over ``TP2`` and the seed (R7.8)."""
    stream = hashlib.shake_256(b"TP2" + seed)
    done, size = 0, 512  # bytes; 52 words are enough for nearly every deal
    while True:
        block = stream.digest(size)  # a longer digest of the same input begins with the shorter one
        for at in range(done, size, 8):
            yield int.from_bytes(block[at : at + 8], "big")
        done, size = size, size * 2


def shuffle(cards: tuple[Card, ...], words: Iterator[int]) -> tuple[Card, ...]:
    """Fisher-Yates from the top, without bias: a word that would favour the low places is drawn again (R7.2)."""
    order = list(cards)
    for top in range(len(order) - 1, 0, -1):
        size = top + 1
        limit = (1 << 64) // size * size
        word = next(words)
        while word >= limit:
            word = next(words)
        place = word % size
        order[top], order[place] = order[place], order[top]
    return tuple(order)


def deal_cards(code: GameCode) -> tuple[Card, ...]:
    """The ordered cards of a code: slots 0-27, then the first waste card if the ruleset has one, then the stock (R7.3).

    52 cards, 53 with the joker. Whoever calls this on a sealed code holds its secret: `games.engine.visibility` alone
    decides what of the result is shown.
    """
    if code.kind == "TPX":
        return composed_cards(code.number)
    deck = (*DECK_ORDER, JOKER) if find_ruleset(code.ruleset).has_joker else DECK_ORDER
    return shuffle(deck, sealed_words(code.seed) if code.kind == "TP2" else splitmix64(code.number))
