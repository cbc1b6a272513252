"""The words of the page's scripts: one catalogue a language, at an address that changes with what is in it.

So a browser keeps it for good, and neither another language nor another release is ever taken for it. The scripts
themselves are in games/js/words.js; the catalogues in tripeaks_site/locale (`manage.py words`).
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import re
from dataclasses import dataclass
from typing import Any

import brotli
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.views.decorators.http import require_safe
from django.views.i18n import JavaScriptCatalog

_INDENTS = re.compile(rb"\n\s+")
_FOR_GOOD = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A language's script, as it is sent, and the address that names its content."""

    address: str
    script: bytes
    compressed: dict[str, bytes]  # by the encoding that a browser may ask for; the smallest first


class _Words(JavaScriptCatalog):
    """Django's, without its formats of dates and numbers: the scripts use the browser's own."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "formats": {}}


@functools.lru_cache(maxsize=64)
def catalogue(language: str) -> Catalogue:
    """Of one of settings.LANGUAGES. Only our own scripts' messages: not those of Django's admin."""
    request = HttpRequest()
    request.method = "GET"
    with translation.override(language):
        answer = _Words.as_view(packages=["tripeaks_site"])(request)
    assert isinstance(answer, HttpResponse)
    script = _INDENTS.sub(b"\n", answer.content).lstrip()  # texts are JSON: none goes over a line's end
    version = hashlib.sha256(script).hexdigest()[:12]
    compressed = {"br": brotli.compress(script), "gzip": gzip.compress(script, 9, mtime=0)}
    return Catalogue(f"/words/{language}.{version}.js", script, compressed)


def words(request: HttpRequest) -> dict[str, str]:
    """Context processor: `words_url` for pages with scripts."""
    return {"words_url": catalogue(_spoken()).address}


def _spoken() -> str:
    """The active language, as settings.LANGUAGES has it."""
    return translation.get_supported_language_variant(translation.get_language() or settings.LANGUAGE_CODE)


@require_safe
def words_js(request: HttpRequest, language: str, version: str) -> HttpResponse:
    """The catalogue at its address. A page of another release gets what we have, and asks again next time."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    found = catalogue(language)
    current = request.path_info == found.address
    headers = {"Cache-Control": _FOR_GOOD if current else "no-cache", "Vary": "Accept-Encoding"}
    body = found.script
    asked = {each.partition(";")[0].strip() for each in request.headers.get("Accept-Encoding", "").split(",")}
    for encoding, compressed in found.compressed.items():  # nothing secret in it
        if encoding in asked:
            body = compressed
            headers["Content-Encoding"] = encoding
            break
    return HttpResponse(body, content_type="text/javascript; charset=utf-8", headers=headers)
