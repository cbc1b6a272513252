"""R7.1, R7.6-R7.9 and case C04: codes and numbers as people type them."""

from __future__ import annotations

import hashlib
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.codes import (
    CROCKFORD,
    TP1_SPAN,
    GameCode,
    commitment,
    composed_cards,
    composed_code,
    numbered_code,
    parse_code,
    parse_number,
    sealed_code,
)
from games.engine.deals import deal_cards
from games.engine.errors import InvalidCards, InvalidCode, InvalidNumber
from games.engine.rulesets import RULESETS
from tests.engine.tables import DECKS, E

TP1 = "TP1-E-AAAAAAB"
TP2 = "TP2-RC-00041061050R3GG28A1C60T3GF"
TPX = "TPX-E-02T4JF8VJYGPZRXCES8N7SJFH7W2E5RK53KPWHGJZX9TDC"


def full_width(text: str) -> str:
    return "".join(chr(ord(character) + 0xFEE0) for character in text)


def spellings(text: str) -> list[str]:
    """What R7.6 forgives."""
    dashless = text.replace("-", "")
    return [
        text,
        text.lower(),
        dashless,
        dashless.lower(),
        f"  {text} ",
        f"{text}\n",
        f"{text}\r\n",
        f"\t{text}",
        " ".join(text),
        text.replace("-", " - "),
        text.replace("-", " "),
        full_width(text),
        full_width(text.lower()),
        full_width(dashless),
        *(text.replace("-", dash) for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d\ufe63\ufe58"),
        text[:5] + "\u200b" + text[5:],
        *(f"{mark}{text}{mark}" for mark in "\u200c\u200d\u2060\ufeff\u200e\u200f\u061c\u202a\u202c\u202e\u2066\u2069"),
        text.replace("-", "\u00a0-\u3000"),
        text.replace("-", "–", 1),
    ]


@pytest.mark.parametrize("text", [TP1, TP2, TPX, "TP1-RC-RCRCRCR", "TP1-G-AAAAAAA", "TP2-O-" + "O" * 26])
def test_c04_every_forgiven_spelling_is_the_same_code(text: str) -> None:
    canonical = parse_code(text)
    for spelling in spellings(text):
        assert parse_code(spelling) == canonical, ascii(spelling)
    assert parse_code(canonical.text).text == canonical.text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "code_kind"),
        ("-", "code_dashes"),
        ("--", "code_kind"),
        ("TP1", "code_length"),
        ("TP1-E", "code_dashes"),
        ("TP1-E-", "code_length"),
        ("TP1-E-AAAAAA", "code_length"),
        ("TP1-E-AAAAAABB", "code_length"),
        ("TP1EAAAAAA", "code_length"),
        ("TP1RCAAAAAAAA", "code_length"),
        ("TP1-EA-AAAAAB", "unknown_ruleset"),
        ("TP1E-AAAAAAB", "code_dashes"),
        ("TP1-EAAAAAAB", "code_dashes"),
        ("TP1--EAAAAAAB", "unknown_ruleset"),
        ("TP1-E-AAA-AAAB", "code_dashes"),
        ("TP1-E-AAAAAAB-", "code_dashes"),
        ("TP1E-AAAA-AAB", "code_kind"),
        ("T-P1E-AAAAAAB", "code_kind"),
        ("TP1_E_AAAAAAB", "code_length"),
        ("TP1-E-AAAA_AB", "code_letters"),
        ("TPI-E-AAAAAAB", "code_kind"),
        ("TPIEAAAAAAB", "code_kind"),
        ("TPl-E-AAAAAAB", "code_kind"),
        ("TP3-E-AAAAAAB", "code_kind"),
        ("TP1-X-AAAAAAB", "unknown_ruleset"),
        ("TP1-RCC-AAAAAAB", "unknown_ruleset"),
        ("TP1-0-AAAAAAB", "unknown_ruleset"),
        ("TP1-E-AAAAAA0", "code_letters"),
        ("TP1-E-AAAAAA1", "code_letters"),
        ("TP1-E-AAAAAA8", "code_letters"),
        ("TP1-E-AAAAA.B", "code_letters"),
        ("TP2-E-" + "U" + "0" * 25, "code_letters"),
        ("TP2-E-" + "8" + "0" * 25, "code_value"),
        ("TP2-E-" + "Z" * 26, "code_value"),
        ("TP2-E-" + "0" * 25, "code_length"),
        ("TPX-E-" + "Z" * 46, "code_value"),
        ("TPX-J-" + "0" * 46, "no_joker_order"),
        ("TPX-E-" + "0" * 45, "code_length"),
        ("TP1-E-АAAAAAB", "code_character"),  # Cyrillic
        ("ТP1-E-AAAAAAB", "code_character"),
        ("TP1-E-AAAAAAı", "code_character"),
        ("TP1-E-AAAAAAſ", "code_character"),
        ("TP1-E-AAAAAA\u212a", "code_character"),  # the Kelvin sign
        ("TP1-E-AAAAAA\U0001d400", "code_character"),  # mathematical bold A
        ("TP1-E-AAAAAA\u24b6", "code_character"),  # circled A
        ("TP\u0661-E-AAAAAAB", "code_character"),  # Arabic one
        ("TP\u00b9-E-AAAAAAB", "code_character"),  # superscript one
        ("TP1-E-AAAAAA\u0301B", "code_character"),
        ("TP1-E-AAAAAA\x00", "code_character"),
        ("TP1-E-AAAAAA\x1b", "code_character"),
        ("TP1-E-AAAAAA\x7f", "code_character"),
        ("TP1-E-AAAAAA\uff5f", "code_character"),  # the first full-width form that is not folded
        ("TP1-E-AAAAAA\ud800", "code_character"),
        ("TP1\u30fcE\u30fcAAAAAAB", "code_character"),  # katakana length mark
        pytest.param(" " * 10_000_000 + TP1, "code_too_long", id="ten million spaces"),
    ],
)
def test_r7_6_refusals_have_a_stable_code(text: str, code: str) -> None:
    with pytest.raises(InvalidCode) as refused:
        parse_code(text)
    assert refused.value.code == code
    assert refused.value.message.isascii()
    assert len(refused.value.message) < 200
    assert str(refused.value.data).isascii()


