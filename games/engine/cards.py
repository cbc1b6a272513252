"""Cards as small integers and their text (``TD`` is the ten of diamonds, ``XX`` the joker)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from games.engine.errors import InvalidCards, shown

Card = int
"""0..51: ``rank = card % 13`` (0 = ace ... 12 = king), ``suit = card // 13`` (an index into SUITS); 52 the joker."""

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
JOKER: Final = 52
NO_CARD: Final = 53
"""Stands for the top of an empty waste in look-up tables; never a card of a deck."""

CARD_TEXTS: Final[tuple[str, ...]] = (*(rank + suit for suit in SUITS for rank in RANKS), "XX")
_CARD_OF: Final[dict[str, Card]] = {text: card for card, text in enumerate(CARD_TEXTS)}
_LONGEST_TEXT: Final = 1000  # characters; 53 cards take 158


def card_text(card: Card) -> str:
    """``card_text(22)`` is ``"TD"``."""
    if not 0 <= card <= JOKER:
        raise InvalidCards("card_text", "This is not a card.", card=card)
    return CARD_TEXTS[card]


def parse_card(text: str) -> Card:
    """The inverse of `card_text`; raises `InvalidCards`."""
    try:
        return _CARD_OF[text]
    except (KeyError, TypeError):
        raise InvalidCards("card_text", f"{shown(text)} is not a card.", text=shown(text)) from None


def cards_text(cards: Iterable[Card]) -> str:
    """Cards separated by single spaces: ``"3S 5S KC"``."""
    return " ".join([card_text(card) for card in cards])


def parse_cards(text: str) -> tuple[Card, ...]:
    """Cards separated by spaces, each at most once; `InvalidCards` carries the ``position`` (from 1) of a bad one."""
    if not isinstance(text, str) or len(text) > _LONGEST_TEXT:
        raise InvalidCards("cards_too_long", "This is too long for a list of cards.")
    cards: list[Card] = []
    for position, word in enumerate(text.split(), start=1):
        card = _CARD_OF.get(word)
        if card is None:
            raise InvalidCards(
                "card_text", f"{shown(word)} at place {position} is not a card.", text=shown(word), position=position
            )
        if card in cards:
            raise InvalidCards("card_twice", f"{word} at place {position} is a repeat.", text=word, position=position)
        cards.append(card)
    return tuple(cards)


def _fit_table(joined: bool) -> tuple[tuple[bool, ...], ...]:
    def fits(top: int, card: Card) -> bool:
        if top in (NO_CARD, JOKER) or card == JOKER:  # R6.1, R6.2
            return True
        step = abs(top % 13 - card % 13)
        return step == 1 or (joined and step == 12)  # R2.1, R2.3

    return tuple(tuple(fits(top, card) for card in range(JOKER + 1)) for top in range(NO_CARD + 1))


FITS: Final[tuple[tuple[tuple[bool, ...], ...], ...]] = (_fit_table(False), _fit_table(True))
"""``FITS[joined][waste top or NO_CARD][card]``: may the card be removed onto that waste (R2.1, R2.3, R6.1, R6.2)?"""
