"""What every page's view needs: rendering in the official zone, and who looks."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from games import clock
from games.api.auth import optional_actor
from games.errors import Forbidden, NotSignedIn
from games.services.credentials import Actor

PAGE = 50
"""Rows of a list on one page."""


def page(
    request: HttpRequest, template: str, *, now: dt.datetime, status: int = 200, private: bool = False, **context: Any
) -> HttpResponse:
    """Render `leaderboards/<template>.html` with times in the official zone.

    `here` (default: the template's name) marks the page in the navigation. `private`: the page shows something of this
    visitor, so no cache may give it to another.
    """
    context.setdefault("here", template)
    with timezone.override(settings.OFFICIAL_ZONE):
        shown = {**context, "at": now, "now": clock.iso(now), "zone": settings.OFFICIAL_ZONE}
        response = render(request, f"leaderboards/{template}.html", shown, status=status)
    if private:
        response.headers["Cache-Control"] = "private, no-cache"
    return response


def visitor(request: HttpRequest) -> Actor | None:
    """Who looks at a page, by the credential cookie: one query, none without the cookie.

    None for everybody, too, whose credential may not read.
    """
    try:
        found = optional_actor(request)
    except (NotSignedIn, Forbidden):  # a broken header; a form on somebody else's page
        return None
    return found if found is not None and "read" in found.scopes else None