def test_r7_6_the_refused_character_is_named_with_its_place() -> None:
    with pytest.raises(InvalidCode) as refused:
        parse_code("\u200bTP1-E-AAAAAAБ")
    assert refused.value.data == {"position": 14, "character": "U+0411"}


def test_r7_6_crockford_reads_look_alikes_in_the_payload_only() -> None:
    assert parse_code("TP2-E-0" + "ILOilo0" * 3 + "1111") == parse_code("TP2-E-0" + "1101100" * 3 + "1111")
    assert parse_code("TPX-O-" + "O" * 45 + "l").text == "TPX-O-" + "0" * 45 + "1"
    assert parse_code("TP1-E-ILOILOI").text == "TP1-E-ILOILOI"


def test_c04_generated_payloads_have_no_look_alikes_and_read_back() -> None:
    choose = random.Random(4)
    for _ in range(10_000):
        sealed = GameCode("TP2", "E", choose.getrandbits(128))
        composed = GameCode("TPX", "E", choose.randrange(math.factorial(52)))
        for code in (sealed, composed):
            payload = code.text[6:]
            assert not set("ILOU") & set(payload)
            assert parse_code(code.text) == code
            typed = payload.replace("1", choose.choice("IiLl")).replace("0", choose.choice("Oo"))
            assert parse_code(code.text[:6] + typed) == code


def test_r6_n_is_read_as_e_and_written_as_e() -> None:
    assert parse_code("TP1-N-AAAAAAB").text == TP1
    assert parse_code("tp1naaaaaab").ruleset == "E"
    assert GameCode("TP1", "N", 1) == GameCode("TP1", "E", 1)


