"""The home page, as HTML that reads well without any script."""

from __future__ import annotations

import datetime as dt

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from games import clock
from games.clock import iso
from games.engine.rulesets import find_ruleset
from games.errors import NotFound

from .lists import KIND_TITLES, TURNS, daily_page, list_shown
from .own_rows import own_list
from .pages import page, visitor
from .ruleset_words import rule_line, ruleset_name
from .selectors import home_before, home_get
from .services import daily_ensure

_PLAY = {
    "none": _("Play"),
    "playing": _("Continue"),
    "finished": _("See your result"),
    "over": _("See your result"),
}


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """`/`: today's daily, its live standings with the visitor's own row, and who won yesterday's."""
    now = clock.now()
    who = visitor(request)
    try:
        try:
            found = home_get(who=who, now=now)
        except NotFound:
            daily_ensure(now=now)
            found = home_get(who=who, now=now)
    except NotFound:
        return _before(request)
    daily_ensure(now=now, closes_at=dt.datetime.fromisoformat(found["daily"]["closes_at"]))
    daily, before, mine = found["daily"], found["yesterday"], found["mine"]
    turns = [daily[TURNS[daily["status"]]]]
    if before and before["daily"]["status"] != "final":
        turns.append(before["daily"]["final_at"])
    ruleset = find_ruleset(daily["ruleset"])
    lists = [
        own_list(list_shown(each, ruleset=daily["ruleset"], timed=True, live=True), mine) for each in found["lists"]
    ]
    return daily_page(
        request,
        "home",
        private=who is not None,
        daily=daily,
        who=who,
        mine=mine,
        play=_PLAY[mine["state"]],
        ruleset_name=ruleset_name(ruleset),
        rule_line=rule_line(ruleset),
        lists=lists,
        own=next((each for each in lists if "player" in each), None),
        yesterday=before["daily"] if before else None,
        winners=[{"title": KIND_TITLES[each["kind"]], "row": each["row"]} for each in before["winners"]]
        if before
        else [],
        refresh_at=min(turns),
        now=now,
    )


def _before(request: HttpRequest) -> HttpResponse:
    """Before day one: when it begins, and what can be played already."""
    now = clock.now()
    try:
        first = home_before(now=now)
    except NotFound:
        return redirect("/boards")
    opens_at = iso(first["opens_at"])
    return page(
        request,
        "home_before",
        here="home",
        date=first["date"],
        opens=first["opens_at"],
        opens_at=opens_at,
        refresh_at=opens_at,
        now=now,
    )
