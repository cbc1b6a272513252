"""Names: normalised, without invisible characters, and nobody takes a name that looks like another's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.errors import BadInput
from games.names import name_clean, name_key


def refusal(name: str) -> str:
    with pytest.raises(BadInput) as caught:
        name_clean(name)
    return caught.value.code


@pytest.mark.parametrize(
    "name", ["alice", "Bob B. Smith", "O'Brien", "max_2-1", "Müller", "Łukasz", "Вера", "Анна", "Ωρίων", "田中太郎", "さくら",
             "김철수", "محمد", "नेहा", "Nguyễn", "12", "robotnik"]
)  # fmt: skip
def test_ordinary_names_of_many_scripts_are_taken_as_typed(name: str) -> None:
    assert name_clean(name) == name


@pytest.mark.parametrize(
    ("typed", "shown"), [("Ａｌｉｃｅ", "Alice"), ("ﬁne", "fine"), ("Mu\u0308ller", "Müller"), ("𝐁ob", "Bob")]
)
def test_compatible_forms_are_shown_in_their_plain_one(typed: str, shown: str) -> None:
    assert name_clean(typed) == shown


@pytest.mark.parametrize(
    "name",
    [
        "al\u200bice", "al\u00adice", "\u202eecila", "al\u2066ice", "alice\ufeff", "al\tice", "al\nice", "al\0ice", "al\x7fice",
        "\ud800alice", "al\u3164ice", "김\u3164철", "김\u1160철", "a\u034fb", "alice\U000e0041", "al\ufe0fice", "<b>alice</b>", "a&b", "alice\u2009b",
        "\u0301alice", "--", "ali\u0335ce\u0335\u0336\u0337", "ᴀlice", "ǀice", "😀smile", "al\u00a0\u00a0ice",
    ],
)  # fmt: skip
def test_invisible_control_and_odd_characters_are_refused(name: str) -> None:
    assert refusal(name) in {"name_characters", "name_spaces"}


@pytest.mark.parametrize("name", [" alice", "alice ", "al  ice"])
def test_spaces_stand_singly_and_inside(name: str) -> None:
    assert refusal(name) == "name_spaces"


@pytest.mark.parametrize("name", ["", "a", "x" * 25, "x" * 100_000])
def test_a_name_has_2_to_24_characters(name: str) -> None:
    assert refusal(name) == "name_length"
    assert name_clean("x" * 24) == "x" * 24


@pytest.mark.parametrize("name", ["аlice", "alicе", "Ωmega", "alicе1", "раypal"])
def test_one_name_does_not_mix_scripts(name: str) -> None:
    assert refusal(name) == "name_scripts"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alice", "ALICE"), ("alice", "a1ice"), ("alice", "aIice"), ("alice", "a.li-ce"), ("alice", "álice"), ("bob", "b0b"),
        ("bob", "bob_"), ("coco", "сосо"), ("Bepa", "Вера"), ("max", "rnax"), ("walter", "vvalter"), ("alice b", "aliceb"),
        ("Straße", "strasse"), ("AB", "АВ"), ("Poppy", "Рорру"),
    ],
)  # fmt: skip
def test_names_that_look_alike_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_different_names_have_different_keys() -> None:
    names = [
        "alice",
        "alicia",
        "bob",
        "rob",
        "mallory",
        "mod5",
        "Вера",
        "Вероника",
        "田中",
        "中田",
        "नेहा",
        "नीहा",
        "x2",
        "x3",
    ]
    assert len({name_key(name) for name in names}) == len(names)


@pytest.mark.parametrize("name", ["ΝΕΟ", "ΗΑΝΝΑ"])
def test_a_greek_name_that_shows_as_a_latin_one_is_refused(name: str) -> None:
    assert refusal(name) == "name_look_alike"


@pytest.mark.parametrize("name", ["admin", "Adm1n", "Moderator", "YOU", "guest", "sуstеm"])
def test_names_of_authority_are_kept_back(name: str) -> None:
    assert refusal(name) in {"name_reserved", "name_scripts"}
    assert name_clean("admin", reserved_too=True) == "admin"


@given(st.text(max_size=40))
def test_any_text_is_a_name_or_a_coded_refusal_and_its_key_can_be_stored(text: str) -> None:
    key = name_key(text)
    assert len(key) <= 96
    assert "\0" not in key
    key.encode()
    try:
        shown = name_clean(text)
    except BadInput:
        return
    assert name_clean(shown) == shown, "what is shown can be typed again"
    assert name_key(shown) == key != ""
    assert 2 <= len(shown) <= 24
    assert name_key(shown.upper()) == key or not shown.isascii()
