"""All settings, from the environment (README, Settings). UTC throughout; the official zone of dailies is its own setting."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from . import env
from .embedded.discovery import running
from .languages import languages

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("DATA", str(BASE_DIR / ".data"))).expanduser().absolute()

DEBUG = env.flag("DEBUG", False)
TESTING = "pytest" in sys.modules

# A running `manage.py up` tells other commands of the same data directory where its servers are.
_running = running(DATA_DIR) if not os.environ.get("DATABASE_URL") else None
DATABASE_URL = os.environ.get("DATABASE_URL") or (_running.database_url if _running else "")
DATABASE_REPLICA_URL = os.environ.get("DATABASE_REPLICA_URL") or ""
REDIS_URL = os.environ.get("REDIS_URL") or (_running.redis_url if _running else "")


def _secret_key() -> str:
    """TRIPEAKS_SECRET_KEY, or the one that `up` keeps in the data directory."""
    key = env.text("SECRET_KEY")
    kept = DATA_DIR / "secret_key"
    if not key and kept.exists():
        key = kept.read_text().strip()
    return (
        key or "not-a-secret: commands without a server only; tripeaks.E001 stops a server that has no key of its own"
    )


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = env.items("ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
# Origins of our own pages, for cookie-authenticated writes and sockets; same-origin requests always pass.
TRUSTED_ORIGINS = env.items("TRUSTED_ORIGINS")
TRUSTED_PROXIES = env.integer("TRUSTED_PROXIES", 0, high=8)  # how many proxies of ours append to X-Forwarded-For
SECURE_COOKIES = env.flag("SECURE_COOKIES", False)
CSRF_TRUSTED_ORIGINS = [origin for origin in TRUSTED_ORIGINS if "://" in origin]  # tripeaks.E007 names the others

INSTALLED_APPS = [
    "tripeaks_site.apps.ModeratorAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "corsheaders",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "procrastinate.contrib.django",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "games",
    "leaderboards",
    "tripeaks_site",
]
MIDDLEWARE = [
    "tripeaks_site.health.Probes",
    "tripeaks_site.observing.Observing",
    "tripeaks_site.middleware.SecurityHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "tripeaks_site.middleware.PageThrottle",
    "games.api.cors.ApiCorsMiddleware",
    "tripeaks_site.middleware.PageSessions",
    "tripeaks_site.middleware.PageLanguage",
    "tripeaks_site.middleware.PageOutage",
    "django.middleware.common.CommonMiddleware",
    "tripeaks_site.middleware.PageForms",
    "tripeaks_site.middleware.PageUser",
    "django_otp.middleware.OTPMiddleware",
    "tripeaks_site.middleware.PageMessages",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "tripeaks_site.urls"
WSGI_APPLICATION = "tripeaks_site.wsgi.application"
ASGI_APPLICATION = "tripeaks_site.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "tripeaks_site" / "templates"],  # before those of Django's admin
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "leaderboards.prefs.prefs",
                "tripeaks_site.words.words",
            ]
        },
    }
]


def _postgres(variable: str, url: str, links: dict[str, Any]) -> dict[str, Any]:
    """The database that a URL names; `links` are options of its connections, before those of the URL."""
    try:
        database: dict[str, Any] = {**dj_database_url.parse(url, conn_max_age=None)}
    except (ValueError, KeyError) as problem:
        raise ImproperlyConfigured(
            f"{variable} cannot be read; it should look like postgres://user@host/name."
        ) from problem
    if database["ENGINE"] != "django.db.backends.postgresql":
        raise ImproperlyConfigured(f"{variable} must name a PostgreSQL database.")
    # Django turns prepared statements off altogether; so high a threshold leaves them to who asks (`prepare=True`).
    return {**database, "OPTIONS": {**links, **database.get("OPTIONS", {}), "prepare_threshold": 2**31 - 1}}


# Every thread that serves keeps one connection for good: HTTP_THREADS + SOCKET_THREADS a process at most (case C20).
# The services repeat once on a connection that PostgreSQL has closed, so no health-check query is paid per request.
HTTP_THREADS = env.integer("HTTP_THREADS", 8, low=1, high=256)
SOCKET_THREADS = env.integer("SOCKET_THREADS", 4, low=1, high=256)
# How many of a process's HTTP threads may compute with the solver at once; never more than a quarter of them (but one).
# Half of the cores: with all of them the 99th percentile of other requests doubled, and no more analyses were done.
SOLVER_THREADS = env.integer("SOLVER_THREADS", max(1, (os.cpu_count() or 2) // 2), low=1, high=64)
if DATABASE_URL:
    # A cut link must not hold our threads: what is not answered or acknowledged within ten seconds has failed.
    _links = {"connect_timeout": 3, "keepalives_idle": 4, "keepalives_interval": 2, "keepalives_count": 3}
    _links["tcp_user_timeout"] = 10_000
    DATABASES: dict[str, Any] = {
        "default": {**_postgres("DATABASE_URL", DATABASE_URL, _links), "ATOMIC_REQUESTS": False}
    }
    # A streaming replica for boards, replays and profiles (games.replica). A host that hangs must not hold a thread.
    if DATABASE_REPLICA_URL:
        _bounds = {"connect_timeout": 2, "tcp_user_timeout": 3000, "options": "-c statement_timeout=3000"}
        _replica = _postgres("DATABASE_REPLICA_URL", DATABASE_REPLICA_URL, _bounds)
        DATABASES["replica"] = {**_replica, "TEST": {"MIRROR": "default"}}
        DATABASE_ROUTERS = ["games.replica.Router"]
else:  # commands that need no database still work; the others get a connection error that names this
    DATABASES = {
        "default": {"ENGINE": "django.db.backends.postgresql", "NAME": "no-database-configured", "HOST": "/nonexistent"}
    }

REDIS_CLUSTER = env.flag("REDIS_CLUSTER", False)  # REDIS_URL then names one node or several, separated by commas
_redis_hosts = REDIS_URL.split(",") if REDIS_CLUSTER else [REDIS_URL]
if REDIS_URL and any(urlsplit(url).scheme not in {"redis", "rediss", "unix"} for url in _redis_hosts):
    raise ImproperlyConfigured("REDIS_URL must start with redis://, rediss:// or unix://.")
if REDIS_CLUSTER and not all(urlsplit(url).scheme in {"redis", "rediss"} for url in _redis_hosts):
    raise ImproperlyConfigured("With TRIPEAKS_REDIS_CLUSTER, REDIS_URL must name nodes: redis:// or rediss://.")
if REDIS_URL:
    CHANNEL_LAYERS: dict[str, Any] = {
        "default": {
            "BACKEND": "games.realtime.cluster_layer.ClusterChannelLayer"
            if REDIS_CLUSTER
            else "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": _redis_hosts, "prefix": "tripeaks"},
        }
    }
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "games.Player"
AUTHENTICATION_BACKENDS = ["games.backends.PlayerBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 8}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = True
LANGUAGE_CODE = "en"
# Further catalogues of the host: <language>/LC_MESSAGES/django.mo and djangojs.mo. They come first, so that they may
# also replace single texts of ours.
LOCALES = Path(env.text("LOCALES")).expanduser().absolute() if env.text("LOCALES") else None
LANGUAGES = languages(LOCALES)
LOCALE_PATHS = [*([LOCALES] if LOCALES else []), BASE_DIR / "tripeaks_site" / "locale"]
FORMAT_MODULE_PATH = ["tripeaks_site.formats"]
LANGUAGE_COOKIE_AGE = 400 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = SECURE_COOKIES
STATIC_URL = "static/"
# A directory of collected files (`up` and the image set it): compressed, named by their content. Without it, and for
# what was not collected, files are served as they lie in the source.
STATIC_ROOT = Path(env.text("STATIC")).expanduser().absolute() if env.text("STATIC") else None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "tripeaks_site.statics.ReleaseFiles"
        if STATIC_ROOT
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = STATIC_ROOT is None  # the source may change under a running server; sizes are not remembered

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_COOKIES  # the admin's own session; players have a Credential
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024

# Reading is open to any origin without credentials; writing from other origins only for those named here.
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_CREDENTIALS = False
CORS_URLS_REGEX = r"^/api/"
CORS_ALLOW_METHODS = ["GET", "HEAD", "OPTIONS"]
CORS_EXPOSE_HEADERS = ["Retry-After", "X-Request-ID"]
CORS_WRITE_ORIGINS = env.items("CORS_WRITE_ORIGINS")

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "EXCEPTION_HANDLER": "games.api.errors.exception_handler",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "COERCE_DECIMAL_TO_STRING": True,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "TriPeaks competition server",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PUBLIC": True,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "PREPROCESSING_HOOKS": ["games.api.docs.first_of_each"],
    "POSTPROCESSING_HOOKS": ["games.api.docs.describe_security", "leaderboards.api.openapi.describe_deletion"],
}

# ---- the product's own settings ----
OFFICIAL_ZONE = env.text("OFFICIAL_ZONE", "UTC")
DAILY_DAY_ONE = env.text("DAILY_DAY_ONE")  # YYYY-MM-DD; empty: the date of the first preparation. Stored once (R9.1).
DAILY_RULESET = env.text("DAILY_RULESET", "E")
DAILY_DIFFICULTY = env.span("DAILY_DIFFICULTY", (0.0, 1.0))  # share of simple play-outs that lose
DAILY_GRACE_SECONDS = env.integer("DAILY_GRACE_SECONDS", 1800, high=6 * 3600)
DAILY_DAYS_AHEAD = env.integer("DAILY_DAYS_AHEAD", 7, low=1, high=60)
CREDENTIAL_COOKIE = "__Host-tripeaks" if SECURE_COOKIES else "tripeaks"
CREDENTIAL_DAYS = env.integer("CREDENTIAL_DAYS", 400, low=1, high=4000)
DELETED_MOVES_DAYS = env.integer(
    "DELETED_MOVES_DAYS", 30, low=0, high=4000
)  # how long a deleted account's moves stay, unnamed
COMPACT_DAYS = env.integer("COMPACT_DAYS", 7, low=1, high=4000)  # after that a closed attempt's log becomes one value
REPLICA_LAG_SECONDS = env.integer("REPLICA_LAG_SECONDS", 3, low=1, high=60)  # how far behind a replica may be read
STUCK_IDLE_SECONDS = 24 * 3600  # R3.3
SOCKET_HEARTBEAT_SECONDS = env.integer("SOCKET_HEARTBEAT_SECONDS", 5, low=1, high=5)  # pages miss three of 5 s
SOCKET_FRAMES_PER_SECOND = env.integer("SOCKET_FRAMES_PER_SECOND", 50, low=1)
SOCKET_FRAME_BYTES = 16 * 1024
SOCKETS_PER_ADDRESS = env.integer("SOCKETS_PER_ADDRESS", 1000, low=1)  # in one process
THROTTLES = {  # scope: (requests, seconds), overridable as TRIPEAKS_THROTTLE_<SCOPE>=requests/seconds
    "guest": (20, 3600),
    "login": (10, 300),
    "name": (60, 300),
    "account": (30, 300),
    "start": (60, 60),
    "move": (600, 60),
    "solve": (120, 60),
    "report": (20, 86400),
    "export": (6, 3600),
    "read": (1200, 60),
    "page": (300, 60),
    "socket": (600, 60),
}
THROTTLES = {scope: env.rate(f"THROTTLE_{scope.upper()}", rate) for scope, rate in THROTTLES.items()}
CLOCK_OFFSET_FILE = env.text("CLOCK_OFFSET_FILE")  # tests and fault runs only; tripeaks.W001 warns

EVIDENCE_DAYS = env.integer("EVIDENCE_DAYS", 180, low=1, high=4000)  # how long fair play knows whence moves came

# The queue (`manage.py worker`). Its process needs this many connections to PostgreSQL and four more at most (case C20).
WORKER_THREADS = env.integer("WORKER_THREADS", 2, low=1, high=16)  # tasks at once
PROCRASTINATE_AUTODISCOVER_MODULE_NAME = ""
PROCRASTINATE_IMPORT_PATHS = ["leaderboards.moderation.tasks"]

# Moderators sign in with a password and a code of their phone (README). Its clock is the machine's own, as the phone's is.
SECOND_FACTOR = env.flag("SECOND_FACTOR", not DEBUG)
OTP_TOTP_ISSUER = "TriPeaks"

# Metrics have a port of their own in every process, web or worker: no proxy leads there, so no token has to be kept.
METRICS = env.address("METRICS")
SENTRY_DSN = env.text("SENTRY_DSN")
LOG_FORMAT = env.choice("LOG_FORMAT", "text", ("text", "json"))
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"text": {"()": "tripeaks_site.logs.Lines"}, "json": {"()": "tripeaks_site.logs.JsonLines"}},
    "filters": {
        "refusals": {"()": "tripeaks_site.logs.Refusals"},
        "routes": {"()": "tripeaks_site.logs.RoutesOnly"},
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["routes", "refusals"]}
    },
    "root": {
        "handlers": ["stderr"],
        "level": env.choice("LOG_LEVEL", "WARNING", ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")),
    },
    "loggers": {"django.request": {"level": "ERROR"}},
}
