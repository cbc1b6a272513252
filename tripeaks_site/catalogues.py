"""The catalogues of words: collected from the source, merged into each language's .po files, compiled to .mo.

Babel does the work (a developer's package: servers read only the .mo files), so GNU gettext is not needed.
"""

from __future__ import annotations

import datetime as dt
import gettext
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import locale as django_locales
from django.utils.translation import to_locale
from django.utils.translation.template import templatize

from .languages import OURS

ROOT: Final = Path(__file__).resolve().parent.parent
LOCALE: Final = ROOT / "tripeaks_site" / "locale"
APPS: Final = ("games", "leaderboards", "tripeaks_site")
DOMAINS: Final = {"django": (".py", ".html", ".txt"), "djangojs": (".js",)}
"""What Django's own makemessages calls them, and whose files they are."""
KEYWORDS: Final = {
    **{f"gettext{kind}": None for kind in ("", "_lazy", "_noop")},
    **{f"ngettext{kind}": (1, 2) for kind in ("", "_lazy")},
    **{f"pgettext{kind}": ((1, "c"), 2) for kind in ("", "_lazy")},
    **{f"npgettext{kind}": ((1, "c"), 2, 3) for kind in ("", "_lazy")},
    "_": None,
}
_SOME_DAY: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)  # so that the same words give the same file
_NOISE: Final = re.compile(r'"(Project-Id-Version|Report-Msgid|POT-|PO-|Last-Translator|Language-Team|Generated-By)')


def sources(domain: str, root: Path = ROOT) -> list[Path]:
    """The files whose words belong to a domain; words.js defines the functions and uses none."""
    found = (path for app in APPS for path in (root / app).rglob("*") if path.suffix in DOMAINS[domain])
    return sorted(path for path in found if path.name != "words.js" and "node_modules" not in path.parts)


def messages_of(path: Path) -> Iterator[tuple[str | tuple[str, ...], str | None, list[str]]]:
    """(message or its plural forms, context, notes for translators) for each call with literal text."""
    text = path.read_text()
    language = "javascript" if path.suffix == ".js" else "python"
    if path.suffix in {".html", ".txt"}:
        # Django's own way: the template as something like Python, whose indentation means nothing.
        text = "\n".join(line.lstrip() for line in templatize(text, origin=str(path)).splitlines())
    file = io.BytesIO(text.encode())
    options = {"parse_template_string": True} if language == "javascript" else {}
    found = extract(language, file, KEYWORDS, ("Translators:",), options, strip_comment_tags=True)
    for _, message, notes, context in found:
        yield message, context, notes


def collected(domain: str, root: Path = ROOT) -> Catalog:
    """Every message of the source, in the order of the files."""
    catalog = Catalog()
    for path in sources(domain, root):
        for message, context, notes in messages_of(path):
            catalog.add(message, context=context, auto_comments=notes, locations=[(str(path.relative_to(root)), 1)])
    return catalog


def read(path: Path) -> Catalog:
    """A .po file; its language is its directory's."""
    with path.open("rb") as file:
        catalog = read_po(file, locale=path.parent.parent.name, abort_invalid=True)
    catalog.creation_date = catalog.revision_date = _SOME_DAY
    return catalog


def update(path: Path, template: Catalog) -> Catalog:
    """The .po file with the messages of the source: new ones empty, never guessed; those no longer used left out."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_beginning(path.parent.parent.name))
    catalog = read(path)
    catalog.update(template, no_fuzzy_matching=True, update_creation_date=False)
    file = io.BytesIO()
    write_po(file, catalog, width=100, ignore_obsolete=True, include_lineno=False)
    path.write_text(_without_noise(file.getvalue().decode()))
    return catalog


def texts(message: Message) -> tuple[str, ...]:
    """The translation: one text, or one for each plural form."""
    return tuple(message.string) if isinstance(message.string, (tuple, list)) else (message.string or "",)


def compiled(path: Path) -> bytes:
    """What belongs into the .mo file of a .po file: only what is wholly translated; the rest stays English."""
    catalog = read(path)
    for message in list(catalog):
        if message.id and not all(texts(message)):
            catalog.delete(message.id, message.context)
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def compile_all(directory: Path, into: Path | None = None) -> list[Path]:
    """Write the .mo file of every .po file below, beside it or at the same place of another directory."""
    written = []
    for path in sorted(directory.glob("*/LC_MESSAGES/*.po")):
        target = (into or directory) / path.relative_to(directory).with_suffix(".mo")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(compiled(path))
        written.append(target)
    return written


def catalogue_files(directory: Path = LOCALE) -> list[Path]:
    """The .po files of our languages but English, whose texts are the messages themselves; there or not yet."""
    locales = [to_locale(code) for code, _ in OURS if code != "en"]
    return [directory / locale / "LC_MESSAGES" / f"{domain}.po" for locale in locales for domain in DOMAINS]


def _beginning(locale: str) -> str:
    """The header of a new .po file: with the plural forms of Django's own catalogue, as most translations have them."""
    django = gettext.translation("django", django_locales.__path__[0], [locale]).info()["plural-forms"]
    return (
        f'msgid ""\nmsgstr ""\n"Language: {locale}\\n"\n"Plural-Forms: {django}\\n"\n'
        '"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
    )


def _without_noise(text: str) -> str:
    """The header with what means something only: no dates, names and versions that change by themselves."""
    head, _, rest = text[text.index('msgid ""') :].partition("\n\n")
    kept = [line for line in head.splitlines() if not _NOISE.match(line)]
    return "\n".join(kept) + "\n\n" + rest.strip("\n") + "\n"
