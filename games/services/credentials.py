"""Credentials: made, found, touched, revoked. Only hashes are stored; a secret is shown once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal, LiteralString

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from games.errors import BadInput, Conflict, NotFound
from games.events import CredentialsEnded, announce
from games.ids import hash_secret, new_secret
from games.models import Credential, Player
from games.retry import repeat_once

Via = Literal["cookie", "bearer"]
SESSION_SCOPES = ("read", "play", "manage")
TOKEN_SCOPES = ("read", "play")  # never account management
SESSIONS_AT_MOST = 50
TOKENS_AT_MOST = 50


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks and with what right, as the rows say at this moment."""

    player_id: int
    player_public_id: str
    kind: str
    name: str | None
    credential_id: int
    credential_hash: bytes
    scopes: frozenset[str]
    via: str
    session: bool
    expires_at: dt.datetime | None
    created_at: dt.datetime  # of the player
    credential_public_id: str
    credential_name: str
    credential_created_at: dt.datetime
    last_used_at: dt.datetime | None
    language: str  # chosen by the player, or empty
    also: Any = None  # what the finder asked for besides
    banned_until: dt.datetime | None = None  # the end of a ban that has one, to come or past


_SELECT = """
SELECT p.id, p.public_id, p.kind, p.name, c.id, c.scopes, c.via, c.kind, c.expires_at, p.created_at,
       c.public_id, c.name, c.created_at, c.last_used_at, p.language, {also}, p.banned_until
  FROM games_credential c
  JOIN games_player p ON p.id = c.player_id
"""
_ALIVE = """
 WHERE c.token_hash = %s AND c.via = %s
   AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > %s)
   AND p.deleted_at IS NULL
"""
# A bot's rights end with its owner's.
_FIND = f"""{_SELECT}
  LEFT JOIN games_player o ON o.id = p.owner_id {_ALIVE}
   AND (p.banned_at IS NULL OR p.banned_until <= %s)
   AND (o.id IS NULL OR (o.deleted_at IS NULL AND (o.banned_at IS NULL OR o.banned_until <= %s)))
"""
_FIND_BANNED = f"""{_SELECT} {_ALIVE}
   AND c.kind = 'session' AND p.banned_at IS NOT NULL AND (p.banned_until IS NULL OR p.banned_until > %s)
"""


@repeat_once
def credential_find(*, token_hash: bytes, via: str, now: dt.datetime, also: LiteralString = "NULL") -> Actor | None:
    """The right that a presented secret gives; None when it is unknown, presented the wrong way, revoked, expired, or
    its player (or that bot's owner) is banned or deleted. One query; no lock.

    `also`: an SQL expression over `p`, the player's row, whose value comes along as `Actor.also`.
    """
    return _found(_FIND.format(also=also), token_hash, via, now, now, now)


@repeat_once
def credential_find_banned(
    *, token_hash: bytes, via: str, now: dt.datetime, also: LiteralString = "NULL"
) -> Actor | None:
    """Who holds a live session of a banned account, with no scope at all; None for everybody else, tokens and bots too.

    It is for the few acts that a ban leaves (see `games.api.auth.owner`). One query; no lock.
    """
    found = _found(_FIND_BANNED.format(also=also), token_hash, via, now, now)
    return None if found is None else replace(found, scopes=frozenset())


def _found(query: str, token_hash: bytes, *values: str | dt.datetime) -> Actor | None:
    with connection.cursor() as cursor:
        cursor.execute(query, (token_hash, *values))
        row = cursor.fetchone()
    if row is None:
        return None
    return Actor(
        player_id=row[0],
        player_public_id=row[1],
        kind=row[2],
        name=row[3],
        credential_id=row[4],
        credential_hash=token_hash,
        scopes=frozenset(row[5]),
        via=row[6],
        session=row[7] == "session",
        expires_at=row[8],
        created_at=row[9],
        credential_public_id=row[10],
        credential_name=row[11],
        credential_created_at=row[12],
        last_used_at=row[13],
        language=row[14],
        also=row[15],
        banned_until=row[16],
    )


def credential_create(
    *,
    player: Player,
    kind: str,
    via: str,
    name: str = "",
    scopes: Collection[str] | None = None,
    now: dt.datetime,
) -> tuple[Credential, str]:
    """A new row and its secret, which is nowhere else. Sessions have all scopes and a date of expiry; tokens have the
    given ones (both by default) and live until revoked. No lock needed; limits are the callers' matter.
    """
    session = kind == Credential.Kind.SESSION
    secret = new_secret("tps" if session else "tpk")
    credential = Credential.objects.create(
        player=player,
        token_hash=hash_secret(secret),
        kind=kind,
        via=via,
        name=name,
        scopes=list(SESSION_SCOPES if session else (scopes or TOKEN_SCOPES)),
        created_at=now,
        expires_at=now + dt.timedelta(days=settings.CREDENTIAL_DAYS) if session else None,
    )
    return credential, secret


