"""The language of a browser and of an account: Django's cookie for the one, the player's row for the other."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_supported_language_variant
from rest_framework.request import Request
from rest_framework.response import Response

from games.services import player_language_set


def language_known(code: str) -> str:
    """The language of settings.LANGUAGES that is meant by a code such as `fi` or `pt-BR`; empty for others."""
    try:
        return get_supported_language_variant(code, strict=True)
    except LookupError:
        return ""


def language_cookie_set(response: HttpResponse | Response, language: str) -> None:
    """Let the browser keep the choice; empty: forget it, and go by what the browser asks for."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE if language else 0,
        path=settings.LANGUAGE_COOKIE_PATH,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )


def language_join(request: HttpRequest | Request, response: Response, *, player_id: int, language: str) -> None:
    """After signing in by cookie: the account's choice is now the browser's; without one the browser's is the account's."""
    if language:
        language_cookie_set(response, language)
        return
    chosen = language_known(request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, ""))
    if chosen:
        player_language_set(player_id=player_id, language=chosen)
