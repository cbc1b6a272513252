"""The id of the request at hand: in the answer's X-Request-ID, in every line logged for it, and in reported faults."""

from __future__ import annotations

import random
import re
from contextvars import ContextVar
from typing import Final

WELL_FORMED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}", re.ASCII)

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""Empty outside of requests."""


def request_id_of(given: str | None) -> str:
    """The id that the client or a proxy has given, where it is 8 to 64 plain characters; else a new one."""
    if given is not None and WELL_FORMED.fullmatch(given):
        return given
    return f"{random.getrandbits(128):032x}"  # nobody has to be unable to guess it; uuid4 asks the system, 7 us
