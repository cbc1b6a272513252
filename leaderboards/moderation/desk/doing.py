"""One page for every act: the form, then what it would change and a last question, then it is done."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.text import capfirst
from django.views.decorators.http import require_http_methods

from games import clock
from games.errors import GameError

from .. import selectors
from ..reverting import revertible_check
from . import acts, words
from .preview import preview_of
from .views import desk, moderator_of, page


@require_http_methods(["GET", "HEAD", "POST"])
@desk
def do(request: HttpRequest, kind: str, subject_id: str) -> HttpResponse:
    """GET shows the form. POST `step=check` asks back, `step=do` does it; what cannot be is told above the kept form, and
    of an act that cannot be taken back at once.
    """
    act = acts.ACTS.get(kind)
    if act is None:
        raise Http404
    moderator, now = moderator_of(request), clock.now()
    subject = acts.subject_of(act, subject_id)
    if not acts.may_do(moderator, act, subject):
        raise PermissionDenied
    form = acts.form_of(act, moderator, subject.player, request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {
        "title": f"{act.label}: {words.player_name(subject.player)}",
        "act": act,
        "form": form,
        "subject": subject,
        "back": _back(request, act, subject),
        "now": now,
    }
    if request.method != "POST" and subject.action is not None:
        try:
            revertible_check(subject.action)
        except GameError as refusal:
            return page(request, "act", status=refusal.status, **context, refusal=refusal, seen="")
    if request.method != "POST" or not form.is_valid() or request.POST.get("step") == "edit":
        status = 422 if form.is_bound and form.errors else 200
        return page(request, "act", status=status, **context, seen=selectors.newest_action(subject.player.pk))
    if request.POST.get("step") == "do":
        try:
            done = acts.perform(act, subject, form, moderator=moderator, seen=request.POST.get("seen", ""), now=now)
        except GameError as refusal:
            context["refusal"] = refusal
        else:
            said = f"{capfirst(words.player_name(subject.player))}: {words.DONE[act.kind]}."
            messages.success(request, said if done else f"{said} It was done already, and once.")
            return HttpResponseRedirect(_next(subject, form) or context["back"])
    refused = context.get("refusal")
    if refused is not None and refused.code != "changed_meanwhile":
        return page(request, "act", status=refused.status, **context, seen=selectors.newest_action(subject.player.pk))
    context |= {
        "seen": selectors.newest_action(subject.player.pk),  # before the preview: what it says is no older
        "kept": [(name, value) for name in form.fields for value in request.POST.getlist(name)],
        "told": form.told(),
    }
    try:
        preview = preview_of(act, subject, form, now)
    except GameError as refusal:
        return page(request, "act", status=refusal.status, **{**context, "refusal": refusal})
    return page(request, "confirm", status=refused.status if refused else 200, **context, preview=preview)


def _next(subject: acts.Subject, form: Any) -> str:
    """Where an accepted appeal leads on to: the decision, to be taken back there. "" otherwise."""
    if subject.appeal is None or not form.accepted:
        return ""
    return reverse("admin:leaderboards_moderatoraction_change", args=[subject.appeal.notice.action.public_id])


def _back(request: HttpRequest, act: acts.Act, subject: acts.Subject) -> str:
    """Where one came from, within the admin; else the page of whom it is about."""
    wanted = request.POST.get("back") or request.GET.get("back") or ""
    admin = reverse("admin:index")
    if wanted.startswith(admin) and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None):
        return wanted
    if subject.action is not None:
        return reverse("admin:leaderboards_moderatoraction_change", args=[subject.public_id])
    return reverse("admin:leaderboards_case_player", args=[subject.player.public_id])
