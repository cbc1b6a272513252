"""What must not leave the process in a log line or a report, cut out of text: secrets, codes, cards, values of rows."""

from __future__ import annotations

import re
from typing import Final

GONE: Final = "[…]"

_RANKS: Final = r"(?:[A2-9TJQK][CDHS]|XX)"
_SECRETS: Final = re.compile(
    "|".join(
        (
            r"(?<=://)[^\s/@:]*:[^\s/@]*(?=@)",  # user and password of a URL
            r"\bTP[12X][-‐-―][^\s\"'<>)]*",  # a game code: it is the deal
            rf"\b{_RANKS}(?:[ ,;|'\"\[\]()]+{_RANKS}\b)+",  # cards by name, two or more
            r"[\[(]\s*\d{1,2}(?:\s*,\s*\d{1,2}){7,}\s*,?\s*[\])]",  # cards by number, or a log
            r"\bb(?:'(?:\\.|[^'])*'|\"(?:\\.|[^\"])*\")",  # bytes: hashes, packed cards
            r"\\x[0-9a-f]{16,}",  # the same as PostgreSQL writes them
            r"\b(?:t\d{1,2}|d|u)(?: (?:t\d{1,2}|d|u)\b){5,}",  # a move log
            r"\b(?:bearer|basic)\s+\S+",
            r"\b(?:token|password|secret|cookie|authorization|csrftoken|sessionid)\w*[\"']?\s*[:=]\s*[\"']?[^\s\"',;]+",
            r"(?<![\w/.-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}(?![\w/.-])",  # what looks random: tokens, keys, hashes
        )
    ),
    re.IGNORECASE,
)
# What PostgreSQL adds to an error names values of rows and whole statements.
_ROWS: Final = re.compile(r"^\s*(?:DETAIL|CONTEXT|HINT|STATEMENT|QUERY|LINE \d+|WHERE):.*$|(?<=Key )\(.*", re.MULTILINE)


def redact(text: str) -> str:
    """The text without what looks like a secret, a game code, cards, a move log or a row's values."""
    return _SECRETS.sub(GONE, _ROWS.sub(GONE, text))
