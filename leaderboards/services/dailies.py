"""Preparing dailies and starting attempts at them (R9). A prepared daily is never changed."""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.db import DatabaseError, OperationalError, connection, transaction

from games.clock import iso
from games.engine.codes import commitment, parse_code
from games.errors import Conflict
from games.models import Attempt, Deal, Player
from games.retry import repeat_once
from games.services.attempts import Competition, attempt_start
from games.services.clients import Source
from leaderboards import dates
from leaderboards.dealing import daily_deal
from leaderboards.models import Board, Calendar, DailyChallenge
from leaderboards.selectors.dailies import daily_find, daily_status

from .entries import Change, board_change, boards_lock

PREPARE_LOCK = 0x7472_6970_6561  # pg_advisory_xact_lock: one process prepares at a time


@repeat_once
def dailies_prepare(*, now: dt.datetime, wait: bool = True) -> list[DailyChallenge]:
    """Deal and commit the dailies of today and settings.DAILY_DAYS_AHEAD dates after it; the rows made by this call.

    Under an advisory lock, so that any number of processes may call it at once; rows that exist are never touched.
    With `wait` False it returns at once when another process is preparing. A daily committed after its opening is
    marked late (R9.3). The calendar (day one, zone) is stored by the first call and stands from then on.
    """
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            if wait:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", (PREPARE_LOCK,))
            else:
                cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", (PREPARE_LOCK,))
                if cursor.fetchone() == (False,):
                    return []
        calendar = _calendar(now)
        today = dates.official_date(now, calendar.zone)
        wanted = [today + dt.timedelta(days=ahead) for ahead in range(settings.DAILY_DAYS_AHEAD + 1)]
        known = set(DailyChallenge.objects.filter(date__in=wanted).values_list("date", flat=True))
        made = [_daily_make(date, calendar, now) for date in wanted if date not in known and date >= calendar.day_one]
        return [daily for daily in made if daily is not None]


def _calendar(now: dt.datetime) -> Calendar:
    """The stored calendar, made on first use. Assumes the preparation lock."""
    calendar = Calendar.objects.first()
    if calendar is None:
        zone = settings.OFFICIAL_ZONE
        first = settings.DAILY_DAY_ONE
        day_one = dt.date.fromisoformat(first) if first else dates.official_date(now, zone)
        calendar = Calendar.objects.create(day_one=day_one, zone=zone)
    return calendar


def _daily_make(date: dt.date, calendar: Calendar, now: dt.datetime) -> DailyChallenge | None:
    """Draw a sealed deal that can be won, of the wanted difficulty, and commit to it. None for a date that the zone skipped as a whole."""
    times = dates.daily_times(date, calendar.zone, settings.DAILY_GRACE_SECONDS)
    if times.opens_at >= times.closes_at:
        return None
    chosen = daily_deal(settings.DAILY_RULESET, settings.DAILY_DIFFICULTY)
    code = chosen.code
    try:
        deal = Deal.objects.create(cards=bytes(chosen.cards), created_at=now, sealed_until=times.final_at)
        return DailyChallenge.objects.create(
            date=date,
            number=dates.daily_number(date, calendar.day_one),
            ruleset=code.ruleset,
            code=code.text,
            deal=deal,
            commitment=commitment(code.text),
            committed_at=now,
            late=now >= times.opens_at,
            opens_at=times.opens_at,
            closes_at=times.closes_at,
            grace_ends_at=times.grace_ends_at,
            final_at=times.final_at,
            difficulty=chosen.difficulty,
            best_score=chosen.best_score,
            best_moves=chosen.best_moves,
        )
    except OperationalError:
        raise  # the connection is gone: no row in that, and the whole preparation may be repeated
    except DatabaseError as problem:
        # PostgreSQL's words may hold the whole row, and a traceback the cards: neither may reach a log (R10.1).
        raise RuntimeError(f"the daily of {date} could not be stored ({type(problem).__name__})") from None


_prepared_until: dt.datetime | None = None  # the close of the day on which this process has looked at the week ahead


@repeat_once
def daily_ensure(*, now: dt.datetime, closes_at: dt.datetime | None = None) -> None:
    """What every request for a daily does first: prepare what is missing; one small query once that is done.

    Today's daily is waited for. The week ahead is prepared by whoever comes first after midnight. `closes_at`: of
    today's daily, where it has been read already; then that query is spared.
    """
    global _prepared_until
    today = DailyChallenge.objects.filter(opens_at__lte=now, closes_at__gt=now).values_list("closes_at", flat=True)
    closes_at = closes_at or today.first()
    if closes_at is not None and closes_at == _prepared_until:
        return
    dailies_prepare(now=now, wait=closes_at is None)
    _prepared_until = closes_at or today.first()


def daily_start(
    *,
    player_id: int,
    kind: str,
    which: str,
    start_key: str,
    now: dt.datetime,
    credential_id: int | None = None,
    source: Source | None = None,
) -> tuple[Attempt, bool]:
    """Start the one attempt that a player has at a daily until it is final, or return it; (attempt, created).

    `which` is `today`, a date or a number. Accounts play ranked, guests unranked (R8.6); nobody may undo. After the
    close only an attempt already started is returned; once final the published code is ordinary practice (R9.2).
    Raises Conflict `daily_not_open` or `daily_closed`, NotFound, BadInput.
    """
    daily_ensure(now=now)
    daily = daily_find(which, now)
    status = daily_status(daily, now)
    if status == "upcoming":
        raise Conflict("daily_not_open", "This daily is not open yet.", opens_at=iso(daily.opens_at))
    if status == "final":
        mine = Attempt.objects.select_related("deal").filter(player_id=player_id, competition_key=daily.key)
        known = mine.filter(start_key=start_key).first()
        if known is not None:  # the repeat of a start from before
            return known, False
        return attempt_start(
            player_id=player_id,
            code=parse_code(daily.code),
            start_key=start_key,
            practice=True,
            now=now,
            credential_id=credential_id,
            source=source,
        )
    if status == "grace":
        known = Attempt.objects.select_related("deal").filter(player_id=player_id, competition_key=daily.key).first()
        if known is None:
            raise Conflict("daily_closed", "This daily is closed.", closed_at=iso(daily.closes_at))
        return known, False

    def count(attempt: Attempt) -> None:
        _started(attempt, kind)

    return attempt_start(
        player_id=player_id,
        code=parse_code(daily.code),
        start_key=start_key,
        practice=False,
        now=now,
        competition=Competition(
            key=daily.key,
            deadline=daily.grace_ends_at,
            sealed_until=daily.final_at,
            undo_allowed=False,
            ranked=True,
            on_start=count,
        ),
        credential_id=credential_id,
        source=source,
    )


def _started(attempt: Attempt, kind: str) -> None:
    """Count one more player; runs inside the transaction that starts the attempt."""
    assert attempt.competition_key is not None
    board_kind = Board.Kind.BOTS if kind == Player.Kind.BOT else Board.Kind.PEOPLE
    [board] = boards_lock(
        scope=attempt.competition_key, kind=board_kind, views=["best"], ruleset=attempt.ruleset, timed=True
    )
    board_change(board, Change(started=1))