def session_create(*, player: Player, via: str, now: dt.datetime) -> tuple[Credential, str]:
    """Sign the player in. Beyond 50 live sessions the oldest end. Assumes the player row's lock or a new player."""
    live = Credential.objects.filter(player=player, kind=Credential.Kind.SESSION, revoked_at=None).order_by("-id")
    surplus = list(live.values_list("id", flat=True)[SESSIONS_AT_MOST - 1 :])
    if surplus:
        _end(Credential.objects.filter(id__in=surplus), now)
    return credential_create(player=player, kind=Credential.Kind.SESSION, via=via, now=now)


@repeat_once
def token_create(*, player_id: int, name: str, scopes: Collection[str], now: dt.datetime) -> tuple[Credential, str]:
    """An API token of the player. Locks the player row. Raises BadInput `bad_field`, Conflict `too_many_tokens`."""
    wanted = [scope for scope in TOKEN_SCOPES if scope in scopes]
    if not wanted or set(scopes) - set(TOKEN_SCOPES):
        raise BadInput("bad_field", "Scopes are read and play, at least one of them.", field="scopes")
    with transaction.atomic(durable=True):
        player = Player.objects.select_for_update(no_key=True).filter(pk=player_id, deleted_at=None).first()
        if player is None:
            raise NotFound
        live = Credential.objects.filter(player=player, kind=Credential.Kind.TOKEN, revoked_at=None).count()
        if live >= TOKENS_AT_MOST:
            raise Conflict(
                "too_many_tokens", f"At most {TOKENS_AT_MOST} tokens. Revoke one first.", most=TOKENS_AT_MOST
            )
        return credential_create(
            player=player, kind=Credential.Kind.TOKEN, via=Credential.Via.BEARER, name=name, scopes=wanted, now=now
        )


def credentials_list(*, player_id: int, now: dt.datetime) -> list[Credential]:
    """The player's and the player's bots' live credentials, newest first."""
    alive = Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now))
    mine = Q(player_id=player_id) | Q(player__owner_id=player_id)
    return list(Credential.objects.select_related("player").filter(alive, mine).order_by("-id"))


@repeat_once
def credential_revoke(*, player_id: int, public_id: str, now: dt.datetime) -> None:
    """End one credential of the player or of one of the player's bots; NotFound for others' alike. Safe to repeat."""
    with transaction.atomic(durable=True):
        mine = Q(player_id=player_id) | Q(player__owner_id=player_id)
        found = Credential.objects.filter(mine, public_id=public_id)
        if not found.exists():
            raise NotFound
        _end(Credential.objects.filter(public_id=public_id), now)


@repeat_once
def sessions_end_others(*, player_id: int, keep_credential_id: int, now: dt.datetime) -> int:
    """End every session of the player but the one that asks; how many. Tokens of programs stay. Safe to repeat."""
    with transaction.atomic(durable=True):
        sessions = Credential.objects.filter(player_id=player_id, kind=Credential.Kind.SESSION)
        return _end(sessions.exclude(id=keep_credential_id), now)


def credentials_revoke(
    *,
    player_id: int,
    now: dt.datetime,
    ids: Collection[int] | None = None,
    except_id: int | None = None,
    bots: bool = False,
) -> int:
    """End these (all by default) credentials of a player, `bots`: also of the player's bots; how many ended.

    Joins the caller's transaction where there is one; the rows' own locks are enough.
    """
    whose = Q(player_id=player_id)
    if bots:
        whose |= Q(player__owner_id=player_id)
    chosen = Credential.objects.filter(whose)
    if ids is not None:
        chosen = chosen.filter(id__in=ids)
    if except_id is not None:
        chosen = chosen.exclude(id=except_id)
    return _end(chosen, now)


def _end(chosen: QuerySet[Credential], now: dt.datetime) -> int:
    with transaction.atomic():
        live = list(chosen.filter(revoked_at=None).order_by("id").values_list("id", flat=True))
        ended = Credential.objects.filter(id__in=live, revoked_at=None).update(revoked_at=now)
        if live:
            announce(CredentialsEnded(tuple(live)))
        return ended


def credential_touch(*, credential_id: int, now: dt.datetime, every: dt.timedelta) -> None:
    """Note that a credential was used, at most once per `every`. Never on the move path."""
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - every)
    Credential.objects.filter(stale, pk=credential_id).update(last_used_at=now)
