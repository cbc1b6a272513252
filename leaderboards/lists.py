"""What the home page and the page of a board have in common: a list with its words, and a daily's instants."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.engine.rulesets import find_ruleset

from .pages import page

KIND_TITLES = {"people": gettext_lazy("People"), "bots": gettext_lazy("Bots")}
TURNS = {"upcoming": "opens_at", "open": "closes_at", "grace": "final_at"}
"""The instant at which what a page says about a daily of this status changes; a final one stays as it is."""


def list_shown(
    found: dict[str, Any], *, ruleset: str, timed: bool, live: bool, replays: bool = False, over: bool = False
) -> dict[str, Any]:
    """A list as `_standings.html` shows it, with the words for when it is empty. `over`: nobody can enter it any more."""
    empty = _empty(found, timed=timed, over=over)
    return {
        **found,
        "title": KIND_TITLES[found["kind"]],
        "caption": _("first attempts") if found["view"] == "first" else _("best attempts"),
        "dated": not timed,
        "no_score": find_ruleset(ruleset).scoring == "cards_left",
        "live": live,
        "replays": replays,
        "empty_title": empty[0],
        "empty_text": empty[1],
    }


def _empty(found: dict[str, Any], *, timed: bool, over: bool) -> tuple[str, str]:
    if found["kind"] == "bots":
        title = _("No bot finished it.") if over else _("No bot has finished it yet.")
        return title, _("Bots have this list to themselves.")
    if over:
        return _("Nobody finished it."), _("The day is over, and its deal stays open for practice.")
    if timed and found["counts"]["playing"]:
        return _("Nobody has finished it yet."), _("Some are playing. The first to finish leads.")
    return _("Nobody has finished it yet."), _("The first person to finish leads.")


def daily_page(request: HttpRequest, template: str, *, now: dt.datetime, **context: Any) -> HttpResponse:
    """A page about a daily (`daily`, `yesterday`; or none): its instants as such, for the template's dates."""
    daily = context.get("daily")
    if daily:
        for name in ("opens", "closes", "final", "committed"):
            context[name] = dt.datetime.fromisoformat(daily[f"{name}_at"])
        context["date"] = dt.date.fromisoformat(daily["date"])
    if context.get("yesterday"):
        context["yesterday_final"] = dt.datetime.fromisoformat(context["yesterday"]["final_at"])
    return page(request, template, now=now, **context)
