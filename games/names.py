"""Names that cannot be mistaken for one another.

A name is shown as typed (NFKC). What must be unique is its *key*: the skeleton left when case, accents, punctuation and
the difference between look-alikes (0 and O, I and l, Latin and Cyrillic a) are taken away.
"""

from __future__ import annotations

import unicodedata

from .errors import BadInput

SHORTEST = 2
LONGEST = 24
PUNCTUATION = "-_.'"
_LONGEST_INPUT = 100

# Letters that reduce to no ASCII letter by taking accents away: (what they count as). Other Latin letters are refused.
_LATIN = {
    "ß": "ss", "ẞ": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "p", "ħ": "h", "ŋ": "n", "ı": "i",
    "ł": "l", "ŧ": "t", "ə": "e", "ĸ": "k", "ơ": "o", "ư": "u",
}  # fmt: skip

# Casefolded letters and the Latin letter or digit they look like in either case. One key per letter.
_LOOKALIKES = {
    # Cyrillic
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "є": "e", "ғ": "f", "ԍ": "g", "һ": "h", "н": "h", "і": "i",
    "ї": "i", "ј": "j", "к": "k", "ӏ": "l", "м": "m", "п": "n", "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s",
    "т": "t", "у": "y", "ү": "y", "ѵ": "v", "ԝ": "w", "х": "x", "ҳ": "x", "з": "3", "ь": "b", "ъ": "b", "б": "6", "ө": "o",
    # Greek
    "α": "a", "β": "b", "ε": "e", "ζ": "z", "η": "n", "ι": "i", "κ": "k", "μ": "m", "ν": "v", "ο": "o", "π": "n",
    "ρ": "p", "σ": "o", "ς": "c", "τ": "t", "υ": "u", "χ": "x", "γ": "y", "ω": "w", "ϲ": "c", "ϳ": "j",
    # Armenian, Hebrew, Georgian letters that pass for Latin ones
    "օ": "o", "ս": "u", "հ": "h", "ո": "n", "ց": "g", "ք": "p", "ա": "w", "լ": "l", "ס": "o", "ו": "l", "ן": "l",
}  # fmt: skip

# Letters as they look in the case in which they are shown, where that is not what the table above says.
_SHOWN = {"Η": "h", "Ν": "n", "Υ": "y", "Γ": "r", "Ρ": "p", "Μ": "m", "Χ": "x", "ν": "v", "υ": "u", "η": "n", "γ": "y"}

