"""A player's page: dailies, streak, scores, records and results, as everybody may see them."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import get_format
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from games import clock
from games.engine.codes import parse_code
from games.engine.rulesets import find_ruleset
from games.errors import BadInput, NotFound

from .analysis_words import percent_text
from .histogram import histogram_of
from .pages import page, visitor
from .ruleset_words import ruleset_name
from .selectors import player_profile
from .selectors.profile import parse_month

_SCORINGS: Final = {
    "points500": (_("Points"), _("Easy, Classic and other games that start at 500 points"), _("points")),
    "runs": (_("Runs"), _("Games where long runs score"), _("points")),
    "cards_left": (_("Cards left"), _("Numbered games: fewer cards left is better"), _("cards left")),
}
"""By scoring rule (R4): a title, which games, and what is counted."""


@require_safe
def me(request: HttpRequest) -> HttpResponse:
    """`/me`: to one's own page, or to where one gets a name."""
    who = visitor(request)
    response = redirect(f"/players/{who.player_public_id}" if who else "/account")
    response.headers["Cache-Control"] = "private, no-store"
    return response


@require_safe
def profile(request: HttpRequest, public_id: str) -> HttpResponse:
    """`/players/<id>`, `?month=YYYY-MM` of the calendar, `?after=<attempt>` of the results. Guests see only their own."""
    now = clock.now()
    query = request.GET
    who = visitor(request)
    try:
        found = player_profile(
            public_id=public_id,
            viewer_id=who.player_id if who else None,
            month=query.get("month"),
            cursor=query.get("after"),
            now=now,
        )
    except (BadInput, NotFound) as error:
        raise Http404 from error
    mine = who is not None and who.player_public_id == public_id
    return page(
        request,
        "profile",
        private=who is not None,
        here="account" if mine else "boards",
        player=found["player"],
        who=who,
        since=dt.datetime.fromisoformat(found["player"]["created_at"]),
        mine=mine,
        dailies=found["dailies"],
        streak=found["streak"],
        month=_month(found["month"], query) if found["month"] else None,
        scores=[_scores(each) for each in found["scores"]],
        best_runs=[_result(each) for each in found["best_runs"]],
        records=found["records"],
        results=[_result(each) for each in found["results"]],
        later="after" in query,
        first_url=_url(query, "results", after=None),
        next_url=_url(query, "results", after=found["next"]) if found["next"] else None,
        now=now,
    )


def _url(query: Mapping[str, str], place: str, **other: str | None) -> str:
    """This page with another month or page of results."""
    asked = {name: query[name] for name in ("month", "after") if name in query} | other
    kept = {name: value for name, value in asked.items() if value is not None}
    return f"?{urlencode(kept)}#{place}"


def _month(found: dict[str, Any], query: Mapping[str, str]) -> dict[str, Any]:
    """The month as weeks of days, each week from the language's own first day."""
    first_weekday = (int(get_format("FIRST_DAY_OF_WEEK")) - 1) % 7  # Django counts from Sunday, Python from Monday
    first = parse_month(found["month"])
    by_date = {day["date"]: day for day in found["days"]}
    weeks = [
        [
            {"day": date.day, "date": date, "shown": by_date.get(date.isoformat())}
            if date.month == first.month
            else None
            for date in week
        ]
        for week in calendar.Calendar(first_weekday).monthdatescalendar(first.year, first.month)
    ]
    order = [(first_weekday + day) % 7 for day in range(7)]
    results = [day["result"] for day in found["days"] if day["result"]]
    return {
        "first": first,
        "weeks": weeks,
        "weekdays": [{"short": WEEKDAYS_ABBR[day], "long": WEEKDAYS[day]} for day in order],
        "played": len(results),
        "won": sum(result["outcome"] == "won" for result in results),
        "previous_url": _url(query, "calendar", month=found["previous"]) if found["previous"] else None,
        "next_url": _url(query, "calendar", month=found["next"]) if found["next"] else None,
    }


def _scores(found: dict[str, Any]) -> dict[str, Any]:
    """A scoring rule with its bars."""
    title, about, unit = _SCORINGS[found["scoring"]]
    return {
        **found,
        "title": title,
        "about": about,
        "unit": unit,
        "share": percent_text(found["won"] * 100 // found["played"]),
        "histogram": histogram_of(found["counts"], bins=29 if found["scoring"] == "cards_left" else 14),
    }


def _result(found: dict[str, Any]) -> dict[str, Any]:
    """A result with its ruleset, and what its board is called: a day, a number, or the code."""
    ruleset, competition = find_ruleset(found["ruleset"]), found["competition"] or ""
    return {
        **found,
        "ruleset_name": ruleset_name(ruleset),
        "date": dt.date.fromisoformat(competition.removeprefix("daily-")) if competition else None,
        "game_number": parse_code(found["code"]).game_number if found["code"] and not competition else None,
        "scored": ruleset.scoring != "cards_left",
    }
