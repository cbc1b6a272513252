"""The catalogues of words: complete in every language, as compiled, and with every text of the source.

GNU gettext is not needed: Babel reads the files. After a change of texts: `manage.py words`, then translate.
"""

from __future__ import annotations

import ast
import gettext as gnu
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from tests.processes import ROOT, run_manage
from tripeaks_site.catalogues import (
    DOMAINS,
    KEYWORDS,
    catalogue_files,
    collected,
    compile_all,
    compiled,
    messages_of,
    read,
    sources,
    texts,
    update,
)

FILES = catalogue_files()


def ids(message: Message) -> tuple[str, ...]:
    return tuple(message.id) if isinstance(message.id, (tuple, list)) else (message.id,)


def placeholders(text: str) -> set[str]:
    """`%(name)s` and a lone %: `%%` is a per cent sign."""
    return set(re.findall(r"%(?:\(\w+\))?.", text.replace("%%", "")))


def wrong_with(message: Message) -> Iterator[str]:
    """What a player would notice in a translation."""
    if message.fuzzy:
        yield "is a guess"
    if not all(text.strip() for text in texts(message)):
        yield "is not translated"
        return
    wanted = placeholders(ids(message)[-1])
    for text in texts(message):
        found = placeholders(text)
        # "one move", "two moves": a form for one number only may leave the number out.
        if found - wanted or (wanted - found and (not message.pluralizable or wanted - found != {"%(count)s"})):
            yield f"has the placeholders {sorted(found)} instead of {sorted(wanted)}"
        first, last = ids(message)[0], text
        if (first[:1].isspace(), first[-1:].isspace()) != (last[:1].isspace(), last[-1:].isspace()):
            yield "begins or ends with another space"
        if (ids(message)[-1].count("\n") > 0) != ("\n" in text):
            yield "has other line breaks"


def complaints(catalog: Catalog) -> list[str]:
    return [f"{message.id!r} {wrong}" for message in catalog if message.id for wrong in wrong_with(message)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_every_text_is_translated(path: Path) -> None:
    assert complaints(read(path)) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_the_compiled_file_says_what_the_catalogue_says(path: Path) -> None:
    def content(file: io.BufferedIOBase) -> dict[object, str]:
        catalog = gnu.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        return {key: text for key, text in catalog.items() if key != ""}

    with path.with_suffix(".mo").open("rb") as there:
        assert content(there) == content(io.BytesIO(compiled(path))), "run manage.py words"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_it_has_every_text_of_the_source_and_no_other(path: Path) -> None:
    def names(catalog: Catalog) -> set[tuple[object, ...]]:
        return {(message.context, *ids(message)) for message in catalog if message.id}

    here, used = names(read(path)), names(collected(path.stem))
    assert (sorted(map(repr, used - here)), sorted(map(repr, here - used))) == ([], []), "run manage.py words"


@pytest.mark.parametrize("domain", DOMAINS)
def test_placeholders_have_names_and_counts_have_plural_forms(domain: str) -> None:
    for message in collected(domain):
        for text in ids(message):
            unnamed = [each for each in placeholders(text) if re.fullmatch(r"%[a-z]", each)]
            assert not unnamed, message.id  # translations could not change their order
        if str(message.id).startswith("%(count)s deals, each with"):
            continue  # always 50,000
        assert message.pluralizable or not re.search(r"%\(count\)s \w", str(message.id)), message.id


# --- nothing escapes the collection --------------------------------------------------------------------------------


def calls_in_python(path: Path) -> int:
    """Calls of the gettext functions, but for texts that stand elsewhere (`gettext(ruleset.name)`)."""
    names = {name for name in KEYWORDS if "pgettext" in name}
    found = 0
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYWORDS and node.args:
            text = node.args[1 if node.func.id in names else 0]
            found += not isinstance(text, (ast.Name, ast.Attribute, ast.Subscript))
    return found


def calls_in_script(path: Path) -> int:
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    return len(re.findall(r"(?<![\w.])(?:n|p|np)?gettext\((?!\w+[,)])", text))


def calls_in_template(path: Path) -> int:
    text = re.sub(r"\{#.*?#\}|\{% comment.*?endcomment %\}", "", path.read_text(), flags=re.DOTALL)
    tags = len(re.findall(r"\{%-?\s*(?:trans|translate|blocktrans|blocktranslate)\b", text))
    return tags + len(re.findall(r"(?<![\w.])_\(", text))


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_call_in_the_source_has_its_text_written_out(domain: str) -> None:
    for path in sources(domain):
        if path.name == "catalogues.py":
            continue
        count = {".py": calls_in_python, ".js": calls_in_script}.get(path.suffix, calls_in_template)(path)
        assert len(list(messages_of(path))) == count, path.relative_to(ROOT)


# --- the checks notice what they are there for ----------------------------------------------------------------------

HEADER = 'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ('msgid "Draw"\nmsgstr ""', "is not translated"),
        ('msgid "Draw"\nmsgstr " "', "is not translated"),
        ('#, fuzzy\nmsgid "Draw"\nmsgstr "Nosta"', "is a guess"),
        ('msgid "%(name)s won"\nmsgstr "%(nimi)s voitti"', "has the placeholders"),
        ('msgid "%(name)s won"\nmsgstr "Voitto"', "has the placeholders"),
        ('msgid "You won "\nmsgstr "Voitit"', "begins or ends with another space"),
        ('msgid "a\\nb"\nmsgstr "a b"', "has other line breaks"),
        (
            'msgid "%(count)s move"\nmsgid_plural "%(count)s moves"\nmsgstr[0] "siirto"\nmsgstr[1] ""',
            "is not translated",
        ),
        (
            'msgid "%(count)s of %(all)s"\nmsgid_plural "%(count)s of %(all)s"\nmsgstr[0] "a"\nmsgstr[1] "b"',
            "has the placeholders",
        ),
    ],
)
def test_a_fault_in_a_catalogue_is_noticed(entry: str, wrong: str) -> None:
    found = complaints(read_po(io.BytesIO((HEADER + entry + "\n").encode()), locale="fi"))
    assert found
    assert all(wrong in each for each in found)


