"""The desk's pages for reading: the queue, a case, a player, the log of actions. What changes something is in `doing`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from games import clock
from games.errors import GameError, NotFound
from games.models import Player
from games.selectors.clients import clients_of

from .. import selectors
from ..models import Case
from ..reverting import is_revertible
from ..roles import may_read
from . import acts, board, lines, replay, spoilers, words
from .forms import LogForm, QueueForm
from .times import plot_of

View = Callable[..., HttpResponse]
ROWS = 200
"""Plies in the list of a case at first; the rest follows behind a link."""


def desk(view: View) -> View:
    """A page of the desk: for every role, in English, kept by no cache; what is not found is a 404."""

    @functools.wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not may_read(request.user):
            raise PermissionDenied
        with translation.override("en"):
            try:
                return view(request, *args, **kwargs)
            except NotFound as error:
                raise Http404 from error

    return never_cache(shown)


def moderator_of(request: HttpRequest) -> Player:
    """Who looks; `desk` has let nobody else in."""
    assert isinstance(request.user, Player)
    return request.user


def page(request: HttpRequest, name: str, *, status: int = 200, **context: Any) -> HttpResponse:
    """A template of the desk in the admin's frame."""
    frame = {**admin.site.each_context(request), "is_nav_sidebar_enabled": False}  # the boards need the room
    shown = {**frame, **context, "now": context.get("now") or clock.now()}
    return render(request, f"admin/leaderboards/desk/{name}.html", shown, status=status)


def _more(request: HttpRequest, number: int) -> str:
    """The address of another page of the same list."""
    query = {key: value for key, value in request.GET.items() if key != "page" and value}
    return f"?{urlencode({**query, 'page': number})}"


# --- lists ---------------------------------------------------------------------------------------------------------


@require_GET
@desk
def queue(request: HttpRequest) -> HttpResponse:
    """Open cases, the gravest first; closed ones by a filter."""
    form, now = QueueForm(request.GET), clock.now()
    wanted = form.wanted()
    found = selectors.cases_find(wanted, page=form.number, now=now)
    counts = selectors.queue_counts()
    query = {key: value for key, value in request.GET.items() if key not in ("page", "state") and value}
    states = [
        {
            "name": words_,
            "count": counts.get(state),
            "url": f"?{urlencode({**query, 'state': state})}",
            "here": state == wanted.state,
        }
        for state, words_ in form.fields["state"].choices  # type: ignore[attr-defined]
    ]
    return page(
        request,
        "queue",
        here="queue",
        title="Cases",
        form=form,
        wanted=wanted,
        states=states,
        filtered=any((wanted.signal, wanted.ruleset, wanted.competition, wanted.role, wanted.age, wanted.text)),
        found=found,
        counts=counts,
        counted_to=selectors.COUNTED,
        last=found.first + len(found.rows),
        before=_more(request, form.number - 1) if form.number > 1 else "",
        after=_more(request, form.number + 1) if found.more else "",
        now=now,
    )


@require_GET
@desk
def log(request: HttpRequest) -> HttpResponse:
    """Every action, newest first."""
    form = LogForm(request.GET)
    form.is_valid()
    value = form.cleaned_data.get
    number = value("page") or 1
    rows, more = selectors.actions_find(
        moderator=value("moderator") or "",
        kind=value("kind") or "",
        since=value("since"),
        until=value("until"),
        page=number,
    )
    return page(
        request,
        "log",
        here="log",
        title="Log of actions",
        form=form,
        rows=rows,
        before=_more(request, number - 1) if number > 1 else "",
        after=_more(request, number + 1) if more else "",
    )


@require_GET
@desk
def action(request: HttpRequest, action_id: str) -> HttpResponse:
    """One action with what it changed, and the way to take it back."""
    found = selectors.action_get(action_id)
    subject = acts.Subject(action_id, found.player, found.attempt, action=found)
    act = acts.ACTS["revert"]
    revertible = is_revertible(found) and not hasattr(found, "reverted_by")
    offered = [act] if revertible and acts.may_do(moderator_of(request), act, subject) else []
    return page(
        request,
        "action",
        title=f"{words.player_name(found.moderator)} {words.action_words(found)}",
        action=found,
        forms=_forms(request, offered, {act.kind: action_id}, found.player),
    )


# --- a case --------------------------------------------------------------------------------------------------------


@require_GET
@desk
def case(request: HttpRequest, case_id: str) -> HttpResponse:
    """Everything about one case; the boards as they were before the ply of `?ply=`."""
    now, moderator = clock.now(), moderator_of(request)
    found = selectors.case_get(case_id)
    if found.attempt is None:
        return HttpResponseRedirect(reverse("admin:leaderboards_case_player", args=[found.player.public_id]))
    return page(
        request, "case", **_attempt(request, found, moderator), **_player(request, found.player, found), now=now
    )