_SCRIPTS = frozenset(
    """
    LATIN GREEK CYRILLIC ARMENIAN HEBREW ARABIC DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA
    MALAYALAM SINHALA THAI LAO TIBETAN MYANMAR GEORGIAN ETHIOPIC KHMER HANGUL HIRAGANA KATAKANA CJK BOPOMOFO
    """.split()
)
_EAST_ASIAN = (
    frozenset({"CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"CJK", "BOPOMOFO"}),
    frozenset({"CJK", "HANGUL"}),
)
_ACCENTS_DO_NOT_COUNT = frozenset({"LATIN", "GREEK", "CYRILLIC", "HEBREW", "ARABIC"})

RESERVED = """
    admin administrator anonymous anyone deleted everybody everyone guest mod moderator moderators nobody null official
    operator organizer root server staff support system tripeaks undefined unknown you
    """.split()


def _wrong_length() -> BadInput:
    message = f"A name has {SHORTEST} to {LONGEST} characters."
    return BadInput("name_length", message, shortest=SHORTEST, longest=LONGEST)


def name_clean(text: str, *, reserved_too: bool = False) -> str:
    """The name as it will be shown (NFKC).

    Raises BadInput: `name_length` (2–24 characters), `name_characters` (invisible, control, symbols), `name_spaces` (at
    an end or several together), `name_scripts` (letters of several scripts), `name_look_alike` (letters that read as
    another script's), `name_reserved` (unless `reserved_too`).
    """
    if len(text) > _LONGEST_INPUT:
        raise _wrong_length()
    name = unicodedata.normalize("NFKC", text)
    for char in (*text, *name):
        if not _allowed(char):
            message = "A name may have letters, digits, single spaces and - _ . ' only."
            raise BadInput("name_characters", message, character=f"U+{ord(char):04X}")
    if name != name.strip(" ") or "  " in name:
        raise BadInput("name_spaces", "No spaces at the ends of a name, and single ones within.")
    if not SHORTEST <= len(name) <= LONGEST:
        raise _wrong_length()
    if not name[0].isalnum() or _marks_piled(name):
        raise BadInput("name_characters", "A name begins with a letter or digit, and letters carry few marks.")
    scripts = _scripts(name)
    if len(scripts) > 1 and not any(scripts <= mix for mix in _EAST_ASIAN):
        raise BadInput("name_scripts", "The letters of a name are all of one script.")
    key = name_key(name)
    if not key:
        raise BadInput("name_characters", "A name needs letters or digits.")
    shown = _skeleton("".join(_SHOWN.get(char, char) for char in name))
    if shown.isascii() and shown != key:
        raise BadInput("name_look_alike", "This name can be mistaken for another one.")
    if not reserved_too and key in _RESERVED_KEYS:
        raise BadInput("name_reserved", "This name is kept back.")
    return name


def name_key(text: str) -> str:
    """What must be unique about a name, and what finds it: at most 96 characters; "" for what is no name at all."""
    text = text[:_LONGEST_INPUT].encode("utf-8", "ignore").decode().replace("\0", "")  # storable, whatever was typed
    return _skeleton(unicodedata.normalize("NFKC", text))[:96]


def _skeleton(name: str) -> str:
    without_accents = bool(_scripts(name) & _ACCENTS_DO_NOT_COUNT) or name.isascii()
    letters: list[str] = []
    for char in unicodedata.normalize("NFKD", name.casefold()) if without_accents else name.casefold():
        if char in PUNCTUATION or char == " " or (without_accents and unicodedata.category(char).startswith("M")):
            continue
        letters.append(_LATIN.get(char) or _LOOKALIKES.get(char) or char)
    skeleton = "".join(letters).translate(str.maketrans("i10", "llo"))
    return skeleton.replace("rn", "m").replace("vv", "w")


_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters and marks that show nothing although their category is that of visible ones."""


def _allowed(char: str) -> bool:
    if char == " " or char in PUNCTUATION or (char.isascii() and char.isalnum()):
        return True
    if char.isascii() or char in _INVISIBLE:
        return False
    category = unicodedata.category(char)
    if category == "Nd":
        return unicodedata.normalize("NFKC", char).isascii()  # full-width digits become ASCII; others are refused
    if category in {"Mn", "Mc"}:
        return unicodedata.name(char, "").split(" ")[0] in {"COMBINING", *_SCRIPTS}
    if category not in {"Lu", "Ll", "Lt", "Lo", "Lm"}:
        return False
    plain = unicodedata.normalize("NFKC", char)
    if plain != char:
        return all(_allowed(part) for part in plain)
    script = _script(char)
    if script == "LATIN":
        base = unicodedata.normalize("NFKD", char.casefold())[0]
        return base.isascii() or base in _LATIN
    return script in _SCRIPTS


def _script(char: str) -> str:
    """The first word of a letter's Unicode name, which for the scripts admitted is the script."""
    word = unicodedata.name(char, "?").replace("-", " ").split(" ")[0]
    return "CJK" if word == "IDEOGRAPHIC" else word


def _scripts(name: str) -> frozenset[str]:
    return frozenset(_script(char) for char in name if unicodedata.category(char).startswith("L"))


def _marks_piled(name: str) -> bool:
    """Three combining marks in a row: writing upwards over other lines."""
    run = 0
    for char in unicodedata.normalize("NFD", name):
        run = run + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if run > 2:
            return True
    return False


_RESERVED_KEYS = frozenset(name_key(name) for name in RESERVED)
