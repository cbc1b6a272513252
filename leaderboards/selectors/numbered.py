"""Reading numbered games (R7.7): what the solver says of each, who holds its record, and how far that is from perfect.

The record of a game is the first entry of its board: fewest cards left, then fewest moves, then the earlier date (R8.3,
R8.4). Nothing about records is stored, so that one passes on when its holder is removed (R8.5).
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from games.engine.codes import NUMBERED_GAMES, numbered_code
from games.errors import BadInput, NotFound
from games.retry import repeat_once
from leaderboards.scopes import KINDS

from .boards import row_json
from .ranks import Row, ask

FILTERS: Final = ("all", "unplayed", "unbeaten", "imperfect")
_dice = random.SystemRandom()

# The code of a game in SQL: its letters are the number in base 26, and 50,000 takes four of them (R7.1, R7.7).
_SCOPE = "'TP1-G-AAA' || " + " || ".join(f"chr(65 + n.number / {26**place} %% 26)" for place in (3, 2, 1, 0))
_FOUND = f"""
SELECT n.number, g.winnable, g.fewest_left, g.fewest_moves, top.id AS entry
  FROM {{numbers}} AS n (number)
  LEFT JOIN leaderboards_numberedgame g ON g.number = n.number
  LEFT JOIN leaderboards_board b ON b.scope = {_SCOPE} AND b.kind = %(kind)s AND b.view = 'best'
  LEFT JOIN LATERAL (
       SELECT e.id, e.cards_left, e.moves FROM leaderboards_entry e WHERE e.board_id = b.id AND e.active
        ORDER BY e.key, e.finished_ms, e.attempt_id LIMIT 1) top ON true
 WHERE {{wanted}} ORDER BY n.number LIMIT %(count)s"""
_GAMES = f"""
WITH page AS MATERIALIZED ({_FOUND})
SELECT page.number, page.winnable, page.fewest_left, page.fewest_moves, e.key, e.finished_ms, e.attempt_id,
       a.public_id, a.number, p.public_id, p.name, e.outcome, e.score, e.moves, e.peaks, e.cards_left, e.elapsed_ms
  FROM page LEFT JOIN leaderboards_entry e ON e.id = page.entry
  LEFT JOIN games_attempt a ON a.id = e.attempt_id LEFT JOIN games_player p ON p.id = e.player_id
 ORDER BY page.number"""
_NUMBERS_ONLY = f"SELECT number FROM ({_FOUND}) found"
_RANGE = "generate_series(%(first)s::int, %(last)s::int)"
_LISTED = "unnest(%(numbers)s::int[])"
_WANTED: Final = {
    "all": "true",
    "unplayed": "top.id IS NULL",
    # What nobody can win is no challenge; what is not solved yet may be one.
    "unbeaten": "coalesce(top.cards_left, 1) > 0 AND coalesce(g.winnable, true)",
    "imperfect": "(top.cards_left, top.moves) > (g.fewest_left, g.fewest_moves)",
}
_WINDOWS: Final = (200, 2_000, NUMBERED_GAMES)
"""How many games are looked through for one page, one statement each, until the page is full."""


@dataclass(frozen=True, slots=True)
class NumberedFacts:
    """A numbered game with the solver's facts (None: not solved yet) and its record (None: nobody has a result)."""

    number: int
    winnable: bool | None
    fewest_left: int | None
    fewest_moves: int | None
    record: Row | None

    @property
    def from_perfect(self) -> dict[str, int | None] | None:
        """`{"cards", "moves"}` more than the best possible; moves count at equal cards only (R8.3). None: not known."""
        if self.record is None or self.fewest_left is None or self.fewest_moves is None:
            return None
        cards = self.record.cards_left - self.fewest_left
        return {"cards": cards, "moves": None if cards else self.record.moves - self.fewest_moves}

    @property
    def perfect(self) -> bool | None:
        away = self.from_perfect
        return None if away is None else away == {"cards": 0, "moves": 0}

    def as_json(self) -> dict[str, Any]:
        """As in a list."""
        return {
            "number": self.number,
            "winnable": self.winnable,
            "fewest_left": self.fewest_left,
            "fewest_moves": self.fewest_moves,
            "record": None if self.record is None else row_json(self.record),
            "perfect": self.perfect,
        }


