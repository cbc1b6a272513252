"""The page of a finished attempt: a player over the board, every ply in words and, when asked for, what the solver says."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from games import clock
from games.api.auth import client_address
from games.engine.layout import ROWS, SLOTS
from games.engine.rulesets import Ruleset, find_ruleset
from games.errors import Busy, Conflict, GameError, NotFound, TooMany
from games.selectors import help_standing
from games.services import analysis_read
from games.services.credentials import Actor
from games.throttles import throttle

from .analysis_words import accuracy_text, best_text, cost_text, outcome_text, verdict
from .chart import chart_of
from .moderation.player_selectors import standing_of_attempt
from .pages import page, visitor
from .ruleset_words import ruleset_name
from .selectors import replay_get
from .templatetags.tripeaks import duration

PLIES: Final = 200
"""Rows of the move table on one page: a log has 2,000 plies at most (R5.4)."""
_STATUS = {"busy": 503, "finish_first": 409}


@require_http_methods(["GET", "HEAD", "POST"])
def replay(request: HttpRequest, attempt_id: str) -> HttpResponse:
    """`/attempts/<id>`: a public finished attempt (R10.2), or one's own that is sealed still: what was turned up, no more.

    The same page not found for every other id. `?page=2` has the next plies of a long log. `?analysis=1` shows the
    analysis to visitors, and to players who have seen one of these cards already. Everybody else signed in gets the
    button with the warning; it POSTs, so that no link can make somebody's attempts practice.
    """
    now, who = clock.now(), visitor(request)
    try:
        found = replay_get(public_id=attempt_id, viewer_id=who.player_id if who else None, now=now)
    except NotFound as error:
        raise Http404 from error
    number = _page_number(request, len(found["plies"]))
    analysis = _analysis(request, found, who, now)
    if analysis["state"] == "recorded":
        return HttpResponseRedirect(f"/attempts/{attempt_id}?analysis=1#analysis", status=303)
    attempt = found["attempt"]
    mine = who is not None and who.player_public_id == found["player"]["id"]
    standing = standing_of_attempt(attempt_id) if attempt["ranked"] else None
    on_board = attempt["ranked"] and found["player"]["name"] and standing is None
    ruleset = find_ruleset(attempt["ruleset"])
    cards = (found["deal"] or "").split()
    rows = _plies(found["plies"], (number - 1) * PLIES, number * PLIES)
    pages = _pages(len(found["plies"]), number, analysis)
    response = page(
        request,
        "replay",
        status=_STATUS.get(analysis["state"], 200),
        private=who is not None,
        here="boards",
        attempt=attempt,
        player=found["player"],
        who=who,
        mine=mine,
        standing=standing if mine else None,
        ruleset_name=ruleset_name(ruleset),
        outcome_text=outcome_text(attempt),
        board=(attempt["competition"] or attempt["code"]) if on_board else None,
        figures=_figures(attempt),
        tableau=cards[:SLOTS],
        first_waste=None if ruleset.waste_starts_empty or not cards else cards[SLOTS],
        stock=cards[ruleset.stock_start :],
        plies=_judged(rows, analysis.get("found"), ruleset),
        last=len(found["plies"]) - 1,
        page_plies=PLIES,
        number=number,
        pages=pages,
        marks=_marks(analysis.get("found"), ruleset),
        log=found["log"],
        analysis=_linked(analysis, number),
        now=now,
    )
    if analysis["state"] == "busy":
        response.headers["Retry-After"] = "1"
    return response


def _figures(attempt: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The result, or how far it came."""
    shown = attempt["result"] or attempt
    return [
        (_("score"), shown["score"]),
        (_("moves"), shown["moves"]),
        (_("peaks"), f"{shown['peaks']} / {len(ROWS[0])}"),
        (_("time"), duration(shown["elapsed_ms"])),
    ]


# --- pages of the move table ---------------------------------------------------------------------------------------


def _page_number(request: HttpRequest, plies: int) -> int:
    """`?page=`, from 1; Http404 for what is none."""
    text = request.GET.get("page", "1")
    number = int(text) if re.fullmatch(r"[1-9][0-9]?", text, re.ASCII) else 0
    if not 1 <= number <= _page_of(plies - 1):
        raise Http404
    return number


def _page_of(ply: int) -> int:
    return ply // PLIES + 1


def _address(number: int, analysis: Mapping[str, Any]) -> str:
    """Another page of the same replay, with the analysis where it is shown."""
    return f"?{'analysis=1&' if analysis['state'] == 'shown' else ''}page={number}"


