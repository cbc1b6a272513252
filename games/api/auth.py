"""Who asks: the credential a request presents, whether its origin is ours, and the row behind it."""

from __future__ import annotations

import datetime as dt
import functools
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, LiteralString
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from games import clock
from games.errors import Forbidden, NotSignedIn
from games.ids import hash_secret
from games.metrics import CACHES
from games.services.clients import Source, source_of
from games.services.credentials import Actor, credential_find, credential_find_banned, credential_touch

Via = Literal["cookie", "bearer"]
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
TOUCH_EVERY = dt.timedelta(hours=1)
LONGEST_SECRET = 200
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Presented:
    """A credential as the request carries it; nothing says yet that it exists."""

    token_hash: bytes
    via: Via


def bearer_credential(authorization: str | None) -> Presented | None:
    """The credential of an `Authorization: Bearer …` header; None without one, NotSignedIn for another scheme."""
    if not authorization:
        return None
    scheme, _, secret = authorization.partition(" ")
    secret = secret.strip()
    if scheme.lower() != "bearer" or not secret or len(secret) > LONGEST_SECRET:
        raise NotSignedIn("The Authorization header must read: Bearer, a space, the token.")
    return Presented(hash_secret(secret), "bearer")


def cookie_credential(cookies: Mapping[str, str]) -> Presented | None:
    """The credential of the cookie, or None."""
    secret = cookies.get(settings.CREDENTIAL_COOKIE)
    if not secret or len(secret) > LONGEST_SECRET:
        return None
    return Presented(hash_secret(secret), "cookie")


def browser_hash(request: HttpRequest | Request) -> bytes | None:
    """The hash of the secret in the cookie, good for anything or not: what a new session in this browser replaces."""
    presented = cookie_credential(request.COOKIES)
    return presented.token_hash if presented is not None else None


def presented_credential(request: HttpRequest | Request) -> Presented | None:
    """What the request presents, without asking the database: the Authorization header, else the cookie.

    A write that leans on the cookie needs an Origin of ours: raises Forbidden `origin_refused` else, also when the
    header is missing.
    """
    presented = bearer_credential(request.META.get("HTTP_AUTHORIZATION"))
    if presented is not None:
        return presented
    presented = cookie_credential(request.COOKIES)
    if presented is not None and request.method not in SAFE_METHODS:
        check_own_origin(request)
    return presented


def actor(request: HttpRequest | Request, scope: str) -> Actor:
    """Who asks, with the right to `scope` (read, play, manage). Raises NotSignedIn, Forbidden `scope_missing`."""
    found = optional_actor(request)
    if found is None:
        raise NotSignedIn
    if scope not in found.scopes:
        raise Forbidden("scope_missing", f"This token may not do that: it lacks the scope {scope}.", scope=scope)
    return found


def owner(request: HttpRequest | Request) -> Actor:
    """Who asks, for what belongs to whoever holds a session of the account, and stays theirs while it is banned: to
    read one's notices, answer them, take one's data along, delete the account. Raises NotSignedIn, Forbidden
    `scope_missing` (tokens of programs).

    While a ban lasts the actor has no scope, so no other address lets it in (case C21).
    """
    found = optional_actor(request)
    if found is None:
        found = banned_actor(request)
        if found is None:
            raise NotSignedIn
    elif "manage" not in found.scopes:
        raise Forbidden("scope_missing", "A token may not do that: sign in.", scope="manage")
    return found


def banned_actor(request: HttpRequest | Request, *, also: LiteralString = "NULL") -> Actor | None:
    """Who asks, where that is the session of a banned account; None otherwise."""
    presented = presented_credential(request)
    if presented is None:
        return None
    return credential_find_banned(token_hash=presented.token_hash, via=presented.via, now=clock.now(), also=also)