codes = st.one_of(
    st.builds(GameCode, st.just("TP1"), st.sampled_from(list(RULESETS)), st.integers(0, TP1_SPAN - 1)),
    st.builds(GameCode, st.just("TP2"), st.sampled_from(list(RULESETS)), st.integers(0, (1 << 128) - 1)),
    st.builds(
        GameCode, st.just("TPX"), st.sampled_from(sorted(set(RULESETS) - {"J"})), st.integers(0, math.factorial(52) - 1)
    ),
)


@given(codes)
def test_codes_read_back_with_and_without_dashes(code: GameCode) -> None:
    assert parse_code(code.text) == code
    assert parse_code(code.text.replace("-", "").lower()) == code
    assert len(deal_cards(code)) == RULESETS[code.ruleset].deck_size


@given(st.text(max_size=80))
def test_any_text_is_a_code_or_a_coded_refusal(text: str) -> None:
    try:
        code = parse_code(text)
    except InvalidCode as refused:
        said = refused.code, refused.message
    else:
        said = "read", parse_code(code.text).text
    assert all(part and part.isascii() for part in said)


@given(st.permutations(range(52)))
def test_r7_9_composed_codes_are_any_order_both_ways(cards: list[int]) -> None:
    code = composed_code("R", cards)
    assert deal_cards(code) == tuple(cards)
    later = [sum(other < card for other in cards[place + 1 :]) for place, card in enumerate(cards)]
    assert code.number == sum(count * math.factorial(51 - place) for place, count in enumerate(later))


def test_r7_9_first_last_and_out_of_range() -> None:
    assert composed_cards(0) == tuple(range(52))
    assert composed_cards(math.factorial(52) - 1) == tuple(reversed(range(52)))
    for rank in (-1, math.factorial(52)):
        with pytest.raises(InvalidCards):
            composed_cards(rank)
    with pytest.raises(InvalidCards):
        composed_code(E, DECKS["Z"][:51])
    with pytest.raises(InvalidCode):
        composed_code("J", DECKS["Z"])


def test_r7_1_first_and_last_numbers() -> None:
    assert GameCode("TP1", "E", 0).text == "TP1-E-AAAAAAA"
    assert GameCode("TP1", "E", 8_031_810_175).text == "TP1-E-ZZZZZZZ"
    for number in (-1, 8_031_810_176):
        with pytest.raises(InvalidCode):
            GameCode("TP1", "E", number)


@pytest.mark.parametrize("text", ["1", "7", " 17 ", "17\n", "50000", "49999"])
def test_r7_7_numbers_that_are_read(text: str) -> None:
    assert numbered_code(parse_number(text)).game_number == int(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "0",
            "007",
            "50001",
            "50,001",
            "50.000",
            "5 0",
            "+1",
            "-1",
            "1e3",
            "1_000",
            "0x10",
            "１７",
            "١٧",
            "१७",
            "²",
        ),
        *("1.0", "99999", "100000", "1\x00", "\u200b1"),
        pytest.param("9" * 1_000_000, id="a million nines"),
    ],
)
def test_r7_7_numbers_that_are_refused(text: str) -> None:
    with pytest.raises(InvalidNumber) as refused:
        parse_number(text)
    assert refused.value.code == "game_number"


def test_r7_7_numbered_games_are_codes_of_g() -> None:
    assert numbered_code(1).text == "TP1-G-AAAAAAB"
    assert numbered_code(50_000).text == "TP1-G-AAACVZC"
    assert parse_code("TP1-E-AAAAAAB").game_number is None
    for number in (0, -1, 50_001):
        with pytest.raises(InvalidNumber):
            numbered_code(number)


def test_r7_8_sealed_codes_need_16_bytes_and_commit_to_the_canonical_text() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        sealed_code(E, bytes(15))
    code = sealed_code(E, b"\xff" * 16)
    assert code.text == "TP2-E-7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
    assert commitment(code.text.lower()) == hashlib.sha256(code.text.encode()).hexdigest()
    assert set(CROCKFORD) == set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") - set("ILOU")
