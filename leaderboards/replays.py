"""The page of a public finished attempt: the deal, every ply in words and, when asked for, what the solver says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from games import clock
from games.api.auth import client_address
from games.engine.layout import ROWS, SLOTS
from games.engine.rulesets import Ruleset, find_ruleset
from games.errors import Busy, Conflict, GameError, NotFound, TooMany
from games.selectors import attempt_replay, help_standing
from games.services import analysis_read
from games.throttles import throttle

from .chart import chart_of
from .pages import page, visitor
from .templatetags.tripeaks import duration
from .words import accuracy_text, best_text, cost_text, outcome_text, verdict

_STATUS = {"busy": 503, "finish_first": 409}


@require_http_methods(["GET", "HEAD", "POST"])
def replay(request: HttpRequest, attempt_id: str) -> HttpResponse:
    """`/attempts/<id>`: a public finished attempt as text (R10.2); the same page not found for every other id.

    `?analysis=1` shows the analysis to visitors, and to players who have seen one of these cards already. Everybody
    else signed in gets the button with the warning; it POSTs, so that no link can make somebody's attempts practice.
    """
    now = clock.now()
    try:
        found = attempt_replay(public_id=attempt_id, viewer_id=None, now=now)
    except NotFound as error:
        raise Http404 from error
    analysis = _analysis(request, found)
    if analysis["state"] == "recorded":
        return HttpResponseRedirect(f"/attempts/{attempt_id}?analysis=1#analysis", status=303)
    attempt, result = found["attempt"], found["attempt"]["result"]
    ruleset = find_ruleset(attempt["ruleset"])
    cards = (found["deal"] or "").split()
    shown = result or {**attempt, "elapsed_ms": attempt["elapsed_ms"]}
    figures = [("score", shown["score"]), ("moves", shown["moves"]), ("peaks", f"{shown['peaks']} / {len(ROWS[0])}")]
    figures.append(("time", duration(shown["elapsed_ms"])))
    response = page(
        request,
        "replay",
        status=_STATUS.get(analysis["state"], 200),
        private=analysis["signed_in"],
        here="boards",
        attempt=attempt,
        player=found["player"],
        ruleset=ruleset,
        outcome_text=outcome_text(attempt),
        board=(attempt["competition"] or attempt["code"]) if attempt["ranked"] and found["player"]["name"] else None,
        figures=figures,
        tableau=cards[:SLOTS],
        first_waste=None if ruleset.waste_starts_empty or not cards else cards[SLOTS],
        stock=cards[ruleset.stock_start :],
        plies=_judged(_plies(found["plies"]), analysis.get("found"), ruleset),
        log=found["log"],
        analysis=analysis,
        now=now,
    )
    if analysis["state"] == "busy":
        response.headers["Retry-After"] = "1"
    return response


def _analysis(request: HttpRequest, replayed: Mapping[str, Any]) -> dict[str, Any]:
    """The state of the analysis part: offered, shown, busy, finish_first, or just recorded (after the button)."""
    now, attempt = clock.now(), replayed["attempt"]
    who = visitor(request)
    player_id = who.player_id if who else None
    standing = {"exposed": False, "running": None}
    if who:
        standing = help_standing(public_id=attempt["id"], player_id=who.player_id, now=now)
    shown: dict[str, Any] = {"state": "offered", "signed_in": who is not None, **standing}
    pressed = request.method == "POST" and who is not None
    asked = "analysis" in request.GET or request.method == "POST"
    if standing["running"] and asked:
        return {**shown, "state": "finish_first"}
    if not asked or (who and not standing["exposed"] and not pressed):
        return shown
    try:
        throttle("solve", f"address:{client_address(request.META)}")
        found = analysis_read(public_id=attempt["id"], player_id=player_id, now=now)
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
        figures.append(("accuracy", accuracy_text(found["accuracy"])))
        figures.append(("moves kept the best", f"{found['kept']} of {found['moves']}"))
    if first is not None:
        figures.append(("possible at the start", best_text(first, ruleset)))
    undone = any(ply["move"] == "u" for ply in found["plies"])
    return {
        "figures": figures,
        "chart": chart_of(ruleset, found),
        "verdict": verdict(found, ruleset),
        "lost_at": found["lost_at"],
        "unit": "ply" if undone else "move",
        "costly": [ply for ply in found["costly"] if ply != found["lost_at"]],
        "undone": undone,
    }


def _judged(plies: list[dict[str, Any]], found: Mapping[str, Any] | None, ruleset: Ruleset) -> list[dict[str, Any]]:
    """The plies with the solver's mark on each move: how it is drawn, and in words."""
    if found is None:
        return plies
    for shown, judged in zip(plies, found["plies"], strict=True):
        if judged["kept"] is None:
            continue
        kind, words = "kept", "Kept the best"
        if judged["lost_win"]:
            kind, words = "gone", "Lost the win"
        elif not judged["kept"]:
            kind, words = "cost", cost_text(judged["cost"])
        shown["mark"] = kind
        shown["mark_words"] = words
        shown["mark_more"] = "taken back" if judged["undone"] else ""
        if not judged["kept"] and judged["best"] is not None:
            shown["mark_best"] = best_text(judged["best"], ruleset)
    return plies


def _plies(plies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each ply in words: what moved, and the open cards after it."""
    shown = []
    before: dict[str, Any] | None = None
    for ply in plies:
        view, move = ply["view"], ply["move"]
        verb, card = "Opening, waste", view["waste"]
        if before is not None and move is not None:
            match move:
                case "d":
                    verb = "Draw"
                case "u":
                    verb, card = "Undo, waste", view["waste"]
                case _:
                    verb, card = "Play", before["view"]["tableau"][int(move[1:])]
        shown.append(
            {
                **ply,
                "verb": verb if card else f"{verb} empty",
                "card": card,
                "open": [view["tableau"][slot] for slot in view["open"]],
                "left": sum(face is not None for face in view["tableau"]),
                "peak": before is not None and ply["peaks"] > before["peaks"],
            }
        )
        before = ply
    return shown