def _attempt(request: HttpRequest, found: Case, moderator: Player) -> dict[str, Any]:
    now = clock.now()
    assert found.attempt_id is not None
    attempt = selectors.attempt_for_desk(found.attempt_id)
    judgements = selectors.judgements_of(attempt)
    spoilers.keep_back(judgements, attempt, now)
    signals = judgements[0].signals if judgements else []
    spoils = spoilers.would_spoil(moderator, attempt, now)
    watched = replay.Watched("running", []) if spoils else replay.watched(attempt, signals, now)
    exclusion = selectors.exclusion_of(attempt)
    case_open = found.closed_at is None and not selectors.appeals_open(found.player, attempt)
    offered = acts.acts_on_attempt(moderator, attempt, exclusion, case_open=case_open)
    context: dict[str, Any] = {
        "title": f"{words.player_name(found.player)}: {words.result_words(attempt)}",
        "case": found,
        "attempt": attempt,
        "ruleset": words.ruleset_name(attempt.ruleset),
        "exclusion": exclusion,
        "judgements": judgements,
        "newest": judgements[0] if judgements else None,
        "clients": clients_of([attempt.pk]).get(attempt.pk, []),
        "reports": selectors.reports_of(found),
        "client_words": words.CLIENTS,
        "spoils": spoils,
        "shown": "spoils" if spoils else watched.shown,
        "attempt_forms": _forms(request, offered, {act.kind: attempt.public_id for act in offered}, found.player),
    }
    if watched.steps:
        step = watched.step(_ply(request))
        context |= {
            "watched": watched,
            "step": step,
            "rows": watched.steps if "all" in request.GET else watched.steps[:ROWS],
            "cut": "all" not in request.GET and watched.last > ROWS,
            "defs": board.card_defs(watched),
            "seen_board": board.seen_board(step),
            "hidden_board": board.hidden_board(watched, step) if watched.deal else "",
            "steps_json": replay.steps_json(watched),
            "plot": plot_of(watched.steps),
            "similar": lines.similar_attempts(watched, attempt, signals, now),
        }
    return context


def _ply(request: HttpRequest) -> int:
    text = request.GET.get("ply", "1")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1


# --- a player ------------------------------------------------------------------------------------------------------


@require_GET
@desk
def player(request: HttpRequest, player_id: str) -> HttpResponse:
    """A player: reports on them, their history, and what can be done about the account."""
    found = selectors.player_get(player_id)
    about = selectors.case_of_player(found)
    return page(
        request,
        "player",
        title=words.player_name(found),
        case=about,
        reports=selectors.reports_of(about) if about else [],
        **_player(request, found, None, about=about),
    )


def _player(request: HttpRequest, found: Player, but: Case | None, *, about: Case | None = None) -> dict[str, Any]:
    """The player's history, and the forms of what may be done; `about`, on the player's own page, with the case."""
    now, moderator = clock.now(), moderator_of(request)
    standing = selectors.standing_of(found)
    attempt = but.attempt if but else None
    waiting = selectors.appeals_open(found, attempt)
    case_open = about is not None and about.closed_at is None and not waiting  # an appeal closes it by its answer
    offered = acts.acts_on_player(moderator, found, standing, now, case_open=case_open)
    appeals = [
        row for row in waiting if acts.may_do(moderator, acts.ACTS["answer"], acts.Subject("", found, attempt, row))
    ]
    return {
        "player": found,
        "standing": standing,
        "numbers": selectors.player_numbers(found),
        "attempts": selectors.player_attempts(found),
        "cases": selectors.player_cases(found, but=but),
        "notices": selectors.notices_of(found),
        "actions": selectors.actions_of(found),
        "links": selectors.linked_of(found, attempt, now),
        "appeals": waiting,
        "answerable": {row.pk for row in appeals},
        "answer_forms": {
            row.pk: _forms(request, [acts.ACTS["answer"]], {"answer": row.notice.public_id}, found)[0]
            for row in appeals
        },
        "player_forms": _forms(request, offered, {act.kind: found.public_id for act in offered}, found),
        "own": moderator.pk in (found.pk, found.owner_id),
    }


@require_GET
@desk
def players(request: HttpRequest) -> HttpResponse:
    """Finds a player by name or id, whether there is a case or not."""
    text = request.GET.get("q", "").replace("\0", "").strip()[:60]
    rows = list(selectors.players_matching(text)[:50]) if text else []
    if len(rows) == 1:
        return HttpResponseRedirect(reverse("admin:leaderboards_case_player", args=[rows[0].public_id]))
    return page(request, "players", here="players", title="Players", text=text, rows=rows)


# --- forms on pages ------------------------------------------------------------------------------------------------


def _forms(
    request: HttpRequest, offered: list[acts.Act], subjects: dict[str, str], about: Player
) -> list[dict[str, Any]]:
    """The acts with their forms and addresses, as templates show them."""
    seen = selectors.newest_action(about.pk)
    return [
        {
            "act": act,
            "form": acts.form_of(act, moderator_of(request), about),
            "url": reverse("admin:leaderboards_case_do", args=[act.kind, subjects[act.kind]]),
            "seen": seen,
            "back": request.path,
        }
        for act in offered
    ]


@require_POST
@desk
def look(request: HttpRequest, case_id: str) -> HttpResponse:
    """The moderator gives up ranking at these sealed cards, and sees what was turned up."""
    found = selectors.case_get(case_id)
    if found.attempt is None:
        raise NotFound
    try:
        spoilers.spoil(moderator_of(request), selectors.attempt_for_desk(found.attempt.pk), clock.now())
    except GameError as refusal:
        messages.error(request, refusal.message)
    return HttpResponseRedirect(reverse("admin:leaderboards_case_change", args=[case_id]))
