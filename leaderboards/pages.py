"""What every page's view needs: rendering in the official zone, and who looks."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from games import clock
from games.api.auth import banned_actor, optional_actor
from games.errors import Forbidden, NotSignedIn
from games.services.credentials import Actor

from .moderation.player_selectors import UNREAD

PAGE = 50
"""Rows of a list on one page."""
_UNREAD = "tripeaks.unread"


def page(
    request: HttpRequest, template: str, *, now: dt.datetime, status: int = 200, private: bool = False, **context: Any
) -> HttpResponse:
    """Render `leaderboards/<template>.html` with times in the official zone.

    `here` (default: the template's name) marks the page in the navigation. `private`: the page shows something of this
    visitor, so no cache may give it to another.
    """
    context.setdefault("here", template)
    with timezone.override(settings.OFFICIAL_ZONE):
        unread = request.META.get(_UNREAD, False)
        shown = {**context, "at": now, "now": clock.iso(now), "zone": settings.OFFICIAL_ZONE, "unread": unread}
        response = render(request, f"leaderboards/{template}.html", shown, status=status)
    if private:
        response.headers["Cache-Control"] = "private, no-cache"
    return response


def visitor(request: HttpRequest) -> Actor | None:
    """Who looks at a page, by the credential cookie: one query, none without the cookie.

    None for everybody, too, whose credential may not read. It also learns whether there are unread notices, for the
    mark in the navigation.
    """
    try:
        found = optional_actor(request, also=UNREAD)
    except (NotSignedIn, Forbidden):  # a broken header; a form on somebody else's page
        return None
    if found is None or "read" not in found.scopes:
        return None
    request.META[_UNREAD] = found.also and found.session
    return found


def banned_visitor(request: HttpRequest) -> Actor | None:
    """Who looks at a page with the session of a banned account; only the page of the account asks."""
    try:
        return banned_actor(request)
    except (NotSignedIn, Forbidden):
        return None
