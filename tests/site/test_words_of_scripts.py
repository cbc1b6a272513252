"""The catalogue of the page's scripts: at an address of its language and content, so that it may be kept for good."""

from __future__ import annotations

import datetime as dt
import gzip
import re
from pathlib import Path
from typing import Any

import brotli
import pytest
from django.core.checks import run_checks
from django.test import Client
from django.utils import formats, translation
from pytest_django import Settings

from tests.locale import compiled_locales
from tests.processes import run_manage
from tripeaks_site.languages import OURS, languages
from tripeaks_site.words import catalogue, words

CODES = [code for code, _ in OURS]


def fetch(address: str, **headers: str) -> Any:
    return Client().get(address, headers=headers)


@pytest.mark.parametrize("language", CODES)
def test_it_may_be_kept_for_good_at_its_own_address_alone(language: str) -> None:
    found = catalogue(language)
    answer = fetch(found.address)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    other = fetch(re.sub(r"\.[0-9a-f]{12}\.", ".0123456789ab.", found.address))
    assert (other.status_code, other.headers["Cache-Control"]) == (200, "no-cache")
    assert other.content == answer.content == found.script


def test_it_speaks_the_language_of_its_address_whatever_the_browser_asks_for() -> None:
    finnish = catalogue("fi").address
    client = Client(headers={"accept-language": "id"})
    client.cookies["django_language"] = "ms"
    answer = client.get(finnish)
    assert answer.content == catalogue("fi").script
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert not answer.cookies


@pytest.mark.parametrize(
    ("asked", "encoding", "expand"),
    [
        ("gzip, deflate", "gzip", gzip.decompress),
        ("gzip, deflate, br;q=1.0", "br", brotli.decompress),
        ("", None, bytes),
    ],
)
def test_it_is_sent_compressed_to_who_can_read_that(asked: str, encoding: str | None, expand: Any) -> None:
    found = catalogue("fi")
    answer = fetch(found.address, **{"accept-encoding": asked})
    assert answer.headers.get("Content-Encoding") == encoding
    assert expand(answer.content) == found.script


@pytest.mark.parametrize("address", ["/words/xx.0123456789ab.js", "/words/de.0123456789ab.js", "/words/fi.js"])
def test_other_languages_have_none(address: str) -> None:
    assert fetch(address).status_code == 404


@pytest.mark.parametrize("language", CODES)
def test_pages_name_the_address_of_the_language_they_speak(language: str) -> None:
    request: Any = None
    with translation.override(language):
        assert words(request) == {"words_url": catalogue(language).address}
    assert catalogue(language).address.startswith(f"/words/{language}.")


def test_only_our_own_scripts_words_are_in_it() -> None:
    for code in CODES:
        assert b"Filter" not in catalogue(code).script  # Django's admin


# --- languages that a host adds ------------------------------------------------------------------------------------


def test_a_directory_of_catalogues_adds_languages_by_their_own_names() -> None:
    assert languages(None) == list(OURS)
    assert languages(compiled_locales()) == [*OURS, ("ar", "العربيّة"), ("pl", "polski")]


@pytest.mark.parametrize("found", ["nothing", "no directory", "an unknown language"])
def test_a_directory_that_adds_nothing_is_named_by_a_check(found: str, settings: Settings, tmp_path: Path) -> None:
    settings.LOCALES = tmp_path / "missing" if found == "no directory" else tmp_path
    if found == "an unknown language":
        folder = tmp_path / "tlh" / "LC_MESSAGES"
        folder.mkdir(parents=True)
        (folder / "django.mo").touch()
    (error,) = [message for message in run_checks() if message.id == "tripeaks.E005"]
    assert str(settings.LOCALES) in error.msg
    assert "TRIPEAKS_LOCALES" in str(error.hint)


def test_the_check_stops_commands() -> None:
    assert "tripeaks.E005" in run_manage("check", env={"TRIPEAKS_LOCALES": "/nonexistent"}, check=False).stderr
    run_manage("check", env={"TRIPEAKS_LOCALES": str(compiled_locales())})


# --- dates and numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "number", "date", "time"),
    [
        ("en", "1,204,000", "9 November 2026", "18:05"),
        ("id", "1.204.000", "9 November 2026", "18.05"),
        ("fi", "1\N{NO-BREAK SPACE}204\N{NO-BREAK SPACE}000", "9. marraskuuta 2026", "18.05"),
        ("ms", "1,204,000", "9 November 2026", "18:05"),
        ("pt-br", "1.204.000", "9 de nov. de 2026", "18:05"),
    ],
)
def test_each_language_writes_numbers_and_dates_its_way(language: str, number: str, date: str, time: str) -> None:
    instant = dt.datetime(2026, 11, 9, 18, 5, tzinfo=dt.UTC)
    with translation.override(language):
        assert formats.number_format(1_204_000, force_grouping=True) == number
        assert formats.date_format(instant) == date
        assert formats.time_format(instant.time()) == time
