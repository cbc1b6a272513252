"""The pages of settings, of the language, and of oneself. What they show is written here; what is done goes to the API."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseRedirectBase
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import clock
from games.api.auth import check_own_origin
from games.api.language import language_cookie_set, language_known
from games.errors import BadInput, Forbidden
from games.services import bots_list, credentials_list, player_language_set, recovery_codes_left
from games.services.credentials import Actor

from .moderation.player_selectors import notices_list
from .notice_words import notice_shown
from .pages import banned_visitor, page, visitor
from .prefs import preferences_of, preferences_read, preferences_write
from .selectors import daily_streaks

NOTICES = 10
"""So many on one page."""


class SeeOther(HttpResponseRedirectBase):
    """303: what was sent is done; now look here."""

    status_code = 303


# --- settings ------------------------------------------------------------------------------------------------------

GROUPS = (
    (
        "theme",
        gettext_lazy("Light or dark"),
        gettext_lazy("The colours of the pages and the table."),
        (
            ("system", gettext_lazy("Like this device")),
            ("light", gettext_lazy("Light")),
            ("dark", gettext_lazy("Dark")),
        ),
    ),
    (
        "suits",
        gettext_lazy("Suits"),
        gettext_lazy("The shapes always differ. Four colours tell them apart sooner."),
        (("two", gettext_lazy("Two colours")), ("four", gettext_lazy("Four colours"))),
    ),
    (
        "help",
        gettext_lazy("Mistake help"),
        gettext_lazy("Outlines the cards that fit, and says why a move was not possible."),
        (("on", gettext_lazy("Help me")), ("off", gettext_lazy("I manage alone"))),
    ),
    (
        "motion",
        gettext_lazy("Motion"),
        gettext_lazy("Cards fly to the waste and turn over, each in a fifth of a second."),
        (("system", gettext_lazy("Like this device")), ("off", gettext_lazy("None"))),
    ),
    (
        "keys",
        gettext_lazy("Letter keys"),
        gettext_lazy("While you play, D draws, U undoes, H hints, and ? lists all keys."),
        (("on", gettext_lazy("On")), ("off", gettext_lazy("Off"))),
    ),
    (
        "tray",
        gettext_lazy("Large cards"),
        gettext_lazy("The open cards once more below the board, large enough for a thumb."),
        (
            ("auto", gettext_lazy("On narrow screens")),
            ("on", gettext_lazy("Always")),
            ("off", gettext_lazy("Never")),
        ),
    ),
)
"""(name in prefs.CHOICES, title, one line about it, (value, label) of each choice)."""


def _our_page(request: HttpRequest) -> bool:
    """Whether a form was sent by a page of ours. Every browser of this decade says so itself, so no token is needed."""
    if "HTTP_ORIGIN" not in request.META:
        return request.META.get("HTTP_SEC_FETCH_SITE") == "same-origin"
    try:
        check_own_origin(request)
    except Forbidden:
        return False
    return True


def _onward(address: str) -> str:
    """An address of ours as it is; empty for any other."""
    ours = address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if ours else ""


def _foreign(request: HttpRequest) -> HttpResponse:
    return render(request, "403.html", status=403)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def settings_page(request: HttpRequest) -> HttpResponse:
    """`/settings`: this browser's preferences, a plain form; POST keeps them in the cookie (prefs.COOKIE)."""
    if request.method == "POST":
        if not _our_page(request):
            return _foreign(request)
        response = SeeOther("/settings?saved=1")
        preferences_write(response, preferences_read(request.POST))
        return response
    now_set = preferences_of(request)
    groups = [
        {
            "name": name,
            "title": title,
            "about": about,
            "choices": [
                {"value": value, "label": label, "chosen": getattr(now_set, name) == value} for value, label in choices
            ],
        }
        for name, title, about, choices in GROUPS
    ]
    return page(
        request,
        "settings",
        now=clock.now(),
        private=True,
        groups=groups,
        saved="saved" in request.GET,
        who=visitor(request),
    )


@csrf_exempt
@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """`/language`: choose (`language`, a code) and go back (`next`, an address of ours)."""
    if not _our_page(request):
        return _foreign(request)
    response = SeeOther(_onward(request.POST.get("next", "")) or "/")
    chosen = language_known(request.POST.get("language", ""))
    if chosen:
        language_cookie_set(response, chosen)
        who = visitor(request)
        if who is not None and "manage" in who.scopes:
            player_language_set(player_id=who.player_id, language=chosen)
    return response


# --- oneself -------------------------------------------------------------------------------------------------------


@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """`/account`: sign in, take a name, or look after the account, whichever fits who looks; who is banned reads why.

    `?next=`: where to go on to once signed in or named.
    """
    who = visitor(request)
    banned = banned_visitor(request) if who is None else None
    if who is not None and "manage" not in who.scopes:
        who = None
    shown: dict[str, Any] = {"state": "visitor"}
    if banned is not None:
        shown = {"state": "banned", "until": banned.banned_until, "deleted_days": settings.DELETED_MOVES_DAYS}
    elif who is not None:
        shown = {"state": "guest"} if who.kind == "guest" else _person(who)
    who = who or banned
    if who is not None:
        shown |= _notices(request, who)
    onward = _onward(request.GET.get("next", ""))
    response = page(request, "account", now=clock.now(), private=True, who=who, onward=onward, **shown)
    response.headers["Cache-Control"] = "no-store"  # the way back must not show who was signed in, nor a code
    return response


def _notices(request: HttpRequest, who: Actor) -> dict[str, Any]:
    """The notices of whoever looks, in words; `?after=<notice>`: older ones."""
    try:
        found = notices_list(player_id=who.player_id, now=clock.now(), cursor=request.GET.get("after"), limit=NOTICES)
    except BadInput as error:
        raise Http404 from error
    return {
        "notices": [notice_shown(each) for each in found["notices"]],
        "unread_count": found["unread"],
        "older": found["next"],
        "later": "after" in request.GET,
    }


def _person(who: Actor) -> dict[str, Any]:
    """What a person with a name sees of the account; never a secret."""
    now = clock.now()
    alive = credentials_list(player_id=who.player_id, now=now)
    tokens = [one for one in alive if one.kind == "token"]
    bots = bots_list(owner_id=who.player_id)
    return {
        "state": "person",
        "sessions": [{"row": one, "current": one.pk == who.credential_id} for one in alive if one.kind == "session"],
        "tokens": [one for one in tokens if one.player_id == who.player_id],
        "bots": [{"bot": bot, "tokens": [one for one in tokens if one.player_id == bot.pk]} for bot in bots],
        "codes_left": recovery_codes_left(player_id=who.player_id),
        "streak": daily_streaks(player_id=who.player_id, now=now),
        "deleted_days": settings.DELETED_MOVES_DAYS,
    }
