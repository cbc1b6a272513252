"""A setting that makes no sense stops the start; what parses but cannot work is a system check."""

from __future__ import annotations

import datetime as dt
import io

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from pytest_django import Settings

from leaderboards.models import Calendar
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
