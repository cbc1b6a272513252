"""Reading dailies.

Code, deal and what the solver says of it leave only through `daily_json`, only once the daily is final (R7.8, R10.1).
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

from games.clock import iso
from games.engine.cards import cards_text
from games.errors import BadInput, NotFound
from games.models import Attempt
from games.retry import repeat_once
from leaderboards import dates
from leaderboards.models import Board, Calendar, DailyChallenge
from leaderboards.scopes import parse_date

from .standing import off

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,6}", re.ASCII)


def daily_status(daily: DailyChallenge, now: dt.datetime) -> str:
    """`upcoming`, `open`, `grace` (no more starts; what runs may end until the grace time is over) or `final`."""
    if now < daily.opens_at:
        return "upcoming"
    if now < daily.closes_at:
        return "open"
    return "grace" if now < daily.final_at else "final"


@repeat_once
def daily_current(now: dt.datetime) -> DailyChallenge:
    """The daily of the official date at `now`. Raises NotFound when none is prepared (see services.daily_ensure)."""
    daily = DailyChallenge.objects.filter(opens_at__lte=now, closes_at__gt=now).first()
    if daily is None:
        raise NotFound("Today's daily is not prepared yet.")
    return daily


@repeat_once
def daily_find(which: str, now: dt.datetime) -> DailyChallenge:
    """The daily meant by `today`, `YYYY-MM-DD` or a number from 1.

    Raises BadInput (`bad_date`, `bad_daily`), NotFound for dates and numbers outside the prepared ones.
    """
    if which == "today":
        return daily_current(now)
    found: DailyChallenge | None = None
    if parts := _DATE.fullmatch(which):
        found = DailyChallenge.objects.filter(date=parse_date(*parts.groups())).first()
    elif _NUMBER.fullmatch(which):
        found = DailyChallenge.objects.filter(number=int(which)).first()
    else:
        raise BadInput("bad_daily", "A daily is named by its date (YYYY-MM-DD), its number, or today.")
    if found is None:
        raise NotFound("There is no such daily (yet).")
    return found


def daily_counts(started: int, finished: int, status: str) -> dict[str, int]:
    """Who has started, who still plays (nobody, once it is final), who has ended, by the counters of a board row."""
    playing = max(0, started - finished) if status in ("open", "grace") else 0
    return {"players": started, "playing": playing, "finished": finished}


def daily_json(daily: DailyChallenge, now: dt.datetime, *, counters: tuple[int, int] | None = None) -> dict[str, Any]:
    """A daily as everybody may see it at `now`. `counters`: (started, finished) of its people, where already read."""
    status = daily_status(daily, now)
    final = status == "final"
    if counters is None:
        board = Board.objects.filter(scope=daily.key, kind=Board.Kind.PEOPLE, view=Board.View.BEST).first()
        counters = (board.started, board.finished) if board else (0, 0)
    return {
        "date": daily.date.isoformat(),
        "number": daily.number,
        "board": daily.key,
        "ruleset": daily.ruleset,
        "status": status,
        "commitment": daily.commitment,
        "committed_at": iso(daily.committed_at),
        "late": daily.late,
        "opens_at": iso(daily.opens_at),
        "closes_at": iso(daily.closes_at),
        "grace_ends_at": iso(daily.grace_ends_at),
        "final_at": iso(daily.final_at),
        "code": daily.code if final else None,
        "deal": cards_text(tuple(daily.deal.cards)) if final else None,
        "difficulty": daily.difficulty if final else None,
        "best": _best(daily) if final else None,
        **daily_counts(*counters, status),
        "now": iso(now),
    }


def _best(daily: DailyChallenge) -> dict[str, int] | None:
    """The exact best possible result; None for a daily older than the solver."""
    if daily.best_score is None or daily.best_moves is None:
        return None
    return {"score": daily.best_score, "moves": daily.best_moves}


@repeat_once
def daily_today(now: dt.datetime) -> dict[str, Any]:
    """`daily_json` of the official date at `now`; NotFound when it is not prepared."""
    return daily_json(daily_current(now), now)


@repeat_once
def daily_streaks(*, player_id: int, now: dt.datetime) -> dict[str, int]:
    """`{"current", "longest"}`: consecutive official dates whose daily the player has won or got stuck in (R9.4)."""
    calendar = Calendar.objects.first()
    if calendar is None:
        return {"current": 0, "longest": 0}
    keys = Attempt.objects.filter(
        ~off(), player_id=player_id, competition_key__startswith="daily-", result_outcome__isnull=False
    ).values_list("competition_key", flat=True)
    played = [dt.date.fromisoformat(key.removeprefix("daily-")) for key in keys if key is not None]
    current, longest = dates.streaks(played, dates.official_date(now, calendar.zone))
    return {"current": current, "longest": longest}
