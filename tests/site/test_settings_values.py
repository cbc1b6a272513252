"""A setting that makes no sense stops the start; what parses but cannot work is a system check."""

from __future__ import annotations

import datetime as dt
import io
import re

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from pytest_django import Settings

from leaderboards.models import Calendar
from tests.processes import ROOT
from tripeaks_site import env


@pytest.mark.parametrize("text", ["0/60", "60/0", "-1/60", "60", "60/", "/60", "60/60/60", "a/b", "²/60", "60/ 60x"])
def test_a_limit_is_so_many_in_so_many_seconds(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("TRIPEAKS_THROTTLE_READ", text)
    with pytest.raises(ImproperlyConfigured, match="TRIPEAKS_THROTTLE_READ must look like 60/60"):
        env.rate("THROTTLE_READ", (1, 1))
    monkeypatch.setenv("TRIPEAKS_THROTTLE_READ", " 30/5 ")
    assert env.rate("THROTTLE_READ", (1, 1)) == (30, 5)
    monkeypatch.setenv("TRIPEAKS_THROTTLE_READ", "")
    assert env.rate("THROTTLE_READ", (1, 1)) == (1, 1)


def said() -> str:
    out = io.StringIO()
    call_command("check", databases=["default"], stdout=io.StringIO(), stderr=out)
    return out.getvalue()


@pytest.mark.django_db
def test_settings_that_differ_from_the_stored_calendar_are_warned_of(settings: Settings) -> None:
    settings.OFFICIAL_ZONE = "Europe/Helsinki"
    assert "tripeaks.W" not in said(), "nothing is stored yet"
    Calendar.objects.create(day_one=dt.date(2026, 11, 29), zone="UTC")
    assert "tripeaks.W002" in said()
    assert "TRIPEAKS_OFFICIAL_ZONE=UTC" in said()
    settings.OFFICIAL_ZONE, settings.DAILY_DAY_ONE = "UTC", "2026-11-29"
    assert "tripeaks.W" not in said()
    settings.DAILY_DAY_ONE = "2027-01-01"
    assert "tripeaks.W003" in said()


@pytest.mark.django_db
def test_before_the_first_migration_there_is_nothing_to_differ_from() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE leaderboards_calendar RENAME TO gone")  # rolled back with the test
    assert "tripeaks.W" not in said()


@pytest.mark.parametrize("text", ["0", "65536", "x", "host:", "1.2.3.4:x", "9100:host"])
def test_an_address_is_a_port_with_or_without_a_host(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("TRIPEAKS_METRICS", text)
    with pytest.raises(ImproperlyConfigured, match="TRIPEAKS_METRICS must look like"):
        env.address("METRICS")
    for good, read in (
        ("9100", ("127.0.0.1", 9100)),
        ("0.0.0.0:1", ("0.0.0.0", 1)),
        ("[::1]:9", ("::1", 9)),
        ("", None),
    ):
        monkeypatch.setenv("TRIPEAKS_METRICS", good)
        assert env.address("METRICS") == read


def test_a_word_is_one_of_those_that_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIPEAKS_LOG_FORMAT", "JSON")
    assert env.choice("LOG_FORMAT", "text", ("text", "json")) == "json"
    monkeypatch.setenv("TRIPEAKS_LOG_FORMAT", "xml")
    with pytest.raises(ImproperlyConfigured, match="TRIPEAKS_LOG_FORMAT must be one of text, json"):
        env.choice("LOG_FORMAT", "text", ("text", "json"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        ("SENTRY_DSN", "sentry.example.org", "tripeaks.E006"),
        ("TRUSTED_ORIGINS", ["play.example.org"], "tripeaks.E007"),
        ("CORS_WRITE_ORIGINS", ["http://play.example.org/"], "tripeaks.E007"),
        ("REDIS_URL", "", "tripeaks.W006"),
        ("ALLOWED_HOSTS", ["*"], "tripeaks.W007"),
        ("TRUSTED_ORIGINS", ["https://play.example.org"], "tripeaks.W008"),
        ("HTTP_THREADS", 5000, "tripeaks.W009"),
    ],
)
def test_what_would_only_show_later_is_said_at_the_start(
    settings: Settings, name: str, value: object, wrong: str
) -> None:
    settings.SENTRY_DSN, settings.SECURE_COOKIES = "https://key@sentry.example.org/1", False
    assert "tripeaks." not in said()
    setattr(settings, name, value)
    if wrong.startswith("tripeaks.E"):
        with pytest.raises(SystemCheckError, match=wrong):
            said()
    else:
        assert wrong in said()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("origin", "said_by_browsers"),
    [
        ("http://play.example.org", True),
        ("http://play.example.org:8080", True),
        ("http://[::1]:8000", True),
        ("app://localhost", True),
        ("play.example.org", False),
        ("localhost:8000", False),
        ("http://play.example.org/", False),
        ("http://play.example.org/game", False),
        ("http://play.example.org?", False),
        ("http://Play.example.org", False),
        ("http://play.example.org:80", False),
        ("http://play.example.org:", False),
        ("http://play.example.org:x", False),
        ("http://me@play.example.org", False),
        ("http://*.example.org", False),
        ("http://pelaa.esimerkkiä.fi", False),
        ("http://", False),
        ("null", False),
    ],
)
def test_an_origin_that_could_never_be_equal_is_an_error(
    settings: Settings, origin: str, said_by_browsers: bool
) -> None:
    for name in ("TRUSTED_ORIGINS", "CORS_WRITE_ORIGINS"):
        setattr(settings, name, ["http://good.example", origin])
        if said_by_browsers:
            assert "tripeaks." not in said()
        else:
            with pytest.raises(SystemCheckError, match=rf"TRIPEAKS_{name} has {re.escape(repr(origin))}"):
                said()
        setattr(settings, name, [])


@pytest.mark.django_db
def test_a_replica_that_is_never_read_is_warned_of(settings: Settings) -> None:
    settings.DATABASE_REPLICA_URL = "postgresql://tripeaks@replica/tripeaks"
    assert "tripeaks.W010" not in said()
    settings.REDIS_URL = ""
    assert "tripeaks.W010" in said()


@pytest.mark.django_db
def test_a_misspelt_variable_is_named_and_its_value_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{env.PREFIX}HTTP_TREADS", "a-secret")
    monkeypatch.setenv(f"{env.PREFIX}XYZZY", "a-secret")
    told = said()
    assert told.count("tripeaks.W011") == 2
    assert "TRIPEAKS_HTTP_TREADS is set" in told
    assert "Is TRIPEAKS_HTTP_THREADS meant?" in told
    assert "TRIPEAKS_XYZZY is set" in told
    assert "a-secret" not in told


@pytest.mark.django_db
def test_no_variable_that_our_own_files_set_is_taken_for_a_misspelt_one(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [
        ROOT / "docker-compose.yml",
        ROOT / "tripeaks_site/deploy/Dockerfile",
        ROOT / ".ci/run",
        ROOT / "manage.py",
    ]
    for package in ("games", "leaderboards", "tripeaks_site", "tests"):
        files += sorted((ROOT / package).rglob("*.py"))
    names = {name for file in files for name in re.findall(r"TRIPEAKS_[A-Z_]*[A-Z]\b", file.read_text())}
    assert {"TRIPEAKS_HOSTS", "TRIPEAKS_TEST_REDIS_GIVEN", "TRIPEAKS_STATIC"} <= names
    for name in names - {f"{env.PREFIX}{end}" for end in ("HTTP_TREADS", "XYZZY")}:
        monkeypatch.setenv(name, "1")
    assert "tripeaks.W011" not in said()
