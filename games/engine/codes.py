"""Game codes (R7): the name of a deal and its ruleset, how people's spelling of it is read, the commitment to it."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from games.engine.cards import Card
from games.engine.errors import InvalidCards, InvalidCode, InvalidNumber, shown
from games.engine.position import check_deck
from games.engine.rulesets import OLD_NAMES, RULESETS, Ruleset, find_ruleset

Kind = Literal["TP1", "TP2", "TPX"]

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TP1_SPAN: Final = 26**7
"""Numbers of TP1 codes are 0 .. TP1_SPAN - 1 (R7.1)."""
NUMBERED_GAMES: Final = 50_000
"""Numbered games are 1 .. NUMBERED_GAMES (R7.7)."""
SEED_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class _Form:
    """How the payload of one kind of code is written."""

    alphabet: str
    length: int
    span: int
    look_alikes: bool


_FORMS: Final[dict[str, _Form]] = {
    "TP1": _Form(LETTERS, 7, TP1_SPAN, False),
    "TP2": _Form(CROCKFORD, 26, 1 << (8 * SEED_BYTES), True),
    "TPX": _Form(CROCKFORD, 46, math.factorial(52), True),
}


@dataclass(frozen=True, slots=True, repr=False)
class GameCode:
    """A deal and the ruleset it is played by. ``number`` is the payload's value: TP1 deal number, TP2 seed, TPX rank.

    Raises `InvalidCode` when the parts do not make a code. ``ruleset`` holds canonical letters (``N`` becomes ``E``).
    """

    kind: Kind
    ruleset: str
    number: int

    def __post_init__(self) -> None:
        form = _FORMS.get(self.kind)
        if form is None:
            raise _unknown_kind(self.kind)
        ruleset = find_ruleset(self.ruleset)
        if ruleset.letters != self.ruleset:
            object.__setattr__(self, "ruleset", ruleset.letters)
        if self.kind == "TPX" and ruleset.has_joker:
            raise InvalidCode(
                "no_joker_order", "A TPX code orders 52 cards, so it cannot have the joker.", ruleset=ruleset.letters
            )
        if not 0 <= self.number < form.span:
            raise InvalidCode("code_value", f"There is no {self.kind} deal with so high a number.", kind=self.kind)

    def __repr__(self) -> str:
        # A sealed deal's code is its secret (R10.1), and reprs end up in logs.
        if self.kind == "TP2":
            return f"<GameCode TP2-{self.ruleset}, sealed>"
        return f"GameCode(kind={self.kind!r}, ruleset={self.ruleset!r}, number={self.number})"

    @property
    def text(self) -> str:
        """The canonical text, the only form stored, shown and hashed."""
        form = _FORMS[self.kind]
        base = len(form.alphabet)
        rest = self.number
        payload: list[str] = []
        for _ in range(form.length):
            rest, digit = divmod(rest, base)
            payload.append(form.alphabet[digit])
        return f"{self.kind}-{self.ruleset}-{''.join(reversed(payload))}"

    @property
    def sealed(self) -> bool:
        """TP2: nobody can compute the cards without the code (R7.8)."""
        return self.kind == "TP2"

    @property
    def seed(self) -> bytes:
        """The 16 seed bytes of a TP2 code (R7.8); ValueError for others."""
        if self.kind != "TP2":
            raise ValueError("only a TP2 code has a seed")
        return self.number.to_bytes(SEED_BYTES, "big")

    @property
    def game_number(self) -> int | None:
        """1..50,000 for the code of a numbered game (R7.7), else None."""
        numbered = self.kind == "TP1" and self.ruleset == NUMBERED_RULESET and 1 <= self.number <= NUMBERED_GAMES
        return self.number if numbered else None


NUMBERED_RULESET: Final = "G"

# --- reading what people type (R7.6) -----------------------------------------------------------------------------

_LONGEST_TEXT: Final = 256  # characters; the longest code has 53
_SPACES: Final = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_ZERO_WIDTH: Final = "\u200b\u200c\u200d\u2060\ufeff"
_BIDI_MARKS: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"

_FOLD: Final[dict[int, str | None]] = {
    **{ord(character): None for character in _SPACES + _ZERO_WIDTH + _BIDI_MARKS},
    **{ord(character): "-" for character in _DASHES},
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
}
_LOOK_ALIKES: Final = str.maketrans("ILO", "110")
_GAME_NUMBER: Final = re.compile("[1-9][0-9]{0,4}")


def _unknown_kind(kind: object) -> InvalidCode:
    return InvalidCode(
        "code_kind",
        "A game code starts with TP1, TP2 or TPX.",
        kind=shown(kind),
        kinds=list(_FORMS),
    )


def _fold(text: str) -> str:
    """Upper-case ASCII without spaces; raises `InvalidCode` for every character that is not forgiven."""
    if not isinstance(text, str):
        raise InvalidCode("code_character", "A game code is text.")
    if len(text) > _LONGEST_TEXT:
        raise InvalidCode("code_too_long", "This is too long for a game code.", longest=_LONGEST_TEXT)
    folded = text.translate(_FOLD)
    if not (folded.isascii() and folded.isprintable()):
        place, character = next(
            (place, character)
            for place, character in enumerate(text, start=1)
            if ord(character) not in _FOLD and not " " <= character <= "~"
        )
        raise InvalidCode(
            "code_character",
            f"Character {place} (U+{ord(character):04X}) cannot stand in a game code: use plain letters and digits.",
            position=place,
            character=f"U+{ord(character):04X}",
        )
    return folded.upper()


def _split(folded: str) -> tuple[str, str, str]:
    """Kind, ruleset and payload: at the two dashes, or by length when there is no dash at all."""
    fields = folded.split("-")
    if len(fields) == 3:
        return fields[0], fields[1], fields[2]
    if len(fields) != 1:
        raise InvalidCode(
            "code_dashes", "A game code has two dashes, as in TP1-E-AAAAAAB (or none at all).", dashes=len(fields) - 1
        )
    kind, rest = folded[:3], folded[3:]
    form = _FORMS.get(kind)
    if form is None:
        raise _unknown_kind(kind)
    letters = len(rest) - form.length
    if letters not in (1, 2):
        raise _wrong_length(kind, form, max(letters, 0), len(rest))
    return kind, rest[:letters], rest[letters:]


def _wrong_length(kind: str, form: _Form, letters: int, length: int) -> InvalidCode:
    return InvalidCode(
        "code_length",
        f"After {kind} and the ruleset a game code has {form.length} characters.",
        kind=kind,
        expected=form.length,
        length=length - letters,
    )


def parse_code(text: str) -> GameCode:
    """Read a code as R7.6 forgives it; ``parse_code(text).text`` is canonical. Raises `InvalidCode`."""
    kind, letters, payload = _split(_fold(text))
    form = _FORMS.get(kind)
    if form is None:
        raise _unknown_kind(kind)
    ruleset = find_ruleset(letters)
    if len(payload) != form.length:
        raise _wrong_length(kind, form, 0, len(payload))
    if form.look_alikes:
        payload = payload.translate(_LOOK_ALIKES)
    number = 0
    base = len(form.alphabet)
    for place, character in enumerate(payload, start=1):
        digit = form.alphabet.find(character)
        if digit < 0:
            allowed = "letters A to Z only" if kind == "TP1" else "digits and letters except U only"
            raise InvalidCode(
                "code_letters",
                f"{character} cannot stand in the last part of a {kind} code: it takes {allowed}.",
                kind=kind,
                position=place,
                character=character,
            )
        number = number * base + digit
    return GameCode(kind, ruleset.letters, number)  # type: ignore[arg-type]  # a key of _FORMS is a Kind


def parse_number(text: str) -> int:
    """The number of a numbered game (R7.7): 1..50,000 in plain ASCII digits; raises `InvalidNumber`."""
    if isinstance(text, str) and len(text) <= _LONGEST_TEXT:
        trimmed = text.strip(_SPACES)
        if _GAME_NUMBER.fullmatch(trimmed) and int(trimmed) <= NUMBERED_GAMES:
            return int(trimmed)
    raise InvalidNumber(
        "game_number", f"Numbered games are 1 to {NUMBERED_GAMES}, in plain digits.", lowest=1, highest=NUMBERED_GAMES
    )


def numbered_code(number: int) -> GameCode:
    """The code of a numbered game (R7.7); raises `InvalidNumber` outside 1..50,000."""
    return GameCode("TP1", NUMBERED_RULESET, parse_number(str(number)))


def _letters(ruleset: Ruleset | str) -> str:
    return ruleset.letters if isinstance(ruleset, Ruleset) else find_ruleset(ruleset).letters


def sealed_code(ruleset: Ruleset | str, seed: bytes) -> GameCode:
    """The TP2 code of 16 secret random bytes (R7.8); ValueError for another length."""
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a sealed deal's seed has {SEED_BYTES} bytes")
    return GameCode("TP2", _letters(ruleset), int.from_bytes(seed, "big"))


def composed_code(ruleset: Ruleset | str, cards: Sequence[Card]) -> GameCode:
    """The TPX code of an order of 52 cards (R7.9); raises `InvalidCards`, or `InvalidCode` for the joker's ruleset."""
    letters = _letters(ruleset)
    code = GameCode("TPX", letters, 0)  # refuses the joker's ruleset before its deck is looked at
    later = sorted(check_deck(RULESETS[letters], cards))
    rank = 0
    for card in cards:
        place = later.index(card)
        rank = rank * len(later) + place
        del later[place]
    return GameCode(code.kind, letters, rank)


def composed_cards(rank: int) -> tuple[Card, ...]:
    """The order of the 52 cards with this rank among all 52! (R7.9); raises `InvalidCards` outside of them."""
    if not 0 <= rank < math.factorial(52):
        raise InvalidCards("wrong_deck", "There is no order of 52 cards with this rank.")
    places: list[int] = []
    for size in range(1, 53):
        rank, place = divmod(rank, size)
        places.append(place)
    left = list(range(52))
    return tuple(left.pop(place) for place in reversed(places))


def commitment(code_text: str) -> str:
    """SHA-256 (64 hex digits) of a code's canonical ASCII text, published before a sealed deal opens (R7.8)."""
    return hashlib.sha256(parse_code(code_text).text.encode("ascii")).hexdigest()


assert all(old not in RULESETS and new in RULESETS for old, new in OLD_NAMES.items())
