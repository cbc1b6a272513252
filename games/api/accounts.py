"""Accounts over REST: guests, claiming, signing in and out, passwords. Tokens and bots are next door, in `tokens`."""

from __future__ import annotations

from typing import Any, Protocol

from django.conf import settings
from django.http import HttpRequest
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from games import clock
from games.clock import iso
from games.names import name_key
from games.services import (
    account_login,
    account_logout,
    guest_claim,
    guest_create,
    name_check,
    password_change,
    password_recover,
    player_language_set,
    recovery_codes_renew,
    sessions_end_others,
)
from games.services.credentials import Actor
from games.services.passwords import is_banned
from games.throttles import throttle

from . import schemas
from .auth import actor, banned_actor, browser_hash, check_own_origin, client_address, optional_actor
from .base import ApiView, cookie_options
from .body import Body
from .language import language_cookie_set, language_join
from .schemas import ERRORS

PASSWORD_LONGEST = 200
NAME_LONGEST = 100
VIA = {"cookie": "cookie", "token": "bearer"}


class PlayerLike(Protocol):
    """What of a player's row is shown."""

    public_id: Any
    name: Any
    kind: Any
    created_at: Any


def player_json(player: PlayerLike) -> dict[str, Any]:
    """A player as the player's own pages and programs see it."""
    return {"id": player.public_id, "name": player.name, "kind": str(player.kind), "created_at": iso(player.created_at)}


def _actor_json(who: Actor) -> dict[str, Any]:
    return {"id": who.player_public_id, "name": who.name, "kind": who.kind, "created_at": iso(who.created_at)}


def credential_json(credential: Any, *, current: int | None) -> dict[str, Any]:
    """A session or token without its secret, which nobody has."""
    return {
        "id": credential.public_id,
        "kind": str(credential.kind),
        "via": str(credential.via),
        "name": credential.name,
        "scopes": sorted(credential.scopes),
        "player": {"id": credential.player.public_id, "name": credential.player.name},
        "created_at": iso(credential.created_at),
        "last_used_at": iso(credential.last_used_at),
        "expires_at": iso(credential.expires_at),
        "current": credential.pk == current,
    }


def _wanted_via(request: Request, body: Body) -> str:
    """Cookie (default) or bearer. A cookie is only set for our own pages: no other page may sign a browser in."""
    via = VIA[body.choice("credential", tuple(VIA), default="cookie")]
    if via == "cookie":
        check_own_origin(request)
    return via


def _signed_in(player: PlayerLike, secret: str, via: str, status: int) -> Response:
    """The answer with the secret: in the cookie or, once, in the body."""
    data: dict[str, Any] = {"player": player_json(player)}
    if via == "bearer":
        data["token"] = secret
    response = Response(data, status=status)
    if via == "cookie":
        age = settings.CREDENTIAL_DAYS * 24 * 3600
        response.set_cookie(settings.CREDENTIAL_COOKIE, secret, max_age=age, **cookie_options())
    return response


