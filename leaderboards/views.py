"""The pages, as HTML that reads well without any script. Each asks a selector and shows what it says."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any
from urllib.parse import quote, urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from games import clock
from games.engine.codes import numbered_code, parse_code, parse_number
from games.engine.errors import EngineError
from games.engine.rulesets import find_ruleset
from games.errors import BadInput, GameError, NotFound

from .pages import PAGE, page
from .scopes import KINDS, VIEWS, BoardName, parse_board
from .selectors import board_page, daily_find, daily_json, home_get
from .services import daily_ensure
from .words import rule_line

_TITLES = {"people": "People", "bots": "Bots"}
_ENDS = {"upcoming": "opens_at", "open": "closes_at", "grace": "final_at"}
_STATUS = {
    "upcoming": "opens soon",
    "open": "standings are live",
    "grace": "closed; games begun in time may still finish",
    "final": "final",
}
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
    turns = [daily[_ENDS[daily["status"]]]]
    if before and before["daily"]["status"] != "final":
        turns.append(before["daily"]["final_at"])
    return _page(
        request,
        "home",
        daily=daily,
        ruleset=find_ruleset(daily["ruleset"]),
        rule_line=rule_line(find_ruleset(daily["ruleset"])),
        lists=[_list(each, ruleset=daily["ruleset"], timed=True, live=True) for each in found["lists"]],
        yesterday=before["daily"] if before else None,
        winners=[{"title": _TITLES[each["kind"]], "row": each["row"]} for each in before["winners"]] if before else [],
        refresh_at=min(turns),
        now=now,
    )


@require_safe
def find_board(request: HttpRequest) -> HttpResponse:
    """`/boards`: a form; with `?code=` the board of the code, number or date that was typed (R7.6, R7.7)."""
    typed = request.GET.get("code", "")
    problem = ""
    if typed.strip():
        try:
            return redirect(f"/boards/{quote(_board_meant(typed))}")
        except (EngineError, GameError) as error:
            problem = error.message
    return _page(request, "find", typed=typed[:256], problem=problem, here="boards", now=clock.now())


def _board_meant(typed: str) -> str:
    """The canonical board name behind what a person typed. Raises EngineError or GameError."""
    text = typed.strip()
    if re.fullmatch(r"(?:daily-)?[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII | re.IGNORECASE):
        return parse_board(f"daily-{text[-10:]}").scope.text
    if re.fullmatch(r"[0-9]+", text, re.ASCII):
        return numbered_code(parse_number(text)).text
    return parse_code(typed).text


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
    return _page(
        request,
        "board",
        here="boards",
        title=f"Daily {daily['number']}" if daily else name.scope.text,
        daily=daily,
        status_text=_STATUS[daily["status"]] if daily else "",
        refresh_at=daily[_ENDS[daily["status"]]] if daily and daily["status"] in _ENDS else None,
        ruleset=ruleset,
        rule_line=rule_line(ruleset),
        game_number=code.game_number if code else None,
        list=_list(
            {**found["board"], "board": name.scope.text, "counts": found["board"], "rows": found["rows"]},
            ruleset=ruleset.letters,
            timed=name.scope.timed,
            live=not later,
            replays=daily is None or daily["status"] == "final",
        ),
        delayed=found["delayed"],
        kinds=[{"title": _TITLES[kind], "url": _url(name, kind=kind), "here": kind == name.kind} for kind in KINDS],
        views=[
            {"title": f"{view.capitalize()} attempts", "url": _url(name, view=view), "here": view == name.view}
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


def _list(found: dict[str, Any], *, ruleset: str, timed: bool, live: bool, replays: bool = False) -> dict[str, Any]:
    """A list as the template shows it, with the words for when it is empty."""
    who = "bot" if found["kind"] == "bots" else "person"
    empty = ("Nobody has finished it yet.", f"The first {who} to finish leads.")
    if timed and found["counts"]["playing"] and found["kind"] == "people":
        empty = ("Nobody has finished it yet.", "Some are playing. The first to finish leads.")
    if who == "bot":
        empty = ("No bot has finished it yet.", "Bots have this list to themselves.")
    return {
        **found,
        "title": _TITLES[found["kind"]],
        "caption": "first attempts" if found["view"] == "first" else "best attempts",
        "dated": not timed,
        "no_score": find_ruleset(ruleset).scoring == "cards_left",
        "live": live,
        "replays": replays,
        "empty_title": empty[0],
        "empty_text": empty[1],
    }


def _page(request: HttpRequest, template: str, *, now: dt.datetime, **context: Any) -> HttpResponse:
    """A page about a daily: its instants as such, for the template's dates."""
    daily = context.get("daily")
    if daily:
        for name in ("opens", "closes", "final", "committed"):
            context[name] = dt.datetime.fromisoformat(daily[f"{name}_at"])
        context["date"] = dt.date.fromisoformat(daily["date"])
    if context.get("yesterday"):
        context["yesterday_final"] = dt.datetime.fromisoformat(context["yesterday"]["final_at"])
    return page(request, template, now=now, **context)
