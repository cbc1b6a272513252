"""The languages of the pages: those with catalogues of ours, and those that a host adds (TRIPEAKS_LOCALES).

Read by the settings: nothing of Django's that needs settings is used here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from django.conf.locale import LANG_INFO
from django.utils.translation import to_language

OURS: Final = (
    ("en", "English"),
    ("id", "Bahasa Indonesia"),
    ("fi", "Suomi"),
    ("ms", "Bahasa Melayu"),
    ("pt-br", "Português (Brasil)"),
)
"""Only those: Django's own catalogues alone would put a German date on an English page."""


def catalogues_in(directory: Path) -> dict[str, Path]:
    """Language code: its compiled catalogue, of `<directory>/<locale>/LC_MESSAGES/django.mo`, by code."""
    found = sorted(directory.glob("*/LC_MESSAGES/django.mo"))
    return {to_language(path.parent.parent.name): path for path in found}


def known(code: str) -> bool:
    """Whether Django knows the language's name and direction."""
    return "name_local" in LANG_INFO.get(code, {})


def languages(further: Path | None) -> list[tuple[str, str]]:
    """Code and own name of ours, then of those that the directory adds; what it lacks, tripeaks.E005 says."""
    ours = {code for code, _ in OURS}
    added = [code for code in catalogues_in(further) if code not in ours and known(code)] if further else []
    return [*OURS, *((code, LANG_INFO[code]["name_local"]) for code in added)]
