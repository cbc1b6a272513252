"""The pages of numbered games (R7.7): the list, and each with what the solver says, its records, and its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from games import clock
from games.engine.codes import NUMBERED_GAMES, NUMBERED_RULESET, parse_number
from games.engine.errors import InvalidNumber
from games.engine.rulesets import find_ruleset
from games.errors import BadInput, NotFound

from .pages import PAGE, page
from .selectors import numbered_get, numbered_list, numbered_random
from .words import rule_line

_FILTERS = {
    "all": "All",
    "unplayed": "Unplayed",
    "unbeaten": "Unbeaten",
    "imperfect": "Not perfect yet",
}
_EMPTY = {
    "all": ("That is the end of the list.", "There are no more games."),
    "unplayed": ("Every game here has been played.", "Look for one that nobody has beaten."),
    "unbeaten": ("Every game here that can be won has been.", "Look for a record that is not perfect yet."),
    "imperfect": (
        "There is no record to better here.",
        "Records count once the solver knows the best possible result.",
    ),
}
_KINDS = {"people": "People", "bots": "Bots"}


@require_safe
def games(request: HttpRequest) -> HttpResponse:
    """`/numbered`: all games by number, by filter; with `?number=` the game that was typed."""
    typed = request.GET.get("number")
    if typed is not None:
        try:
            return redirect(f"/numbered/{parse_number(typed)}")
        except InvalidNumber as problem:
            return _games(request, typed=typed[:40], problem=problem.message)
    return _games(request)


def _games(request: HttpRequest, *, typed: str = "", problem: str = "", status: int = 200) -> HttpResponse:
    query = request.GET
    wanted, kind = query.get("filter", "all"), query.get("kind", "people")
    try:
        found = numbered_list(wanted=wanted, kind=kind, cursor=query.get("cursor"), limit=PAGE)
    except BadInput as error:
        raise Http404 from error
    return page(
        request,
        "numbered_list",
        status=status,
        here="numbered",
        total=NUMBERED_GAMES,
        games=[_shown(game) for game in found["games"]],
        solved=any(game["winnable"] is not None for game in found["games"]) or wanted == "imperfect",
        wanted=wanted,
        filters=[{"title": title, "url": _url(name, kind), "here": name == wanted} for name, title in _FILTERS.items()],
        kinds=[{"title": title, "url": _url(wanted, name), "here": name == kind} for name, title in _KINDS.items()],
        kind=kind,
        empty=_EMPTY[wanted],
        typed=typed,
        problem=problem,
        first_url=_url(wanted, kind) if "cursor" in query else None,
        next_url=_url(wanted, kind, cursor=found["next"]) if found["next"] else None,
        page_size=PAGE,
        now=clock.now(),
    )


def _url(wanted: str, kind: str, **other: str) -> str:
    asked = {"filter": wanted, "kind": kind, **other}
    shown = {
        name: value for name, value in asked.items() if (name, value) not in (("filter", "all"), ("kind", "people"))
    }
    return f"/numbered?{urlencode(shown)}" if shown else "/numbered"


@require_safe
def game(request: HttpRequest, number: str) -> HttpResponse:
    """`/numbered/<n>`; what is no number gets the list with a word about it (R7.7)."""
    try:
        wanted = parse_number(number)
    except InvalidNumber as problem:
        return _games(request, typed=number[:40], problem=problem.message, status=404)
    if number != str(wanted):
        return redirect(f"/numbered/{wanted}")
    ruleset = find_ruleset(NUMBERED_RULESET)
    kinds = {kind: numbered_get(number=wanted, kind=kind) for kind in _KINDS}
    found = kinds["people"]
    return page(
        request,
        "numbered_game",
        here="numbered",
        game=found,
        number=wanted,
        ruleset=ruleset,
        rule_line=rule_line(ruleset),
        possible=possible_text(found),
        records=[{"title": _KINDS[kind], "kind": kind, **_shown(each)} for kind, each in kinds.items()],
        now=clock.now(),
    )


@require_safe
def random_game(request: HttpRequest) -> HttpResponse:
    """`/numbered/random`, `?unbeaten=1`: to a game at random."""
    try:
        number = numbered_random(unbeaten=request.GET.get("unbeaten") == "1")
    except NotFound:
        return redirect("/numbered?filter=imperfect")
    response = HttpResponseRedirect(f"/numbered/{number}")
    response.headers["Cache-Control"] = "no-store"
    return response


# --- words ---------------------------------------------------------------------------------------------------------


def count(number: int, one: str) -> str:
    """`1 card`, `2 cards`."""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


def _shown(found: Mapping[str, Any]) -> dict[str, Any]:
    """A game with its words."""
    return {**found, "best_text": best_text(found), "away_text": away_text(found)}


def best_text(found: Mapping[str, Any]) -> str:
    """The best possible result in a list: `41 moves`, `1 left`."""
    if found["winnable"] is None:
        return ""
    return f"{found['fewest_moves']} moves" if found["winnable"] else f"{found['fewest_left']} left"


def possible_text(found: Mapping[str, Any]) -> str:
    """The best possible result in a sentence."""
    if found["winnable"] is None:
        return ""
    if found["winnable"]:
        return f"It can be won, in as few as {found['fewest_moves']} moves."
    return f"It cannot be won. The best possible end leaves {count(found['fewest_left'], 'card')}."


def away_text(found: Mapping[str, Any]) -> str:
    """How far the record is from perfect (R8.5): cards first, then moves."""
    record = found["record"]
    if record is None or found["perfect"] is None:
        return ""
    if found["perfect"]:
        return "perfect"
    cards = record["cards_left"] - found["fewest_left"]
    return count(cards, "card") if cards else count(record["moves"] - found["fewest_moves"], "move")
