"""Test-only catalogues: Polish for its plurals, Arabic for its six forms and its direction. Not languages of the site."""

from __future__ import annotations

import functools
from pathlib import Path

from tests import servers
from tripeaks_site.catalogues import compile_all


@functools.cache
def compiled_locales() -> Path:
    """A directory for TRIPEAKS_LOCALES with both, compiled; one for the whole test run."""
    into = servers.temporary_directory()
    compile_all(Path(__file__).parent, into)
    return into
