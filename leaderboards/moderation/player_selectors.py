"""What players read of fair play: their notices with the appeals, how their attempts stand, and everybody's totals."""

from __future__ import annotations

import datetime as dt
import re
import threading
from typing import Any, Final, LiteralString

from django.db import connection

from games.clock import iso
from games.errors import BadInput
from games.ids import PUBLIC_ID
from games.retry import repeat_once

from .models import Appeal, Exclusion, Notice
from .notices import APPEALABLE, ban_end, is_over, notices_of, with_standing

UNREAD: Final[LiteralString] = """(
    EXISTS (SELECT FROM leaderboards_notice n WHERE n.player_id = p.id AND n.read_at IS NULL)
    OR EXISTS (SELECT FROM leaderboards_notice n JOIN games_player b ON b.id = n.player_id
                WHERE b.owner_id = p.id AND n.read_at IS NULL))"""
"""Whether player `p` has unread notices: comes along with the credential, so that no page pays a query for it."""
PAGE: Final = 20
_ID = re.compile(PUBLIC_ID)


# --- notices -------------------------------------------------------------------------------------------------------


@repeat_once
def notices_list(*, player_id: int, now: dt.datetime, cursor: str | None = None, limit: int = PAGE) -> dict[str, Any]:
    """`{"notices", "unread", "next"}`: the player's and the player's bots', newest first.

    `cursor` is the id of the last one already seen. Raises BadInput `bad_cursor`.
    """
    mine = Notice.objects.filter(notices_of(player_id))
    rows = mine.select_related("player", "attempt", "action", "appeal").defer("attempt__code").order_by("-id")
    if cursor is not None:
        last = mine.filter(public_id=cursor).values_list("id", flat=True).first() if _ID.fullmatch(cursor) else None
        if last is None:
            raise BadInput("bad_cursor", "This list cannot be continued from there.")
        rows = rows.filter(id__lt=last)
    page = list(with_standing(rows)[: limit + 1])
    return {
        "notices": [notice_json(row, now) for row in page[:limit]],
        "unread": mine.filter(read_at=None).count(),
        "next": page[limit - 1].public_id if len(page) > limit else None,
    }


def notice_json(notice: Notice, now: dt.datetime) -> dict[str, Any]:
    """A notice as its player reads it: never who decided, nor what for between the lines (`ModeratorAction.reason`).

    Needs `notices.with_standing`.
    """
    appeal = getattr(notice, "appeal", None)
    taken_back: bool = notice.undone  # type: ignore[attr-defined]
    return {
        "id": notice.public_id,
        "kind": str(notice.kind),
        "reason_class": str(notice.reason_class),
        "player": {"id": notice.player.public_id, "name": notice.player.name},
        "attempt": notice.attempt.public_id if notice.attempt else None,
        "words": notice.words,
        "until": iso(ban_end(notice)),
        "at": iso(notice.at),
        "read": notice.read_at is not None,
        "taken_back": taken_back,
        "appealable": appeal is None and notice.kind in APPEALABLE and not taken_back and not is_over(notice, now),
        "appeal": appeal_json(appeal) if appeal else None,
    }


def appeal_json(appeal: Appeal) -> dict[str, Any]:
    """An appeal as its player reads it."""
    return {
        "text": appeal.text,
        "at": iso(appeal.at),
        "state": str(appeal.state),
        "answer": appeal.answer,
        "answered_at": iso(appeal.answered_at),
    }


# --- how attempts stand --------------------------------------------------------------------------------------------


@repeat_once
def standing_of_attempt(public_id: str) -> str | None:
    """Whether an attempt is `held` or `disqualified`; None for one that counts. To be told to its player only."""
    return Exclusion.objects.filter(attempt__public_id=public_id).values_list("kind", flat=True).first()


# --- totals --------------------------------------------------------------------------------------------------------

TOTALS_KEPT: Final = dt.timedelta(minutes=1)
SPAN: Final = dt.timedelta(days=30)
_TOTALS = """
SELECT gone.checked + (SELECT count(*) FROM (SELECT DISTINCT attempt_id FROM leaderboards_judgement
                                              WHERE judged_at >= %(since)s) t),
       gone.flagged + (SELECT count(*) FROM leaderboards_case WHERE attempt_id IS NOT NULL AND opened_at >= %(since)s),
       gone.held + decided.held,
       gone.disqualified + decided.disqualified,
       decided.reversed,
       gone.appeals + (SELECT count(*) FROM leaderboards_appeal WHERE at >= %(since)s)
  FROM (SELECT coalesce(sum(checked), 0) AS checked, coalesce(sum(flagged), 0) AS flagged,
               coalesce(sum(held), 0) AS held, coalesce(sum(disqualified), 0) AS disqualified,
               coalesce(sum(appeals), 0) AS appeals
          FROM leaderboards_gonetotals WHERE day >= %(day)s) gone,
       (SELECT count(DISTINCT a.attempt_id) FILTER (WHERE a.kind = 'hold') AS held,
               count(DISTINCT a.attempt_id) FILTER (WHERE a.kind = 'disqualify') AS disqualified,
               count(*) FILTER (WHERE a.kind IN ('reinstate', 'unban')
                                   OR r.kind IN ('disqualify', 'hold', 'warn', 'ban', 'hide', 'merge')) AS reversed
          FROM leaderboards_moderatoraction a
          LEFT JOIN leaderboards_moderatoraction r ON r.id = a.reverts_id
         WHERE a.at >= %(since)s) decided
"""
_NAMES = ("checked", "flagged", "held", "disqualified", "reversed", "appeals")
_kept: tuple[dt.datetime, dict[str, Any]] | None = None
_counting = threading.Lock()


def totals_get(*, now: dt.datetime) -> dict[str, Any]:
    """`{"month", "all", "counted_at"}`: attempts checked, flagged, held and disqualified, decisions reversed, appeals.

    Of the last 30 days and of all time; each process counts once a minute, however many ask. An attempt counts once
    however often it was judged. Flagged is what has a case, whoever asked for it: a signal, a report, a moderator or an
    appeal. What deleted accounts have left still counts; of it only the day is known, so that of the first of the 30
    days counts as a whole.
    """
    global _kept
    with _counting:
        if _kept is None or not _kept[0] <= now < _kept[0] + TOTALS_KEPT:
            _kept = now, _totals(now)
        return _kept[1]


def totals_forget() -> None:
    """Count anew at the next question: for tests."""
    global _kept
    _kept = None


@repeat_once
def _totals(now: dt.datetime) -> dict[str, Any]:
    def since(instant: dt.datetime) -> dict[str, int]:
        with connection.cursor() as cursor:
            cursor.execute(_TOTALS, {"since": instant, "day": instant.date()})
            row = cursor.fetchone()
        return dict(zip(_NAMES, row, strict=True))

    return {"month": since(now - SPAN), "all": since(dt.datetime(1970, 1, 1, tzinfo=dt.UTC)), "counted_at": iso(now)}
