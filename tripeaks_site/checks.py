"""System checks: a misconfiguration is named, with an id and a hint, before it can do harm."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import ProgrammingError, connection, transaction

from games.engine.rulesets import RULESETS
from leaderboards.models import Calendar

from . import env
from .languages import catalogues_in, known
from .reporting import dsn_well_formed
from .statics import up_to_date


@register()
def settings_check(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """tripeaks.E001–E007, W001, W004–W008, W010, W011: values that parse but cannot work."""
    found: list[CheckMessage] = []
    if settings.DATABASE_URL and settings.SECRET_KEY.startswith("not-a-secret") and not settings.TESTING:
        found.append(
            Error("A server needs a secret key of its own.", hint="Set TRIPEAKS_SECRET_KEY.", id="tripeaks.E001")
        )
    try:
        zoneinfo.ZoneInfo(settings.OFFICIAL_ZONE)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        found.append(
            Error(
                f"The official zone {settings.OFFICIAL_ZONE!r} is unknown.",
                hint="Set TRIPEAKS_OFFICIAL_ZONE to a name such as UTC or Europe/Helsinki.",
                id="tripeaks.E002",
            )
        )
    if settings.DAILY_RULESET not in RULESETS:
        found.append(
            Error(
                f"The daily's ruleset {settings.DAILY_RULESET!r} is unknown.",
                hint=f"Set TRIPEAKS_DAILY_RULESET to one of {', '.join(RULESETS)}.",
                id="tripeaks.E003",
            )
        )
    if settings.DAILY_DAY_ONE:
        try:
            dt.date.fromisoformat(settings.DAILY_DAY_ONE)
        except ValueError:
            found.append(
                Error(
                    f"TRIPEAKS_DAILY_DAY_ONE is not a date: {settings.DAILY_DAY_ONE!r}.",
                    hint="Write it as YYYY-MM-DD.",
                    id="tripeaks.E004",
                )
            )
    found += _locales_check()
    found += _processes_check()
    found += _names_check()
    if settings.STATIC_ROOT and not up_to_date(settings.STATIC_ROOT):
        found.append(
            Warning(
                f"The static files in {settings.STATIC_ROOT} are not those of this release.",
                hint="Run python3 manage.py collectstatic --noinput, and restart.",
                id="tripeaks.W004",
            )
        )
    if not settings.SECOND_FACTOR and not settings.DEBUG:
        found.append(
            Warning(
                "Moderators sign in with a password alone.",
                hint="Unset TRIPEAKS_SECOND_FACTOR.",
                id="tripeaks.W005",
            )
        )
    if settings.CLOCK_OFFSET_FILE and not settings.TESTING:
        found.append(
            Warning(
                "The server's clock is stepped by a file.",
                hint="Unset TRIPEAKS_CLOCK_OFFSET_FILE outside tests.",
                id="tripeaks.W001",
            )
        )
    return found


def _processes_check() -> list[CheckMessage]:
    """tripeaks.E006, W006–W008, W010: what only shows once there are several processes, or trouble."""
    found: list[CheckMessage] = []
    if settings.SENTRY_DSN and not dsn_well_formed(settings.SENTRY_DSN):
        found.append(
            Error(
                "TRIPEAKS_SENTRY_DSN is no DSN, so no fault would be reported.",
                hint="It looks like https://key@host/1; the service shows it.",
                id="tripeaks.E006",
            )
        )
    if settings.DATABASE_URL and not settings.REDIS_URL:
        found.append(
            Warning(
                "Without Redis, what one process does reaches the sockets of another seconds later.",
                hint="Set REDIS_URL.",
                id="tripeaks.W006",
            )
        )
    if settings.DATABASE_REPLICA_URL and not settings.REDIS_URL:
        found.append(
            Warning(
                "Without Redis nothing is read from the replica: nobody could tell who has to see newer rows.",
                hint="Set REDIS_URL, or unset DATABASE_REPLICA_URL.",
                id="tripeaks.W010",
            )
        )
    if "*" in settings.ALLOWED_HOSTS:
        found.append(
            Warning(
                "Requests may call this server by any name.",
                hint="Name the public hosts in TRIPEAKS_ALLOWED_HOSTS.",
                id="tripeaks.W007",
            )
        )
    if any(origin.startswith("https://") for origin in settings.TRUSTED_ORIGINS) and not settings.SECURE_COOKIES:
        found.append(
            Warning(
                "Pages are served over TLS, but cookies would also go without.",
                hint="Set TRIPEAKS_SECURE_COOKIES=1.",
                id="tripeaks.W008",
            )
        )
    return found


def _names_check() -> list[CheckMessage]:
    """tripeaks.E007: origins that no browser sends; W011: variables that nothing reads."""
    origins = [("TRIPEAKS_TRUSTED_ORIGINS", each) for each in settings.TRUSTED_ORIGINS]
    origins += [("TRIPEAKS_CORS_WRITE_ORIGINS", each) for each in settings.CORS_WRITE_ORIGINS]
    found: list[CheckMessage] = [
        Error(
            f"{name} has {origin!r}, which no browser says as its origin.",
            hint="Write scheme and host, a port where it is not the usual one, and no slash after it: https://play.example.org.",
            id="tripeaks.E007",
        )
        for name, origin in origins
        if not _is_origin(origin)
    ]
    for name, meant in env.unknown().items():
        hint = f"Is {meant} meant?" if meant else "README, Settings, lists those that are read."
        found.append(Warning(f"{name} is set, and nothing reads it.", hint=hint, id="tripeaks.W011"))
    return found


def _is_origin(text: str) -> bool:
    """Whether it is as a browser writes an Origin header, to which it is compared letter by letter (RFC 6454, 6.2)."""
    try:
        parts = urlsplit(text)
        usual = parts.port == {"http": 80, "https": 443}.get(parts.scheme, -1)
    except ValueError:
        return False
    if not parts.scheme or not parts.hostname or usual or text.endswith(":") or {"*", "@"} & set(text):
        return False
    return f"{parts.scheme}://{parts.netloc}" == text == text.lower() and text.isascii()


def _locales_check() -> list[CheckMessage]:
    """tripeaks.E005: a directory of further catalogues that adds nothing."""
    directory: Path | None = settings.LOCALES
    if directory is None:
        return []
    there = catalogues_in(directory)
    unknown = [code for code in there if not known(code)]
    if not there:
        wrong = f"There is no catalogue in {directory}."
    elif unknown:
        wrong = f"Languages that Django does not know in {directory}: {', '.join(unknown)}."
    else:
        return []
    hint = "Set TRIPEAKS_LOCALES to a directory with files such as pl/LC_MESSAGES/django.mo, or unset it."
    return [Error(wrong, hint=hint, id="tripeaks.E005")]


@register(Tags.database)
def connections_check(app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """tripeaks.W009: a PostgreSQL that takes fewer connections than one web process and one worker keep (case C20)."""
    if not databases or "default" not in databases:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
        )
        most: int = cursor.fetchone()[0]
    needed = settings.HTTP_THREADS + settings.SOCKET_THREADS + settings.WORKER_THREADS + 4
    if needed <= most:
        return []
    return [
        Warning(
            f"One web process and one worker keep up to {needed} connections; PostgreSQL takes {most}.",
            hint="Lower TRIPEAKS_HTTP_THREADS and TRIPEAKS_SOCKET_THREADS, or raise max_connections.",
            id="tripeaks.W009",
        )
    ]


@register(Tags.database)
def calendar_check(app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """tripeaks.W002, W003: settings that came after the stored calendar, which stands (R9.1)."""
    if not databases or "default" not in databases:
        return []
    try:
        with transaction.atomic():  # in tests all checks share one transaction
            calendar = Calendar.objects.first()
    except ProgrammingError:  # before the first migration there is no table
        return []
    if calendar is None:
        return []
    found: list[CheckMessage] = []
    if calendar.zone != settings.OFFICIAL_ZONE:
        found.append(
            Warning(
                f"Dailies turn at midnight in {calendar.zone}, as stored; pages tell times in {settings.OFFICIAL_ZONE}.",
                hint=f"Set TRIPEAKS_OFFICIAL_ZONE={calendar.zone}: a zone is not changed once dailies are prepared.",
                id="tripeaks.W002",
            )
        )
    if settings.DAILY_DAY_ONE and calendar.day_one.isoformat() != settings.DAILY_DAY_ONE:
        found.append(
            Warning(
                f"Daily 1 is that of {calendar.day_one}, as stored, not of {settings.DAILY_DAY_ONE}.",
                hint=f"Set TRIPEAKS_DAILY_DAY_ONE={calendar.day_one} or unset it.",
                id="tripeaks.W003",
            )
        )
    return found
