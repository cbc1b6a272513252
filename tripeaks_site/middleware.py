"""Headers that every answer carries, and the middleware of pages that the API does without."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.middleware.locale import LocaleMiddleware
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from games.api.auth import client_address
from games.errors import TooMany
from games.throttles import throttle

logger = logging.getLogger(__name__)

# Pages: own files only, no inline script or style, sockets to our own host ('self' covers ws and wss).
_PAGES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Django's admin writes style attributes.
_ADMIN = _PAGES.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
    "img-src 'self'", "img-src 'self' data:"
)
_DATA = "default-src 'none'; frame-ancestors 'none'"
# Addresses without a visitor's language, session or form. The catalogues of words (tripeaks_site.words) name their own.
_NO_PAGES = ("/api/", "/words/")
_PERMISSIONS = "camera=(), microphone=(), geolocation=(), payment=(), usb=()"


class SecurityHeadersMiddleware:
    """Outermost, so that static files and refusals have the headers too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        headers = response.headers
        page = headers.get("Content-Type", "").startswith("text/html")
        policy = _DATA
        if page:
            policy = _ADMIN if request.path_info.startswith("/admin/") else _PAGES
            headers.setdefault("Permissions-Policy", _PERMISSIONS)
            headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
            patch_vary_headers(response, ["Cookie"])  # preferences, language, and whose page it is
            if isinstance(response, HttpResponse):
                headers.setdefault("Cache-Control", "no-cache")
        headers.setdefault("Content-Security-Policy", policy)
        return response


class PageThrottle:
    """So many pages an address (the API counts for itself): writing out a long replay costs a third of a second."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(_NO_PAGES):
            try:
                throttle("page", f"address:{client_address(request.META)}")
            except TooMany as refusal:
                with translation.override(translation.get_language_from_request(request)):
                    return _later(request, 429, int(refusal.data["retry_after"]))
        return self.get_response(request)


class PageOutage:
    """A database that is away for a moment makes a page come later; it breaks none (the API says so for itself)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, OperationalError | InterfaceError):
            return None
        logger.warning("The database is away: %s", type(exception).__name__)
        connection.close()  # the next request gets a fresh one
        return _later(request, 503, 5)


def _later(request: HttpRequest, status: int, wait: int) -> HttpResponse:
    """A page that asks to be asked for again in so many seconds."""
    page = render_to_string(f"{status}.html", {"path": request.get_full_path(), "wait": wait})
    return HttpResponse(page, status=status, headers={"Retry-After": str(wait), "Cache-Control": "no-store"})


class _PagesOnly(MiddlewareMixin):
    """The API has no sessions, languages or forms (its credential and its origin rule are in games.api.auth), and a
    fifth of the CPU of a move went into them."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(_NO_PAGES):
            return self.get_response(request)  # type: ignore[return-value, unused-ignore]
        return super().__call__(request)  # type: ignore[return-value, unused-ignore]


class PageSessions(_PagesOnly, SessionMiddleware):
    """The admin's own sessions."""


class PageLanguage(_PagesOnly, LocaleMiddleware):
    """The visitor's language; the API speaks codes and English, and the desk of the moderators English alone."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith("/admin/"):
            translation.activate("en")
            request.LANGUAGE_CODE = "en"
        else:
            super().process_request(request)


class PageForms(_PagesOnly, CsrfViewMiddleware):
    """Cross-site checks of forms."""


class PageUser(_PagesOnly, AuthenticationMiddleware):
    """The signed-in moderator."""


class PageMessages(_PagesOnly, MessageMiddleware):
    """What the admin says after an action."""
