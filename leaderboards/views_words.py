"""The pages that explain and lead on: a new game, the rules, and how anybody can check that all is fair."""

from __future__ import annotations

import datetime as dt
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from games import clock
from games.engine.codes import NUMBERED_GAMES, numbered_code
from games.engine.rulesets import DEFAULT_RULESET, RULESETS, find_ruleset
from games.selectors.attempts import attempts_list

from .examples import scoring_examples
from .moderation.player_selectors import totals_get
from .pages import page, visitor
from .ruleset_words import ruleset_name, ruleset_row, ruleset_rows
from .scopes import parse_scope
from .selectors.published import seal_published
from .typed import NotMeant, number_meant, target_meant

_TOTALS = (
    ("checked", gettext_lazy("games checked")),
    ("flagged", gettext_lazy("looked at by a moderator")),
    ("held", gettext_lazy("held back meanwhile")),
    ("disqualified", gettext_lazy("disqualified")),
    ("reversed", gettext_lazy("decisions taken back")),
    ("appeals", gettext_lazy("appeals")),
)
CONTINUE = 5
"""How many unfinished attempts the page of new games offers."""


@require_safe
def new(request: HttpRequest) -> HttpResponse:
    """`/new`: a ruleset, a code, a number, or what was left unfinished. `?code=` and `?number=` lead to the table."""
    typed, number = request.GET.get("code", ""), request.GET.get("number", "")
    problem = number_problem = ""
    try:
        if typed.strip():
            return redirect(f"/play/{quote(target_meant(typed))}")
    except NotMeant as error:
        problem = error.message
    try:
        if number.strip():
            return redirect(f"/play/{numbered_code(number_meant(number)).text}")
    except NotMeant as error:
        number_problem = error.message
    now = clock.now()
    actor = visitor(request)
    found = attempts_list(player_id=actor.player_id, cursor=None, now=now)["attempts"] if actor else []
    return page(
        request,
        "new",
        private=actor is not None,
        default=ruleset_row(DEFAULT_RULESET),
        rulesets=[ruleset_row(each) for each in RULESETS.values() if each is not DEFAULT_RULESET],
        unfinished=[_unfinished(each) for each in found if not each["closed"]][:CONTINUE],
        typed=typed[:256],
        problem=problem,
        number=number[:40],
        number_problem=number_problem,
        highest=NUMBERED_GAMES,
        now=now,
    )


def _unfinished(attempt: dict[str, Any]) -> dict[str, Any]:
    """One's own attempt that can go on, in words. A sealed code stays unsaid (R10.1)."""
    where = attempt["competition"] or attempt["code"]
    moves, left = attempt["moves"], attempt["cards_left"]
    parts = [
        ngettext("%(count)s card left", "%(count)s cards left", left) % {"count": left},
        ngettext("%(count)s move", "%(count)s moves", moves) % {"count": moves},
    ]
    if attempt["outcome"] == "stuck":
        parts.append(_("no moves left, but you can undo"))
    return {
        "url": f"/play/{quote(where)}?attempt={attempt['id']}",
        "daily": _daily(attempt["competition"]),
        "code": attempt["code"],
        "ruleset": ruleset_name(find_ruleset(attempt["ruleset"])),
        "words": " · ".join(parts),
    }


def _daily(competition: str | None) -> dt.date | None:
    """The date of a daily's key."""
    scope = parse_scope(competition) if competition else None
    return scope.date if scope else None


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """`/rules`: all of R1 to R9 that a player meets, with figures drawn by the engine."""
    return page(
        request,
        "rules",
        rulesets=ruleset_rows(),
        examples=scoring_examples(),
        highest=NUMBERED_GAMES,
        now=clock.now(),
    )


@require_safe
def fairness(request: HttpRequest) -> HttpResponse:
    """`/fairness`: who checks what, and a form that checks a seal in the browser."""
    now = clock.now()
    return page(
        request,
        "fairness",
        seal=seal_published(now, request.GET.get("daily", "")),
        kept_days=settings.DELETED_MOVES_DAYS,
        evidence_days=settings.EVIDENCE_DAYS,
        now=now,
    )


@require_safe
def fair_play(request: HttpRequest) -> HttpResponse:
    """`/fair-play`: what is checked and kept, what is decided by whom, and how often."""
    now = clock.now()
    found = totals_get(now=now)
    return page(
        request,
        "fair_play",
        totals=[{"label": label, "month": found["month"][name], "all": found["all"][name]} for name, label in _TOTALS],
        evidence_days=settings.EVIDENCE_DAYS,
        now=now,
    )
