"""What a board is named by: a game code (`TP1-E-AAAAAAB`) or a daily (`daily-2026-11-29`). Pure: no rows are read."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from games.engine.codes import parse_code
from games.engine.errors import EngineError
from games.errors import BadInput

KINDS = ("people", "bots")
VIEWS = ("best", "first")
_DAILY = re.compile(r"\s*daily-([0-9]{4})-([0-9]{2})-([0-9]{2})\s*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scope:
    """A board's name in canonical form. `date` for a daily, `ruleset` (letters) for a game code; the other is None."""

    text: str
    date: dt.date | None
    ruleset: str | None

    @property
    def timed(self) -> bool:
        """Competitions add the elapsed time as the last ranking key (R8.4)."""
        return self.date is not None


@dataclass(frozen=True, slots=True)
class BoardName:
    """One ranked list: scope, kind (`people`, `bots`) and view (`best`, `first`), all canonical."""

    scope: Scope
    kind: str
    view: str


def daily_scope(date: dt.date) -> Scope:
    """The scope of a date's daily."""
    return Scope(f"daily-{date.isoformat()}", date, None)


def parse_date(year: str, month: str, day: str) -> dt.date:
    """Three ASCII digit strings as a date; BadInput `bad_date` for 30 February, year 0 and the like (case C24)."""
    try:
        return dt.date(int(year), int(month), int(day))
    except ValueError:
        raise BadInput("bad_date", "There is no such date.") from None


def parse_scope(text: str) -> Scope:
    """Read a board's name; codes forgive what R7.6 forgives. Raises BadInput: `bad_date`, or the engine's codes."""
    daily = _DAILY.fullmatch(text) if len(text) <= 64 else None
    if daily is not None:
        return daily_scope(parse_date(*daily.groups()))
    try:
        code = parse_code(text)
    except EngineError as problem:
        raise BadInput(problem.code, problem.message, **problem.data) from problem
    return Scope(code.text, None, code.ruleset)


def parse_board(scope: str, kind: str = "people", view: str = "best") -> BoardName:
    """Read all three parts of a board's name. Raises BadInput (`bad_kind`, `bad_view`, and those of `parse_scope`).

    A daily allows one attempt (R9.2): its first attempts are its best ones, so both views name the same list.
    """
    if kind not in KINDS:
        raise BadInput("bad_kind", "A board is of people or of bots.", known=list(KINDS))
    if view not in VIEWS:
        raise BadInput("bad_view", "A board shows the best or the first attempts.", known=list(VIEWS))
    parsed = parse_scope(scope)
    return BoardName(parsed, kind, "best" if parsed.date is not None else view)