def test_a_good_catalogue_passes() -> None:
    entries = (
        'msgid "Draw"\nmsgstr "Nosta"\n\nmsgid "%(name)s won"\nmsgstr "Voittaja: %(name)s"\n\n'
        'msgid "%(count)s move"\nmsgid_plural "%(count)s moves"\nmsgstr[0] "yksi siirto"\nmsgstr[1] "%(count)s siirtoa"\n'
    )
    assert complaints(read_po(io.BytesIO((HEADER + entries).encode()), locale="fi")) == []


def write_source(root: Path) -> None:
    files = {
        "games/a.py": 'from x import gettext as _\n# Translators: a button\n_("Draw")\nngettext("%(count)s move", "%(count)s moves", 2)\n',
        "games/t.html": '{% load i18n %}\n<p>{% trans "Undo" %}</p>\n  {% blocktrans trimmed %}\n    One\n    two {{ name }}.\n  {% endblocktrans %}\n',
        "leaderboards/s.js": 'import { gettext, pgettext } from "./words.js";\n// Translators: a heading\ngettext("Rules"); const r = /"/g;\npgettext("of a board", "Best");\n',
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_texts_are_collected_from_python_templates_and_scripts(tmp_path: Path) -> None:
    write_source(tmp_path)
    django, scripts = collected("django", tmp_path), collected("djangojs", tmp_path)
    assert [m.id for m in django if m.id] == [
        "Draw",
        ("%(count)s move", "%(count)s moves"),
        "Undo",
        "One two %(name)s.",
    ]
    assert [(m.context, m.id) for m in scripts if m.id] == [(None, "Rules"), ("of a board", "Best")]
    notes = {str(message.id): message.auto_comments for catalog in (django, scripts) for message in catalog}
    assert (notes["Draw"], notes["Rules"]) == (["a button"], ["a heading"])


def test_merging_keeps_translations_adds_new_texts_empty_and_drops_unused_ones(tmp_path: Path) -> None:
    write_source(tmp_path)
    path = tmp_path / "fi" / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True)
    path.write_text(HEADER + 'msgid "Draw"\nmsgstr "Nosta"\n\nmsgid "Undo it"\nmsgstr "Kumoa se"\n')
    update(path, collected("django", tmp_path))
    first = path.read_bytes()
    assert {str(m.id): m.string for m in read(path) if m.id} == {
        "Draw": "Nosta",
        "('%(count)s move', '%(count)s moves')": ("", ""),
        "Undo": "",
        "One two %(name)s.": "",
    }
    assert not any(message.fuzzy for message in read(path) if message.id)
    assert b"Undo it" not in first
    update(path, collected("django", tmp_path))
    assert path.read_bytes() == first  # nothing that changes by itself


def test_what_is_not_wholly_translated_stays_english(tmp_path: Path) -> None:
    path = tmp_path / "fi" / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True)
    half = 'msgid "%(count)s move"\nmsgid_plural "%(count)s moves"\nmsgstr[0] "siirto"\nmsgstr[1] ""\n'
    path.write_text(HEADER + 'msgid "Draw"\nmsgstr "Nosta"\n\n' + half)
    (written,) = compile_all(tmp_path)
    with written.open("rb") as file:
        found = gnu.GNUTranslations(file)
    assert found.gettext("Draw") == "Nosta"
    assert found.ngettext("%(count)s move", "%(count)s moves", 2) == "%(count)s moves"


def test_the_command_makes_no_languages_in_a_directory_of_somebody_else(tmp_path: Path) -> None:
    done = run_manage("words", str(tmp_path), check=False)
    assert done.returncode == 1
    assert "pl/LC_MESSAGES/django.po" in done.stderr
    assert list(tmp_path.iterdir()) == []
