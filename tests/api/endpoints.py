"""Every address and method under /api/v1/, read from the URL patterns, so that no test forgets a new one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

SAMPLES = {"public_id": "0123456789abcdef", "board": "TP1-E-AAAAAAB", "which": "2026-11-29", "number": "17"}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class Endpoint:
    """`pattern` as in urls.py with {name} for parameters; `path` with samples in their place, from /api/v1 on."""

    pattern: str
    path: str
    methods: tuple[str, ...]

    @property
    def writes(self) -> tuple[str, ...]:
        return tuple(method for method in self.methods if method != "GET")


def _patterns(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _patterns(entry, route)
        else:
            yield route, entry


def endpoints() -> list[Endpoint]:
    """All, each address once: the first pattern is the one that is reached."""
    found: dict[str, Endpoint] = {}
    for route, entry in _patterns(get_resolver(), ""):
        if not route.startswith("api/v1/"):
            continue
        pattern, path = route.removeprefix("api/v1"), route.removeprefix("api/v1")
        for name in entry.pattern.converters:
            pattern = pattern.replace(f"<str:{name}>", f"{{{name}}}")
            path = path.replace(f"<str:{name}>", SAMPLES[name])
        view: Any = getattr(entry.callback, "cls", None)
        assert view is not None, f"{route} is not an ApiView"
        methods = tuple(method for method in METHODS if hasattr(view, method.lower()))
        found.setdefault(pattern, Endpoint(pattern, path, methods))
    return list(found.values())
