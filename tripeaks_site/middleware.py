"""Headers that every answer carries: a strict content security policy, and nothing of the browser that is not used."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

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
            if isinstance(response, HttpResponse):
                headers.setdefault("Cache-Control", "no-cache")
        headers.setdefault("Content-Security-Policy", policy)
        return response