def optional_actor(request: HttpRequest | Request, *, also: LiteralString = "NULL") -> Actor | None:
    """Who asks; None without a credential and with one that gives no rights (any more). `also`: see `credential_find`."""
    presented = presented_credential(request)
    if presented is None:
        return None
    now = clock.now()
    found = credential_find(token_hash=presented.token_hash, via=presented.via, now=now, also=also)
    if found is not None and (found.last_used_at is None or now - found.last_used_at >= TOUCH_EVERY):
        credential_touch(credential_id=found.credential_id, now=now, every=TOUCH_EVERY)
    return found


# --- origins -------------------------------------------------------------------------------------------------------


def _host_and_port(scheme: str, netloc: str) -> tuple[str, int] | None:
    try:
        parts = urlsplit(f"{scheme}://{netloc}")
        if parts.hostname is None or parts.username is not None:
            return None
        return parts.hostname, parts.port or _PORTS[scheme]
    except (ValueError, KeyError):
        return None


def origin_allowed(origin: str | None, host: str, secure: bool) -> bool:
    """Whether an Origin header names our own pages: the host that was asked, or one of settings.TRUSTED_ORIGINS.

    The one rule for cookies, on REST and sockets alike; a missing Origin (None) is refused. Over TLS (`secure`) the
    origin must be https too; without it either will do, for a proxy may have ended the TLS.
    """
    if not origin:
        return False
    if origin in settings.TRUSTED_ORIGINS:
        return True
    scheme, separator, netloc = origin.partition("://")
    if not separator or scheme not in _PORTS or (secure and scheme != "https"):
        return False
    if netloc == host:
        return True
    theirs, ours = _host_and_port(scheme, netloc), _host_and_port(scheme, host)
    return theirs is not None and theirs == ours


def check_own_origin(request: HttpRequest | Request) -> None:
    """Raises Forbidden `origin_refused` unless the Origin header is there and ours."""
    if not origin_allowed(request.META.get("HTTP_ORIGIN"), request.get_host(), request.is_secure()):
        raise Forbidden("origin_refused", "Requests with the cookie must come from our own pages.")


def check_write_origin(request: HttpRequest | Request) -> None:
    """A write from a page elsewhere passes only for settings.CORS_WRITE_ORIGINS; programs send no Origin at all.

    One that carries our cookie and no Authorization header needs an Origin of ours, whether it leans on it or not.
    """
    origin = request.META.get("HTTP_ORIGIN")
    if "HTTP_AUTHORIZATION" not in request.META and settings.CREDENTIAL_COOKIE in request.COOKIES:
        check_own_origin(request)
    if origin is None or origin in settings.CORS_WRITE_ORIGINS:
        return
    if not origin_allowed(origin, request.get_host(), request.is_secure()):
        raise Forbidden("origin_refused", "Pages of that origin may only read here.")


# --- addresses -----------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def _network(text: str) -> str | None:
    """IPv4 as it is, IPv6 by its /64 (a home has the whole of it); None for what is no address."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


CACHES.watch("addresses", _network)


def client_address(meta: Mapping[str, Any]) -> str:
    """The address that throttles count: of the connection, or what the outermost of our proxies saw.

    Only the entry that our own proxies wrote is believed: the n-th from the right of X-Forwarded-For with
    settings.TRUSTED_PROXIES = n. What a client writes there itself stands further left.
    """
    direct = str(meta.get("REMOTE_ADDR") or "")
    if settings.TRUSTED_PROXIES:
        hops = str(meta.get("HTTP_X_FORWARDED_FOR") or "").split(",")
        if len(hops) >= settings.TRUSTED_PROXIES:
            forwarded = _network(hops[-settings.TRUSTED_PROXIES])
            if forwarded is not None:
                return forwarded
    return _network(direct) or direct or "local"


def request_source(request: HttpRequest | Request, via: str) -> Source:
    """Whence a request comes, as evidence for fair play keeps it."""
    return source_of(via, "rest", client_address(request.META))
