"""The pages of boards: finding one by what was typed, and a page of one."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from games import clock
from games.engine.codes import parse_code
from games.engine.rulesets import find_ruleset
from games.errors import BadInput, NotFound

from .lists import KIND_TITLES, TURNS, daily_page, list_shown
from .pages import PAGE, page
from .ruleset_words import rule_line, ruleset_name
from .scopes import KINDS, VIEWS, BoardName, parse_board
from .selectors import board_page, daily_find, daily_json
from .selectors.published import dailies_latest
from .typed import NotMeant, target_meant

_STATUS = {
    "upcoming": gettext_lazy("opens soon"),
    "open": gettext_lazy("standings are live"),
    "grace": gettext_lazy("closed; games begun in time may still finish"),
    "final": gettext_lazy("final"),
}
_VIEW_TITLES = {"best": gettext_lazy("Best attempts"), "first": gettext_lazy("First attempts")}


@require_safe
def find_board(request: HttpRequest) -> HttpResponse:
    """`/boards`: a form; with `?code=` the board of the code, number or date that was typed (R7.6, R7.7)."""
    typed = request.GET.get("code", "")
    problem = ""
    if typed.strip():
        try:
            return redirect(f"/boards/{quote(target_meant(typed))}")
        except NotMeant as error:
            problem = error.message
    now = clock.now()
    return page(
        request, "find", typed=typed[:256], problem=problem, dailies=dailies_latest(now), here="boards", now=now
    )


@require_safe
def board(request: HttpRequest, board: str) -> HttpResponse:
    """`/boards/<code or daily>`: one page of a board. A code not written canonically is redirected to its own address."""
    now = clock.now()
    query = request.GET
    try:
        name = parse_board(board, query.get("kind", "people"), query.get("view", "best"))
        if name.scope.text != board:
            return redirect(f"/boards/{quote(name.scope.text)}{'?' if query else ''}{query.urlencode()}")
        daily = daily_json(daily_find(name.scope.date.isoformat(), now), now) if name.scope.date else None
        found = board_page(name, cursor=query.get("cursor"), limit=PAGE, now=now)
    except (BadInput, NotFound) as error:
        raise Http404 from error
    ruleset = find_ruleset(daily["ruleset"] if daily else name.scope.ruleset or "")
    code = None if daily else parse_code(name.scope.text)
    later = "cursor" in query
    return daily_page(
        request,
        "board",
        here="boards",
        title=_("Daily %(number)s") % {"number": daily["number"]} if daily else name.scope.text,
        daily=daily,
        status_text=_STATUS[daily["status"]] if daily else "",
        refresh_at=daily[TURNS[daily["status"]]] if daily and daily["status"] in TURNS else None,
        ruleset=ruleset,
        ruleset_name=ruleset_name(ruleset),
        rule_line=rule_line(ruleset),
        play_url=None if daily and daily["status"] in ("upcoming", "grace") else f"/play/{quote(name.scope.text)}",
        game_number=code.game_number if code else None,
        list=list_shown(
            {**found["board"], "board": name.scope.text, "counts": found["board"], "rows": found["rows"]},
            ruleset=ruleset.letters,
            timed=name.scope.timed,
            live=not later,
            replays=daily is None or daily["status"] == "final",
            over=daily is not None and daily["status"] == "final",
        ),
        delayed=found["delayed"],
        kinds=[{"title": KIND_TITLES[kind], "url": _url(name, kind=kind), "here": kind == name.kind} for kind in KINDS],
        views=[
            {"title": _VIEW_TITLES[view], "url": _url(name, view=view), "here": view == name.view}
            for view in VIEWS
            if not name.scope.timed
        ],
        later=later,
        first_url=_url(name),
        next_url=_url(name, cursor=found["next"]) if found["next"] else None,
        page_size=PAGE,
        now=now,
    )


def _url(name: BoardName, **other: str) -> str:
    query = {"kind": name.kind, "view": name.view, **other}
    if name.scope.timed:
        del query["view"]
    return f"/boards/{quote(name.scope.text)}?{urlencode(query)}"
