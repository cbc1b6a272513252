"""No secret, code, card or value of a row gets into a line, whatever somebody logs or raises."""

from __future__ import annotations

import base64
import json
import logging
import time
import unicodedata
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import psycopg.errors
import pytest

from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.ids import hash_secret
from games.request_ids import request_id
from tripeaks_site.logs import JsonLines, Lines
from tripeaks_site.redaction import redact

CODE = "TP2-E-0123456789ABCDEFGHJKMNPQRS"
PAYLOAD = CODE[6:]
SPELLINGS: list[Callable[[str], str]] = [  # R7.6, and as they come in addresses
    lambda code: f"/play/{code}",
    lambda code: f"/play/{code.replace('-', '')}",
    lambda code: f"/play/{code.replace('-', '').lower()}?undo=1",
    lambda code: f"/play/{code.replace('-', '%2D')}",
    lambda code: f"/login?next=%2Fplay%2F{code}",
    lambda code: f"/login?next=%2Fplay%2F{code.replace('-', '')}",
    lambda code: repr(f"\n{code.replace('-', '')}"),
    lambda code: code.replace("-", "\u2212"),
    lambda code: code.replace("-", "\u2011").encode("unicode_escape").decode(),
    lambda code: code.replace("-", " "),
    lambda code: "".join(chr(ord(sign) + 0xFEE0) for sign in code),
    lambda code: "\u200b".join(code),
]
PHRASE = "correct horse battery staple"
TOKEN = "tp_" + base64.urlsafe_b64encode(sha256(b"a token").digest()).decode().rstrip("=")  # the same in all processes
CARDS = deal_cards(parse_code("TP1-E-AAAAAAB"))


@pytest.mark.parametrize(
    "secret",
    [
        TOKEN,
        f"Bearer {TOKEN}",
        "TP1-E-AAAAAAB",
        "TP2-E-0123456789ABCDEFGHJKMNPQRSTVWXYZ0123456789",
        "AC 3S 5S KC",
        "['AC', '3S', '5S']",
        str(list(CARDS)),
        str(tuple(CARDS)),
        repr(bytes(CARDS)),
        "t20 t23 t22 d d t19 u",
        repr(hash_secret(TOKEN)),
        hash_secret(TOKEN).hex(),
        "postgresql://tripeaks:hunter2hunter2@db:5432/tripeaks",
        "redis://:hunter2/hunter2@cache:6379",
        "redis://:hunter2@hunter2@cache:6379",
        "https://hunter2hunter2@faults.example.org/1",
        "password=hunter2hunter2",
        'token_hash="abc def"',
        *(spelt(CODE) for spelt in SPELLINGS),
        json.dumps({"password": PHRASE}),
        json.dumps({"new_password": f'"{PHRASE}" {PHRASE}'}),
        json.dumps(json.dumps({"password": PHRASE})),
        repr({"password": PHRASE, "n": 1}),
    ],
)
def test_it_is_cut_out_of_any_text(secret: str) -> None:
    cut = redact(f"Something about {secret} went wrong")
    assert cut.startswith("Something about ")
    assert cut.endswith(" went wrong")
    for part in secret.replace("postgresql://", "").split("@")[0].split():
        assert len(part) < 6 or part not in cut
    plain = unicodedata.normalize("NFKC", cut).upper()
    assert [part for part in (PAYLOAD, *PHRASE.upper().split(), "HUNTER2") if part in plain] == []


@pytest.mark.parametrize(
    "text",
    [
        "the log of attempt 12345 breaks at ply 7",
        "The database is away: OperationalError",
        'File "/work/main/games/services/attempts.py", line 188, in attempt_move',
        "Task 17 was left by a worker that is gone; it is queued again.",
        "django.db.utils.IntegrityError: duplicate key value violates unique constraint",
        "A game code starts with TP1, TP2 or TPX.",
        "http2_max_streams and HTTP11Connection of httpx_client_pool",
        "unix:///run/redis.sock and redis://cache:6379/0 do not answer",
    ],
)
def test_what_helps_stays(text: str) -> None:
    assert redact(text) == text


ROW = "(7, mallory,\npbkdf2_sha256$1000$salt$hash), 2026-11-30)"


REPEATED: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "repr": repr,
    "repr of a repr": lambda text: repr(repr(text)),
    "one line": lambda text: text.replace("\n", " "),
}


@pytest.mark.parametrize("told", REPEATED)
def test_values_of_rows_are_cut_out_of_whatever_repeats_an_error(told: str) -> None:
    one_line = ROW.replace("\n", "")  # PostgreSQL breaks no line there
    added = [
        f"DETAIL:  Failing row contains {ROW}.",
        f"DETAIL:  Failing row contains (7, see (rule 3). Ok, mallory, {one_line}.",
        f"DETAIL:  Key (name)={one_line} exists.",
    ]
    if told != "one line":  # only a line of its own is known as one
        added.append(f"CONTEXT:  COPY x, line 1: {one_line}")
    for line in added:
        cut = redact(REPEATED[told](f'null value in column "x" violates a constraint\n{line}'))
        assert "violates a constraint" in cut
        assert [value for value in ("mallory", "pbkdf2", "salt", "2026") if value in cut] == [], line


@pytest.mark.parametrize(
    "part",
    ["password", "token=", "\n", "\\", "://", "://a:", "TP2", "%2F", "(1,", "Key (", "'b'", "a-1", "\\a", "'\\a"],
)
@pytest.mark.parametrize("before", ["", "b'", 'b"', "token='", "DETAIL: "])
def test_a_long_text_is_cut_in_a_short_time(part: str, before: str) -> None:
    """Anybody may send such a text: as the name of a host, for instance."""
    started = time.process_time()
    redact(before + part * (30_000 // len(part)))
    assert time.process_time() - started < 1


def record(problem: Exception, message: str, *args: Any) -> logging.LogRecord:
    try:
        raise problem
    except Exception as raised:
        info = (type(raised), raised, raised.__traceback__)
    return logging.LogRecord("games", logging.ERROR, __file__, 1, message, args, info)


def test_an_exception_is_told_without_the_values_of_rows() -> None:
    row = psycopg.errors.UniqueViolation(
        'duplicate key value violates unique constraint "one"\nDETAIL:  Key (name, code)=(mallory, x) already exists.'
    )
    given = request_id.set("a-request-1")
    try:
        line = json.loads(JsonLines().format(record(row, "it broke for %s", TOKEN)))
        text = Lines().format(record(row, "it broke for %s", TOKEN))
    finally:
        request_id.reset(given)
    for told in (json.dumps(line), text):
        assert "mallory" not in told
        assert TOKEN not in told
        assert "UniqueViolation" in told
        assert "a-request-1" in told
    assert "\n" not in json.dumps(line)
