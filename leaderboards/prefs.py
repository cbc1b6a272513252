"""What a visitor has set for this browser: kept in one cookie that the server writes into the page, so that nothing
flashes, no script is needed, and blocked storage costs nothing. The language has Django's own cookie."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

COOKIE: Final = "tripeaks_prefs"
COOKIE_SECONDS: Final = 400 * 24 * 3600
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "theme": ("system", "light", "dark"),
    "suits": ("two", "four"),  # colours of the suits
    "help": ("on", "off"),  # refusals explained, cards that fit outlined (R2.4)
    "motion": ("system", "off"),
    "keys": ("on", "off"),  # letters that play, anywhere on the page of the table (WCAG 2.1.4)
    "tray": ("auto", "on", "off"),  # the open cards once more as large targets; auto: on narrow screens
}
"""The first of each is the default. The page has them as `<html data-theme=… data-suits=…>`."""
_PAIR = re.compile(r"([a-z]+)-([a-z]+)")


@dataclass(frozen=True, slots=True)
class Preferences:
    """One value of CHOICES each."""

    theme: str = "system"
    suits: str = "two"
    help: str = "on"
    motion: str = "system"
    keys: str = "on"
    tray: str = "auto"

    @property
    def text(self) -> str:
        """The value of the cookie: `theme-dark.suits-four`, defaults left out."""
        values = asdict(self)
        return ".".join(f"{name}-{values[name]}" for name, known in CHOICES.items() if values[name] != known[0])


def preferences_read(values: Mapping[str, str]) -> Preferences:
    """The known values among these; whatever is unknown counts as not set."""
    names = [field.name for field in fields(Preferences)]
    return Preferences(**{name: values[name] for name in names if values.get(name) in CHOICES[name]})


def preferences_of(request: HttpRequest) -> Preferences:
    """Those of the request's cookie, whatever somebody wrote into it."""
    return preferences_read(dict(_PAIR.findall(request.COOKIES.get(COOKIE, "")[:200])))


def preferences_write(response: HttpResponse, preferences: Preferences) -> None:
    """Let the browser keep them; where all are the defaults, it need not."""
    options: dict[str, Any] = {"path": "/", "secure": settings.SECURE_COOKIES, "httponly": True, "samesite": "Lax"}
    seconds = COOKIE_SECONDS if preferences.text else 0
    response.set_cookie(COOKIE, preferences.text, max_age=seconds, **options)


def prefs(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `prefs` for base.html."""
    return {"prefs": preferences_of(request)}
