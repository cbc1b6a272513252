"""No secret, code, card or value of a row gets into a line, whatever somebody logs or raises."""

from __future__ import annotations

import base64
import json
import logging
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
        "password=hunter2hunter2",
        'token_hash="abc def"',
    ],
)
def test_it_is_cut_out_of_any_text(secret: str) -> None:
    cut = redact(f"Something about {secret} went wrong")
    assert cut.startswith("Something about ")
    assert cut.endswith(" went wrong")
    for part in secret.replace("postgresql://", "").split("@")[0].split():
        assert len(part) < 6 or part not in cut


@pytest.mark.parametrize(
    "text",
    [
        "the log of attempt 12345 breaks at ply 7",
        "The database is away: OperationalError",
        'File "/work/main/games/services/attempts.py", line 188, in attempt_move',
        "Task 17 was left by a worker that is gone; it is queued again.",
        "django.db.utils.IntegrityError: duplicate key value violates unique constraint",
    ],
)
def test_what_helps_stays(text: str) -> None:
    assert redact(text) == text


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
