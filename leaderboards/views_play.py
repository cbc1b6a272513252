"""The table: `/play/<code or daily>`. The page says who plays and where the attempt stands; the rest is the socket's."""

from __future__ import annotations

import datetime as dt
import re
import secrets
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games import clock
from games.engine.codes import NUMBERED_GAMES, NUMBERED_RULESET, GameCode, numbered_code, parse_code
from games.engine.errors import EngineError
from games.engine.position import start
from games.engine.rulesets import Ruleset, find_ruleset
from games.errors import NotFound
from games.ids import PUBLIC_ID
from games.selectors import attempt_get
from games.selectors.own import attempt_in_competition, attempt_unfinished
from games.services import random_code
from games.services.credentials import Actor

from .lists import daily_page, list_shown
from .moderation.player_selectors import standing_of_attempt
from .own_rows import own_list
from .pages import page, visitor
from .ruleset_words import rule_line, ruleset_name
from .scopes import parse_scope
from .selectors import daily_current, daily_find, daily_json, daily_mine, standings_snapshot
from .selectors.home import NOBODY
from .services import daily_ensure
from .typed import NotMeant, target_meant

_ATTEMPT = re.compile(PUBLIC_ID)


@require_safe
def random(request: HttpRequest) -> HttpResponse:
    """`/play/random?ruleset=E`: to a deal drawn now; a numbered game for G, as nobody has heard of the others."""
    try:
        letters = find_ruleset(request.GET.get("ruleset", "E")[:2]).letters
    except EngineError as problem:
        raise Http404 from problem
    if letters == NUMBERED_RULESET:
        return _now(f"/play/{numbered_code(secrets.randbelow(NUMBERED_GAMES) + 1).text}")
    return _now(f"/play/{random_code(letters).text}")


@require_safe
def today(request: HttpRequest) -> HttpResponse:
    """`/play/daily`: to today's."""
    now = clock.now()
    daily_ensure(now=now)
    try:
        return _now(f"/play/{daily_current(now).key}")
    except NotFound:  # before day one
        return _now("/new")


def _now(address: str) -> HttpResponse:
    """A redirect that leads elsewhere next time."""
    response = HttpResponseRedirect(address)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_safe
def play(request: HttpRequest, target: str) -> HttpResponse:
    """`/play/<target>`: a game code, a daily, or anything that can be read as one (R7.6), which leads to its own address.

    `?attempt=` names one's own attempt there; anybody else's is 404 like an unknown one (case C22).
    """
    now = clock.now()
    try:
        meant = target_meant(target)
    except NotMeant as problem:
        return _lost(request, target, problem.message, now)
    query = request.GET.urlencode()
    if meant != target:
        return redirect(f"/play/{quote(meant)}{'?' if query else ''}{query}")
    who = visitor(request)
    wanted = request.GET.get("attempt", "")
    attempt = _wanted(wanted, who, now) if wanted else None
    if attempt is not None:
        where = attempt["competition"] or attempt["code"]
        if where != meant:
            return redirect(f"/play/{quote(where)}?{query}")
    if parse_scope(meant).date is None:
        return _code(request, parse_code(meant), who, attempt, now)
    try:
        return _daily(request, meant, who, attempt, now)
    except NotFound:
        return _lost(request, target, _("There is no such daily yet."), now)


def _wanted(public_id: str, who: Actor | None, now: dt.datetime) -> dict[str, Any]:
    """One's own attempt by its id."""
    if who is None or not _ATTEMPT.fullmatch(public_id):
        raise Http404
    try:
        return attempt_get(public_id=public_id, player_id=who.player_id, now=now)
    except NotFound as problem:
        raise Http404 from problem


def _lost(request: HttpRequest, typed: str, problem: str, now: dt.datetime) -> HttpResponse:
    """404 with a form that holds what was typed."""
    return page(request, "play_lost", status=404, here="new", typed=typed[:256], problem=problem, now=now)


def _standing(who: Actor | None, attempt: dict[str, Any] | None) -> str | None:
    """Whether one's own finished attempt is held or disqualified."""
    if who is None or attempt is None or attempt["result"] is None:
        return None
    return standing_of_attempt(attempt["id"])


def _data(who: Actor | None, attempt: dict[str, Any] | None, ruleset: Ruleset, **more: Any) -> dict[str, Any]:
    """What the page's script is told: nothing that its visitor may not see (R10.1)."""
    opening = start(ruleset, range(ruleset.deck_size))  # of whatever cards: only what is the same for all is told
    return {
        "attempt": attempt,
        "player": {"id": who.player_public_id, "kind": who.kind, "name": who.name} if who else None,
        "ruleset": ruleset.letters,
        "opening": {"waste": opening.waste_count, "stock": opening.stock_left, "score": opening.score},
        "zone": settings.OFFICIAL_ZONE,
        **more,
    }


def _code(
    request: HttpRequest, code: GameCode, who: Actor | None, attempt: dict[str, Any] | None, now: dt.datetime
) -> HttpResponse:
    """The table of an open code (or of a daily's code once it is published: practice)."""
    ruleset = find_ruleset(code.ruleset)
    if attempt is None and who is not None:
        attempt = attempt_unfinished(player_id=who.player_id, code=code.text, now=now)
    number = code.game_number
    previous = numbered_code(number - 1).text if number and number > 1 else None
    following = numbered_code(number + 1).text if number and number < NUMBERED_GAMES else None
    return page(
        request,
        "play",
        here="play",
        private=True,
        title=_("Game %(number)s") % {"number": number} if number else code.text,
        code=code.text,
        number=number,
        previous=previous,
        following=following,
        sealed=code.sealed,
        ruleset_name=ruleset_name(ruleset),
        rule_line=rule_line(ruleset),
        board=code.text,
        standing=_standing(who, attempt),
        who=who,
        data=_data(
            who,
            attempt,
            ruleset,
            kind="code",
            target=code.text,
            number=number,
            next=following,
            practiceOnly=code.sealed,
        ),
        now=now,
    )


def _daily(
    request: HttpRequest, key: str, who: Actor | None, attempt: dict[str, Any] | None, now: dt.datetime
) -> HttpResponse:
    """The table of a daily, whatever its day. Raises NotFound for dates that are not prepared."""
    daily_ensure(now=now)
    found = daily_find(key.removeprefix("daily-"), now)
    people = standings_snapshot(key, "people", "best", now=now)
    counts = people["counts"]
    daily = daily_json(found, now, counters=(counts["players"], counts["finished"]))
    status = daily["status"]
    final = status == "final"
    ruleset = find_ruleset(daily["ruleset"])
    if attempt is None and who is not None:
        attempt = attempt_in_competition(player_id=who.player_id, key=key, now=now)
    shown = list_shown(people, ruleset=ruleset.letters, timed=True, live=True, replays=final, over=final)
    return daily_page(
        request,
        "play",
        here="home",
        private=True,
        title=_("Daily %(number)s") % {"number": daily["number"]},
        daily=daily,
        phase=status,
        ruleset_name=ruleset_name(ruleset),
        rule_line=rule_line(ruleset),
        board=key,
        standing=_standing(who, attempt),
        who=who,
        list=own_list(shown, NOBODY if who is None else daily_mine(key=key, who=who, now=now)),
        data=_data(
            who,
            attempt,
            ruleset,
            kind="daily",
            target=key,
            number=daily["number"],
            status=status,
            opensAt=daily["opens_at"],
            closesAt=daily["closes_at"],
            graceEndsAt=daily["grace_ends_at"],
            finalAt=daily["final_at"],
            code=daily["code"],
        ),
        now=now,
    )
