"""Typed reading of environment variables: a value that makes no sense stops the start with a clear message."""

from __future__ import annotations

import difflib
import os

from django.core.exceptions import ImproperlyConfigured

PREFIX = "TRIPEAKS_"
_asked: set[str] = set()  # every name that was read, set or not
_OF_OTHERS = {"TRIPEAKS_HOSTS", "TRIPEAKS_PORT"}  # docker-compose.yml's own; with its file .env they reach us, too
_OF_TESTS = "TRIPEAKS_TEST_"


def text(name: str, default: str = "") -> str:
    """The variable TRIPEAKS_<name>, or the default when it is unset or empty."""
    _asked.add(PREFIX + name)
    return os.environ.get(PREFIX + name) or default


def unknown() -> dict[str, str]:
    """Variables that are set and that no setting has asked for, each with the name that may be meant (or nothing)."""
    ours = (name for name in os.environ if name.startswith(PREFIX) and not name.startswith(_OF_TESTS))
    strange = sorted(set(ours) - _asked - _OF_OTHERS)
    return {name: "".join(difflib.get_close_matches(name, sorted(_asked), n=1, cutoff=0.8)) for name in strange}


def flag(name: str, default: bool) -> bool:
    """1/true/yes/on or 0/false/no/off."""
    raw = text(name).strip().lower()
    if not raw:
        return default
    if raw in {"1", "true", "yes", "on"}:
        return True
    if raw in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{PREFIX}{name} must be 1 or 0, not {raw!r}.")


def integer(name: str, default: int, *, low: int = 0, high: int = 10**9) -> int:
    """A whole number between `low` and `high`."""
    raw = text(name).strip()
    if not raw:
        return default
    try:
        number = int(raw)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise ImproperlyConfigured(f"{PREFIX}{name} must be a whole number from {low} to {high}, not {raw!r}.")
    return number


def rate(name: str, default: tuple[int, int]) -> tuple[int, int]:
    """So many in so many seconds, `60/60`; both at least 1."""
    raw = text(name).strip()
    if not raw:
        return default
    count, _, seconds = raw.partition("/")
    if not all(part.isascii() and part.isdigit() and 1 <= int(part) <= 10**9 for part in (count, seconds)):
        raise ImproperlyConfigured(f"{PREFIX}{name} must look like 60/60, not {raw!r}.")
    return int(count), int(seconds)


def items(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """A comma-separated list."""
    raw = text(name)
    return [item.strip() for item in raw.split(",") if item.strip()] if raw else list(default)


def span(name: str, default: tuple[float, float]) -> tuple[float, float]:
    """Two shares, low-high, each from 0 to 1: `0.3-0.6`."""
    raw = text(name).strip()
    if not raw:
        return default
    low, _, high = raw.partition("-")
    try:
        found = (float(low), float(high))
    except ValueError:
        found = (1.0, 0.0)
    if not 0 <= found[0] <= found[1] <= 1:
        raise ImproperlyConfigured(f"{PREFIX}{name} must be two shares from 0 to 1, such as 0.3-0.6, not {raw!r}.")
    return found


def choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    """One of some words, in capitals or not."""
    raw = text(name).strip()
    if not raw:
        return default
    for each in choices:
        if raw.lower() == each.lower():
            return each
    raise ImproperlyConfigured(f"{PREFIX}{name} must be one of {', '.join(choices)}, not {raw!r}.")


def address(name: str) -> tuple[str, int] | None:
    """`host:port`, or a port of 127.0.0.1; None where it is unset."""
    raw = text(name).strip()
    if not raw:
        return None
    host, _, port = raw.rpartition(":")
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
        raise ImproperlyConfigured(f"{PREFIX}{name} must look like 127.0.0.1:9100 or 9100, not {raw!r}.")
    return host.strip("[]") or "127.0.0.1", int(port)