def _games(values: dict[str, Any], *, numbers: str, wanted: str) -> list[NumberedFacts]:
    found = ask(_GAMES.format(numbers=numbers, wanted=_WANTED[wanted]), values)
    games = []
    for number, winnable, left, moves, *record in found:
        row = None if record[0] is None else replace(Row(*record), rank=1)  # the first of its board
        games.append(NumberedFacts(number, winnable, left, moves, row))
    return games


def _checked_kind(kind: str) -> str:
    if kind not in KINDS:
        raise BadInput("bad_kind", "A board is of people or of bots.", known=list(KINDS))
    return kind


@repeat_once
def numbered_list(*, wanted: str, kind: str, cursor: str | None, limit: int) -> dict[str, Any]:
    """One page of games by number: `{"games", "next"}`; `cursor` is the number of the last one seen.

    `wanted`: `all`; `unplayed` (nobody of this kind has a result), `unbeaten` (nobody has won it, and it is not known to
    be unwinnable), `imperfect` (there is a record, and a better result is possible). Three statements at most. Raises
    BadInput `bad_filter`, `bad_kind`, `bad_cursor`.
    """
    if wanted not in FILTERS:
        raise BadInput("bad_filter", f"The filter is one of {', '.join(FILTERS)}.", known=list(FILTERS))
    games: list[NumberedFacts] = []
    first = _after(cursor)
    for window in _WINDOWS:
        last = min(first + window - 1, NUMBERED_GAMES)
        values = {"first": first, "last": last, "kind": _checked_kind(kind), "count": limit + 1 - len(games)}
        games += _games(values, numbers=_RANGE, wanted=wanted)
        first = last + 1
        if len(games) > limit or first > NUMBERED_GAMES:
            break
    page = games[:limit]
    return {
        "games": [game.as_json() for game in page],
        "next": str(page[-1].number) if len(games) > limit else None,
    }


def _after(cursor: str | None) -> int:
    """The number that follows a cursor. Raises BadInput `bad_cursor`."""
    if cursor is None:
        return 1
    if not re.fullmatch(r"[1-9][0-9]{0,4}", cursor, re.ASCII) or int(cursor) >= NUMBERED_GAMES:
        raise BadInput("bad_cursor", "This list cannot be continued from there.")
    return int(cursor) + 1


@repeat_once
def numbered_get(*, number: int, kind: str = "people") -> dict[str, Any]:
    """One game, its neighbours and how far its record is from perfect; one statement. `number` from `parse_number`."""
    values = {"first": number, "last": number, "kind": _checked_kind(kind), "count": 1}
    [game] = _games(values, numbers=_RANGE, wanted="all")
    return {
        **game.as_json(),
        "code": numbered_code(number).text,
        "from_perfect": game.from_perfect,
        "previous": number - 1 if number > 1 else None,
        "next": number + 1 if number < NUMBERED_GAMES else None,
    }


@repeat_once
def numbered_random(*, unbeaten: bool, kind: str = "people") -> int:
    """A game at random, of all or of the unbeaten ones; every one is as likely as any other. Two statements at most.

    Raises NotFound when everything that can be won has been.
    """
    if not unbeaten:
        return _dice.randint(1, NUMBERED_GAMES)
    drawn = _dice.sample(range(1, NUMBERED_GAMES + 1), 200)
    values = {"kind": _checked_kind(kind), "count": NUMBERED_GAMES}
    some = _unbeaten({**values, "numbers": drawn}, _LISTED)
    if some:
        return next(number for number in drawn if number in some)
    every = _unbeaten({**values, "first": 1, "last": NUMBERED_GAMES}, _RANGE)
    if not every:
        raise NotFound("Every game that can be won has been.")
    return _dice.choice(sorted(every))


def _unbeaten(values: dict[str, Any], numbers: str) -> set[int]:
    return {row[0] for row in ask(_NUMBERS_ONLY.format(numbers=numbers, wanted=_WANTED["unbeaten"]), values)}


def numbers_missing(*, upto: int, version: int) -> list[int]:
    """The games from 1 to `upto` that the solver of this version has not been through, ascending."""
    found = ask(
        """SELECT n FROM generate_series(1, %(upto)s::int) n
            WHERE NOT EXISTS (SELECT FROM leaderboards_numberedgame g
                               WHERE g.number = n AND g.solver_version = %(version)s) ORDER BY n""",
        {"upto": upto, "version": version},
    )
    return [row[0] for row in found]
