"""The home page, as HTML that reads well without any script."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from games import clock
from games.engine.rulesets import find_ruleset
from games.errors import NotFound

from .lists import KIND_TITLES, TURNS, daily_page, list_shown
from .selectors import home_get
from .services import daily_ensure
from .words import rule_line

_ensured: list[int] = []  # the number of the daily on whose day this process has looked at the week ahead


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """`/`: today's daily, its live standings, and how to play it. Before day one there are only boards."""
    now = clock.now()
    try:
        try:
            found = home_get(now=now)
        except NotFound:
            daily_ensure(now=now)
            found = home_get(now=now)
    except NotFound:
        return redirect("/boards")
    if found["daily"]["number"] not in _ensured:
        daily_ensure(now=now)
        _ensured[:] = [found["daily"]["number"]]
    daily, before = found["daily"], found["yesterday"]
    turns = [daily[TURNS[daily["status"]]]]
    if before and before["daily"]["status"] != "final":
        turns.append(before["daily"]["final_at"])
    return daily_page(
        request,
        "home",
        daily=daily,
        ruleset=find_ruleset(daily["ruleset"]),
        rule_line=rule_line(find_ruleset(daily["ruleset"])),
        lists=[list_shown(each, ruleset=daily["ruleset"], timed=True, live=True) for each in found["lists"]],
        yesterday=before["daily"] if before else None,
        winners=[{"title": KIND_TITLES[each["kind"]], "row": each["row"]} for each in before["winners"]]
        if before
        else [],
        refresh_at=min(turns),
        now=now,
    )