def _pages(plies: int, number: int, analysis: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All pages of a log that has more than one."""
    last = _page_of(plies - 1)
    return [
        {
            "first": (each - 1) * PLIES,
            "last": min(each * PLIES, plies) - 1,
            "url": f"{_address(each, analysis)}#moves-title",
            "here": each == number,
        }
        for each in range(1, last + 1)
        if last > 1
    ]


def _linked(analysis: dict[str, Any], number: int) -> dict[str, Any]:
    """The plies that the analysis speaks of as links, to whichever page has them."""
    if analysis["state"] != "shown":
        return analysis

    def link(ply: int) -> dict[str, Any]:
        return {"ply": ply, "url": f"{'' if _page_of(ply) == number else _address(_page_of(ply), analysis)}#ply-{ply}"}

    lost_at = analysis["lost_at"]
    return {
        **analysis,
        "lost": None if lost_at is None else link(lost_at),
        "costly": [link(ply) for ply in analysis["costly"][:12]],
        "more": max(0, len(analysis["costly"]) - 12),
    }


# --- analysis ------------------------------------------------------------------------------------------------------


def _analysis(request: HttpRequest, replayed: Mapping[str, Any], who: Actor | None, now: dt.datetime) -> dict[str, Any]:
    """The state of the analysis part: sealed, offered, shown, busy, finish_first, or just recorded (after the button)."""
    attempt = replayed["attempt"]
    standing = {"exposed": False, "running": None}
    if who:
        standing = help_standing(public_id=attempt["id"], player_id=who.player_id, now=now)
    shown: dict[str, Any] = {"state": "offered", "signed_in": who is not None, **standing}
    if replayed["deal"] is None:  # nothing about these cards may reach the solver
        return {**shown, "state": "sealed"}
    pressed = request.method == "POST" and who is not None
    asked = "analysis" in request.GET or request.method == "POST"
    if standing["running"] and asked:
        return {**shown, "state": "finish_first"}
    if not asked or (who and not standing["exposed"] and not pressed):
        return shown
    try:
        throttle("solve", f"address:{client_address(request.META)}")
        found = analysis_read(public_id=attempt["id"], player_id=who.player_id if who else None, now=now)
    except (Busy, TooMany):
        return {**shown, "state": "busy"}
    except Conflict as error:
        return {**shown, "state": "finish_first", "running": error.data.get("attempt")}
    except GameError as error:
        raise Http404 from error
    if request.method == "POST":
        return {**shown, "state": "recorded"}
    return {**shown, "state": "shown", "found": found, **_shown(found, find_ruleset(attempt["ruleset"]))}


def _shown(found: Mapping[str, Any], ruleset: Ruleset) -> dict[str, Any]:
    """The words and figures of an analysis."""
    first = found["plies"][0]["best"]
    figures = []
    if found["accuracy"] is not None:
        figures.append((_("accuracy"), accuracy_text(found["accuracy"])))
        kept = _("%(kept)s of %(moves)s") % {"kept": found["kept"], "moves": found["moves"]}
        figures.append((_("moves kept the best"), kept))
    if first is not None:
        figures.append((_("possible at the start"), best_text(first, ruleset)))
    return {
        "figures": figures,
        "chart": chart_of(ruleset, found),
        "verdict": verdict(found, ruleset),
        "lost_at": found["lost_at"],
        "costly": [ply for ply in found["costly"] if ply != found["lost_at"]],
        "undone": any(ply["move"] == "u" for ply in found["plies"]),
    }


def _mark(judged: Mapping[str, Any]) -> tuple[str, str]:
    """The solver's mark on a move: how it is drawn, and in words."""
    if judged["lost_win"]:
        return "gone", _("Lost the win")
    return ("kept", _("Kept the best")) if judged["kept"] else ("cost", cost_text(judged["cost"]))


def _judged(rows: list[dict[str, Any]], found: Mapping[str, Any] | None, ruleset: Ruleset) -> list[dict[str, Any]]:
    """The plies with the marks on them."""
    if found is None:
        return rows
    for shown in rows:
        judged = found["plies"][shown["ply"]]
        if judged["kept"] is None:
            continue
        shown["mark"], shown["mark_words"] = _mark(judged)
        shown["mark_more"] = _("taken back") if judged["undone"] else ""
        if not judged["kept"] and judged["best"] is not None:
            shown["mark_best"] = best_text(judged["best"], ruleset)
    return rows


def _marks(found: Mapping[str, Any] | None, ruleset: Ruleset) -> str:
    """What the player says of each costly move, as JSON: `{"12": ["gone", "Lost the win", "3 left · 652"]}`."""
    if found is None:
        return ""
    marks = {}
    for judged in (found["plies"][ply] for ply in found["costly"]):
        best = best_text(judged["best"], ruleset) if judged["best"] else ""
        marks[judged["ply"]] = [*_mark(judged), best]
    return json.dumps(marks, ensure_ascii=False, separators=(",", ":"))


# --- plies in words ------------------------------------------------------------------------------------------------


def _plies(plies: list[dict[str, Any]], first: int, end: int) -> list[dict[str, Any]]:
    """The plies from `first` to before `end` in words: what moved, and the open cards after it."""
    shown = []
    for ply in plies[first:end]:
        view, move = ply["view"], ply["move"]
        before = plies[ply["ply"] - 1] if ply["ply"] else None
        card, played = view["waste"], False
        if before is not None and move not in (None, "d", "u"):
            card, played = before["view"]["tableau"][int(move[1:])], True
        shown.append(
            {
                **ply,
                "kind": "play" if played else {"d": "draw", "u": "undo"}.get(move, "opening"),
                "card": card,
                "open": [view["tableau"][slot] for slot in view["open"]],
                "left": sum(face is not None for face in view["tableau"]),
                "peak": before is not None and ply["peaks"] > before["peaks"],
            }
        )
    return shown
