"""What everybody may see of a player: dailies and streak, how the scores are spread, best runs, records, results.

Seven queries, eight from the second page of the results on. Results leave as standings show them; a code only once it
is not sealed, a card never (R10.1). What is held or disqualified counts nowhere, and only its owner and staff see it in
the list of results.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from games.clock import iso
from games.engine.codes import NUMBERED_GAMES, numbered_code, parse_code
from games.engine.rulesets import RULESETS, find_ruleset
from games.errors import BadInput, NotFound
from games.ids import PUBLIC_ID
from games.models import Attempt, Player
from games.replica import from_replica
from games.retry import repeat_once
from games.selectors.attempts import facts_of, is_public, progress_of, shown_code
from games.selectors.staff import staff_present
from leaderboards import dates
from leaderboards.models import Calendar
from leaderboards.moderation.models import HiddenPlayer

from .ranks import ask
from .standing import excluded, standing_kind

RESULTS: Final = 25
BEST_RUNS: Final = 3
RECORDS: Final = 24
_ID = re.compile(PUBLIC_ID)
_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])", re.ASCII)
_SCORINGS: Final = tuple(dict.fromkeys(ruleset.scoring for ruleset in RULESETS.values()))
_RUNS: Final = [ruleset.letters for ruleset in RULESETS.values() if ruleset.scoring == "runs"]
_RECORDS = """
SELECT b.scope, count(*) OVER () FROM leaderboards_entry e JOIN leaderboards_board b ON b.id = e.board_id
 WHERE e.player_id = %(player)s AND e.active AND b.view = 'best'
   AND b.scope COLLATE "C" BETWEEN %(first)s AND %(last)s AND length(b.scope) = length(%(first)s)
   AND NOT EXISTS (SELECT FROM leaderboards_entry o WHERE o.board_id = e.board_id AND o.active
                    AND (o.key, o.finished_ms, o.attempt_id) < (e.key, e.finished_ms, e.attempt_id))
 ORDER BY b.scope COLLATE "C" LIMIT %(count)s"""


@from_replica(viewer="viewer_id")
@repeat_once
def player_profile(
    *,
    public_id: str,
    viewer_id: int | None,
    month: str | None = None,
    cursor: str | None = None,
    limit: int = RESULTS,
    now: dt.datetime,
) -> dict[str, Any]:
    """`{"player", "dailies", "streak", "month", "scores", "best_runs", "records", "results", "next"}`.

    `month` is YYYY-MM, else the official month at `now`; months outside of the dailies there have been become the
    nearest that is not. `cursor` is the id of the last result already seen. Raises NotFound for unknown and deleted
    players, for guests to everybody but that guest (`viewer_id`), and for hidden players to everybody but themselves
    and staff; BadInput `bad_month`, `bad_cursor`.
    """
    known = _ID.fullmatch(public_id)
    staff = Exists(staff_present(now=now).filter(pk=viewer_id or 0))
    found = Player.objects.annotate(
        seen_by_staff=staff, hidden=Exists(HiddenPlayer.objects.filter(player=OuterRef("pk")))
    )
    player = found.filter(public_id=public_id, deleted_at=None).first() if known else None
    if player is None or (player.kind == Player.Kind.GUEST and player.pk != viewer_id):
        raise NotFound
    inside = player.seen_by_staff or (viewer_id is not None and viewer_id in (player.pk, player.owner_id))
    if player.hidden and not inside:
        raise NotFound
    own = Attempt.objects.filter(player_id=player.pk, result_outcome__isnull=False)
    counting = own.none() if player.hidden else own.filter(~excluded())
    dailies = _dailies(counting)
    calendar = Calendar.objects.first()
    today = dates.official_date(now, calendar.zone) if calendar else None
    current, longest = dates.streaks(dailies, today) if today else (0, 0)
    results, following = _results(own if inside else counting, cursor, limit, now)
    return {
        "player": {
            "id": player.public_id,
            "name": player.name,
            "kind": player.kind,
            "created_at": iso(player.created_at),
        },
        "dailies": {
            "played": len(dailies),
            "won": sum(result["outcome"] == "won" for result in dailies.values()),
        },
        "streak": {"current": current, "longest": longest},
        "month": _month(month, dailies, calendar.day_one, today) if calendar and today else None,
        "scores": _scores(counting),
        "best_runs": _best_runs(counting, now),
        "records": _records(player.pk),
        "results": results,
        "next": following,
    }


# --- dailies -------------------------------------------------------------------------------------------------------


def _dailies(own: QuerySet[Attempt]) -> dict[dt.date, dict[str, Any]]:
    """The results of dailies by official date (R9.4)."""
    rows = own.filter(competition_key__startswith="daily-").values_list(
        "competition_key", "result_outcome", "result_score", "result_cards_left"
    )
    return {
        dt.date.fromisoformat(key.removeprefix("daily-")): {"outcome": outcome, "score": score, "cards_left": left}
        for key, outcome, score, left in rows
        if key is not None
    }


def parse_month(text: str) -> dt.date:
    """The first day of `YYYY-MM`. Raises BadInput `bad_month`."""
    found = _MONTH.fullmatch(text)
    if found is None or found[1] == "0000":
        raise BadInput("bad_month", "A month is written YYYY-MM.")
    return dt.date(int(found[1]), int(found[2]), 1)


def _month(
    wanted: str | None, dailies: Mapping[dt.date, dict[str, Any]], day_one: dt.date, today: dt.date
) -> dict[str, Any]:
    """One month of the calendar: `{"month", "previous", "next", "days": [{"date", "board", "result"}]}`.

    Only days that have had their daily by `today` are in it.
    """
    first, last = day_one.replace(day=1), max(day_one, today).replace(day=1)
    month = min(max(parse_month(wanted), first), last) if wanted is not None else last
    following = (month + dt.timedelta(days=31)).replace(day=1)
    start, end = max(month, day_one), min(following - dt.timedelta(days=1), today)
    days = [start + dt.timedelta(days=day) for day in range((end - start).days + 1)]
    return {
        "month": f"{month:%Y-%m}",
        "previous": f"{month - dt.timedelta(days=1):%Y-%m}" if month > first else None,
        "next": f"{following:%Y-%m}" if following <= last else None,
        "days": [
            {"date": day.isoformat(), "board": f"daily-{day.isoformat()}", "result": dailies.get(day)} for day in days
        ],
    }


# --- scores --------------------------------------------------------------------------------------------------------


def _scores(own: QuerySet[Attempt]) -> list[dict[str, Any]]:
    """How often each score was reached in ranked attempts, by scoring rule (R4): `{"scoring", "played", "won", "counts"}`.

    `counts` ascend by score; under `cards_left` the score is the number of cards left (R4.3).
    """
    rows = (
        own.filter(ranked=True)
        .order_by()
        .values("ruleset", "result_outcome", "result_score", "result_cards_left")
        .annotate(count=Count("id"))
    )
    found: dict[str, Counter[tuple[int, str]]] = {scoring: Counter() for scoring in _SCORINGS}
    for row in rows:
        scoring = find_ruleset(row["ruleset"]).scoring
        score = row["result_cards_left" if scoring == "cards_left" else "result_score"]
        assert score is not None, "a result is whole or none"
        found[scoring][score, str(row["result_outcome"])] += row["count"]
    return [
        {
            "scoring": scoring,
            "played": counts.total(),
            "won": sum(count for (_, outcome), count in counts.items() if outcome == "won"),
            "counts": _counts(counts),
        }
        for scoring, counts in found.items()
        if counts
    ]


def _counts(counts: Counter[tuple[int, str]]) -> list[dict[str, int]]:
    return [
        {"score": score, "won": counts[score, "won"], "stuck": counts[score, "stuck"]}
        for score in sorted({score for score, _ in counts})
    ]


def _best_runs(own: QuerySet[Attempt], now: dt.datetime) -> list[dict[str, Any]]:
    """The best ranked scores in each of the runs rulesets, best first."""
    order = [F("result_score").desc(), F("result_moves").asc(), F("result_at").asc(), F("id").asc()]
    place = Window(RowNumber(), partition_by=[F("ruleset")], order_by=order)
    rows = (
        own.filter(ranked=True, ruleset__in=_RUNS)
        .annotate(place=place, standing=standing_kind())
        .filter(place__lte=BEST_RUNS)
    )
    best = sorted(rows, key=lambda attempt: (_RUNS.index(attempt.ruleset), attempt.place))
    return [_result_json(attempt, attempt.standing, now) for attempt in best]


# --- results and records -------------------------------------------------------------------------------------------


def _results(
    own: QuerySet[Attempt], cursor: str | None, limit: int, now: dt.datetime
) -> tuple[list[dict[str, Any]], str | None]:
    """One page of results, the newest attempt first, and the cursor of the next page.

    Of attempts that can still be undone only the ranked ones: their results stand on boards already (R3.3).
    """
    rows = own.filter(Q(ranked=True) | Q(closed_at__isnull=False)).order_by("-id")
    if cursor is not None:
        last = own.filter(public_id=cursor).values_list("id", flat=True).first() if _ID.fullmatch(cursor) else None
        if last is None:
            raise BadInput("bad_cursor", "This list cannot be continued from there.")
        rows = rows.filter(id__lt=last)
    page = list(rows.annotate(standing=standing_kind())[: limit + 1])
    shown = [_result_json(attempt, attempt.standing, now) for attempt in page[:limit]]
    return shown, page[limit - 1].public_id if len(page) > limit else None


def _result_json(attempt: Attempt, standing: str, now: dt.datetime) -> dict[str, Any]:
    """A recorded result, as a row of standings shows it, with the board it belongs to."""
    facts, progress = facts_of(attempt), progress_of(attempt, now)
    code = shown_code(facts, now)
    assert progress.recorded is not None
    return {
        "id": attempt.public_id,
        "board": attempt.competition_key or code,
        "competition": attempt.competition_key,
        "code": code,
        "ruleset": attempt.ruleset,
        "ranked": attempt.ranked,
        "standing": standing,
        "number": attempt.number,
        "public": is_public(facts, progress, now),
        **progress.recorded.as_json(),
    }


def _records(player_id: int) -> dict[str, Any]:
    """The numbered games whose record the player holds (R8.5): how many, and the first of them."""
    first, last = numbered_code(1).text, numbered_code(NUMBERED_GAMES).text
    rows = list(ask(_RECORDS, {"player": player_id, "first": first, "last": last, "count": RECORDS}))
    return {"count": rows[0][1] if rows else 0, "numbers": _numbers(row[0] for row in rows)}


def _numbers(scopes: Iterable[str]) -> list[int]:
    return [number for scope in scopes if (number := parse_code(scope).game_number) is not None]
