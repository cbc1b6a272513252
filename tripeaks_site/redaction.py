"""What must not leave the process in a log line or a report, cut out of text: secrets, codes, cards, values of rows."""

from __future__ import annotations

import re
from typing import Final

GONE: Final = "[…]"

_RANKS: Final = r"(?:[A2-9TJQK][CDHS]|XX)"
# What stands before a code that is none of its letters: also the end of "%2F" in an address, or of "\n" in a repr.
_BEFORE_CODE: Final = r"(?:(?<![^\W_])|(?<=%[0-9A-F]{2})|(?<=\\[nrt]))"
_DASH: Final = r"[-‐-―−﹘﹣]"  # R7.6
_SECRETS: Final = re.compile(
    "|".join(
        (
            r"(?<=://)(?:[^\s/@:]*:\S{0,300}|[^\s/@]+)(?=@)",  # user and password of a URL; a password may have any sign
            rf"{_BEFORE_CODE}TP[12X]{_DASH}[^\s\"'<>)]*",  # a game code: it is the deal
            # The same as R7.6 reads it, and as addresses and logs escape it: without dashes, or with others.
            rf"{_BEFORE_CODE}TP[12X](?:{_DASH}|\w|%[0-9A-F]{{2}}|\\u[0-9a-f]{{4}}|\\x[0-9a-f]{{2}}){{8,}}",
            rf"{_BEFORE_CODE}TP[12X](?:\s|{_DASH})+[A-Z](?:\s|{_DASH})+[0-9A-Z]{{7,}}",
            rf"\b{_RANKS}(?:[ ,;|'\"\[\]()]+{_RANKS}\b)+",  # cards by name, two or more
            r"[\[(]\s*\d{1,2}(?:\s*,\s*\d{1,2}){7,}\s*,?\s*[\])]",  # cards by number, or a log
            r"\bb(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")",  # bytes: hashes, packed cards
            r"\\x[0-9a-f]{16,}",  # the same as PostgreSQL writes them
            r"\b(?:t\d{1,2}|d|u)(?: (?:t\d{1,2}|d|u)\b){5,}",  # a move log
            r"\b(?:bearer|basic)\s+\S+",
            # A value named so: all that its quotes hold (which may be escaped themselves), else one word.
            r"(?:token|password|secret|cookie|authorization|csrftoken|sessionid)\w{0,30}(?:\\*[\"'])?\s*[:=]\s*"
            r"(?:(?P<quote>\\*[\"'])(?:(?!(?P=quote))(?:\\.|.))*(?:(?P=quote))?|[^\s\"',;]+)",
            r"(?<![\w/.-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}(?![\w/.-])",  # what looks random: tokens, keys, hashes
        )
    ),
    re.IGNORECASE,
)
# What PostgreSQL adds to an error names values of rows and whole statements. In a repr its lines are not lines.
_ROWS: Final = re.compile(
    r"Failing row contains \((?:[^)]|\)(?!\.))*.*"  # a value may have lines of its own, and an end like the row's
    r"|(?:^[ \t]*|\\[nrt][ \t]*)(?:CONTEXT|HINT|STATEMENT|QUERY|LINE \d+|WHERE):.*$"
    r"|\bDETAIL:(?!\s*Failing row contains \().*$"
    r"|(?<=Key )\(.*",
    re.MULTILINE,
)
# Forms of letters and signs that R7.6 reads as the plain ones, or does not see.
_PLAIN: Final[dict[int, str | None]] = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u061c\u200e\u200f")),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)]),
}


def redact(text: str) -> str:
    """The text without what looks like a secret, a game code, cards, a move log or a row's values."""
    return _SECRETS.sub(GONE, _ROWS.sub(GONE, text if text.isascii() else text.translate(_PLAIN)))
