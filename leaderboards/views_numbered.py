"""The pages of numbered games (R7.7): the list, and each with what the solver says, its records, and its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.http import require_safe

from games import clock
from games.engine.codes import NUMBERED_GAMES, NUMBERED_RULESET, numbered_code
from games.engine.rulesets import find_ruleset
from games.errors import BadInput, NotFound

from .analysis_words import moves_text
from .lists import KIND_TITLES
from .pages import PAGE, page
from .ruleset_words import rule_line
from .selectors import numbered_get, numbered_list, numbered_random
from .typed import NotMeant, number_meant

_FILTERS = {
    "all": pgettext_lazy("games", "All"),
    "unplayed": pgettext_lazy("games", "Unplayed"),
    "unbeaten": pgettext_lazy("games", "Unbeaten"),
    "imperfect": pgettext_lazy("games", "Not perfect yet"),
}
_EMPTY = {
    "all": (gettext_lazy("That is the end of the list."), gettext_lazy("There are no more games.")),
    "unplayed": (
        gettext_lazy("Every game here has been played."),
        gettext_lazy("Look for one that nobody has beaten."),
    ),
    "unbeaten": (
        gettext_lazy("Every game here that can be won has been."),
        gettext_lazy("Look for a record that is not perfect yet."),
    ),
    "imperfect": (
        gettext_lazy("There is no record to better here."),
        gettext_lazy("Records count once the solver knows the best possible result."),
    ),
}


@require_safe
def games(request: HttpRequest) -> HttpResponse:
    """`/numbered`: all games by number, by filter; with `?number=` the game that was typed."""
    typed = request.GET.get("number")
    if typed is not None:
        try:
            return redirect(f"/numbered/{number_meant(typed)}")
        except NotMeant as problem:
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
        filters=[{"title": title, "url": _url(name, kind), "here": name == wanted} for name, title in _FILTERS.items()],
        kinds=[
            {"title": title, "url": _url(wanted, name), "here": name == kind} for name, title in KIND_TITLES.items()
        ],
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
        wanted = number_meant(number)
    except NotMeant as problem:
        return _games(request, typed=number[:40], problem=problem.message, status=404)
    if number != str(wanted):
        return redirect(f"/numbered/{wanted}")
    ruleset = find_ruleset(NUMBERED_RULESET)
    kinds = {kind: numbered_get(number=wanted, kind=kind) for kind in KIND_TITLES}
    found = kinds["people"]
    return page(
        request,
        "numbered_game",
        here="numbered",
        game=found,
        number=wanted,
        rule_line=rule_line(ruleset),
        possible=possible_text(found),
        records=[{"title": KIND_TITLES[kind], "kind": kind, **_shown(each)} for kind, each in kinds.items()],
        now=clock.now(),
    )


@require_safe
def random_game(request: HttpRequest) -> HttpResponse:
    """`/numbered/random`: to a game at random; `?unbeaten=1` one that can be won and that nobody has; `?play=1` its table."""
    try:
        number = numbered_random(unbeaten=request.GET.get("unbeaten") == "1")
    except NotFound:
        return redirect("/numbered?filter=imperfect")
    play = request.GET.get("play") == "1"
    response = HttpResponseRedirect(f"/play/{numbered_code(number).text}" if play else f"/numbered/{number}")
    response.headers["Cache-Control"] = "no-store"
    return response


# --- words ---------------------------------------------------------------------------------------------------------


def _shown(found: Mapping[str, Any]) -> dict[str, Any]:
    """A game with its words."""
    record = found["record"]
    return {
        **found,
        "best_text": best_text(found),
        "away_text": away_text(found),
        "away_line": away_line(found),
        "moves_text": moves_text(record["moves"]) if record else "",
    }


def best_text(found: Mapping[str, Any]) -> str:
    """The best possible result in a list: `41 moves`, `1 left`."""
    if found["winnable"] is None:
        return ""
    if found["winnable"]:
        return moves_text(found["fewest_moves"])
    left = found["fewest_left"]
    return ngettext("%(count)s left", "%(count)s left", left) % {"count": left}


def possible_text(found: Mapping[str, Any]) -> str:
    """The best possible result in a sentence or two."""
    if found["winnable"] is None:
        return ""
    if found["winnable"]:
        moves = found["fewest_moves"]
        return ngettext(
            "It can be won, in as few as %(count)s move.", "It can be won, in as few as %(count)s moves.", moves
        ) % {"count": moves}
    left = found["fewest_left"]
    best = ngettext(
        "The best possible end leaves %(count)s card.", "The best possible end leaves %(count)s cards.", left
    ) % {"count": left}
    return " ".join((_("It cannot be won."), best))


def _away(found: Mapping[str, Any]) -> tuple[int, int] | None:
    """How far the record is from perfect (R8.5): cards, and when those are as good as can be, moves."""
    record = found["record"]
    if record is None or found["perfect"] is None:
        return None
    cards = record["cards_left"] - found["fewest_left"]
    return (cards, 0) if cards else (0, record["moves"] - found["fewest_moves"])


def away_text(found: Mapping[str, Any]) -> str:
    """How far the record is from perfect, in a list: `5 cards`, `3 moves`."""
    away = _away(found)
    if away is None:
        return ""
    cards, moves = away
    if cards:
        return ngettext("%(count)s card", "%(count)s cards", cards) % {"count": cards}
    return moves_text(moves) if moves else _("perfect")


def away_line(found: Mapping[str, Any]) -> str:
    """The same as a sentence; empty for a perfect record."""
    away = _away(found)
    if away is None or away == (0, 0):
        return ""
    cards, moves = away
    if cards:
        return ngettext("%(count)s card from perfect.", "%(count)s cards from perfect.", cards) % {"count": cards}
    return ngettext("%(count)s move from perfect.", "%(count)s moves from perfect.", moves) % {"count": moves}