class Guests(ApiView):
    """Start without signing up."""

    throttle_scopes = {"POST": "read"}  # whoever brings a cookie is looked up before the throttle of new guests

    @extend_schema(
        operation_id="guest_create",
        request=schemas.GuestRequestSchema,
        responses={201: schemas.SignedInSchema, 200: schemas.SignedInSchema, **ERRORS},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """A new guest. A browser that is signed in already stays who it is (200)."""
        via = _wanted_via(request, Body.of(request))
        if via == "cookie":
            who = optional_actor(request)
            if who is not None and who.via == "cookie":
                return Response({"player": _actor_json(who)})
        throttle("guest", f"address:{client_address(request.META)}")
        browser = browser_hash(request) if via == "cookie" else None
        player, _, secret = guest_create(via=via, now=clock.now(), browser=browser)
        return _signed_in(player, secret, via, 201)


class Account(ApiView):
    """Oneself."""

    @extend_schema(operation_id="account_read", responses={200: schemas.AccountSchema, **ERRORS})
    def get(self, request: Request) -> Response:
        """Who the credential stands for."""
        who = actor(request, "read")
        credential = {
            "id": who.credential_public_id,
            "kind": "session" if who.session else "token",
            "via": who.via,
            "name": who.credential_name,
            "scopes": sorted(who.scopes),
            "player": {"id": who.player_public_id, "name": who.name},
            "created_at": iso(who.credential_created_at),
            "last_used_at": iso(who.last_used_at),
            "expires_at": iso(who.expires_at),
            "current": True,
        }
        return Response({"player": _actor_json(who), "credential": credential, "language": who.language or None})

    @extend_schema(
        operation_id="account_change",
        request=schemas.AccountChangeSchema,
        responses={200: schemas.AccountSchema, **ERRORS},
    )
    def patch(self, request: Request) -> Response:
        """Choose the language of the pages, wherever this account signs in; an empty one goes by each browser again."""
        who = actor(request, "manage")
        language = Body.of(request).text("language", longest=12, shortest=0)
        player_language_set(player_id=who.player_id, language=language)
        response = self.get(request)
        response.data["language"] = language or None
        if who.via == "cookie":
            language_cookie_set(response, language)
        return response


class AccountView(ApiView):
    """Base of what manages the account: throttled by address and by credential; with a password also by player."""

    throttle_scopes = {"GET": "read", "POST": "account", "DELETE": "account"}


class Claim(AccountView):
    """Guest to person."""

    @extend_schema(
        operation_id="account_claim",
        request=schemas.ClaimRequestSchema,
        responses={200: schemas.ClaimedSchema, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Take a name and a password; the results stay. Repeating it after a lost answer is safe, with new codes."""
        who = actor(request, "manage")
        body = Body.of(request)
        claimed = guest_claim(
            player_id=who.player_id,
            name=body.text("name", longest=NAME_LONGEST),
            password=body.text("password", longest=PASSWORD_LONGEST),
            keep_credential_id=who.credential_id,
            now=clock.now(),
        )
        response = Response({"player": player_json(claimed.player), "recovery_codes": claimed.recovery_codes})
        if who.via == "cookie":
            language_join(request, response, player_id=who.player_id, language=who.language)
        return response


class Login(ApiView):
    """Sign in."""

    throttle_scopes = {}

    @extend_schema(
        operation_id="login",
        request=schemas.LoginRequestSchema,
        responses={200: schemas.LoggedInSchema, **ERRORS},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """A new session. A guest that was signed in here is left behind, never merged.

        A banned account is refused (`banned`) unless `banned_too` is true. Then the answer says `"banned": true`, and
        the session reads notices, appeals, exports and deletes the account; it does nothing else while the ban lasts.
        """
        body = Body.of(request)
        name = body.text("name", longest=NAME_LONGEST)
        password = body.text("password", longest=PASSWORD_LONGEST)
        via = _wanted_via(request, body)
        banned_too = body.flag("banned_too", default=False)
        throttle_name(request, name)
        now = clock.now()
        browser = browser_hash(request) if via == "cookie" else None
        player, _, secret = account_login(
            name=name, password=password, via=via, now=now, banned_too=banned_too, browser=browser
        )
        response = _signed_in(player, secret, via, 200)
        if is_banned(player, now):
            response.data["banned"] = True
        if via == "cookie":
            language_join(request, response, player_id=player.pk, language=player.language)
        return response


def throttle_name(request: HttpRequest | Request, name: str) -> None:
    """The `login` throttle by address, then the wider `name` throttle by name from wherever.

    Were the two alike, one address that keeps guessing would lock the name's owner out.
    """
    throttle("login", f"address:{client_address(request.META)}")
    throttle("name", f"name:{name_key(name)}")


class Logout(AccountView):
    """Sign out."""

    @extend_schema(operation_id="logout", request=None, responses={200: schemas.DoneSchema, **ERRORS})
    def post(self, request: Request) -> Response:
        """End the credential that asks; its sockets close. Without a valid one there is nothing to end."""
        who = optional_actor(request) or banned_actor(request)
        if who is not None:
            account_logout(player_id=who.player_id, credential_id=who.credential_id, now=clock.now())
        response = Response({"ok": True})
        if settings.CREDENTIAL_COOKIE in request.COOKIES:
            response.set_cookie(settings.CREDENTIAL_COOKIE, "", max_age=0, **cookie_options())
        return response


class LogoutOthers(AccountView):
    """Sign out elsewhere."""

    @extend_schema(operation_id="logout_others", request=None, responses={200: schemas.DoneSchema, **ERRORS})
    def post(self, request: Request) -> Response:
        """End every other session of the account; their sockets close. Tokens stay."""
        who = actor(request, "manage")
        sessions_end_others(player_id=who.player_id, keep_credential_id=who.credential_id, now=clock.now())
        return Response({"ok": True})


class Names(ApiView):
    """Names that can be taken."""

    # Whoever tries many learns who has an account: enough for typing one, not for a dictionary.
    throttle_scopes = {"GET": "name"}

    @extend_schema(
        operation_id="name_check",
        parameters=[OpenApiParameter("name", str, required=True, description="As typed")],
        responses={200: schemas.FreeNameSchema, **ERRORS},
        auth=[],
    )
    def get(self, request: Request) -> Response:
        """The name as it would be shown, if nobody has one like it; else the refusal that taking it would meet."""
        return Response({"name": name_check(name=request.query_params.get("name", ""))})


class Password(AccountView):
    """Change the password."""

    @extend_schema(
        operation_id="password_change",
        request=schemas.PasswordRequestSchema,
        responses={200: schemas.BotSchema, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """All other sessions and all tokens end, the bots' too."""
        who = actor(request, "manage")
        body = Body.of(request)
        old = body.text("old", longest=PASSWORD_LONGEST)
        new = body.text("new", longest=PASSWORD_LONGEST)
        throttle("account", f"player:{who.player_id}")
        player = password_change(
            player_id=who.player_id, old=old, new=new, keep_credential_id=who.credential_id, now=clock.now()
        )
        return Response({"player": player_json(player)})


class Recover(ApiView):
    """A forgotten password."""

    throttle_scopes = {}

    @extend_schema(
        operation_id="password_recover",
        request=schemas.RecoverRequestSchema,
        responses={200: schemas.RecoveredSchema, **ERRORS},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """Set a new password by a one-time code; every session and token ends. Sign in with it then."""
        body = Body.of(request)
        name = body.text("name", longest=NAME_LONGEST)
        code = body.text("recovery_code", longest=64)
        new = body.text("new_password", longest=PASSWORD_LONGEST)
        throttle_name(request, name)
        player, left = password_recover(name=name, recovery_code=code, new_password=new, now=clock.now())
        return Response({"player": player_json(player), "recovery_codes_left": left})


class RecoveryCodes(AccountView):
    """New recovery codes."""

    @extend_schema(
        operation_id="recovery_codes_renew",
        request=schemas.PasswordSchema,
        responses={200: schemas.RecoveryCodesSchema, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Ten new one-time codes; earlier ones are void."""
        who = actor(request, "manage")
        password = Body.of(request).text("password", longest=PASSWORD_LONGEST)
        throttle("account", f"player:{who.player_id}")
        return Response({"recovery_codes": recovery_codes_renew(player_id=who.player_id, password=password)})
