"""Tokens, sessions and bots over REST."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from games import clock
from games.services import (
    bot_create,
    bot_id,
    bots_list,
    credential_revoke,
    credentials_list,
    token_create,
)
from games.services.credentials import TOKEN_SCOPES

from . import schemas
from .accounts import NAME_LONGEST, AccountView, credential_json, player_json
from .auth import actor
from .body import Body
from .schemas import ERRORS


class Tokens(AccountView):
    """Sessions and tokens of the account and its bots."""

    @extend_schema(operation_id="tokens_list", responses={200: schemas.CredentialListSchema, **ERRORS})
    def get(self, request: Request) -> Response:
        """All that are alive, newest first; never a secret."""
        who = actor(request, "manage")
        found = credentials_list(player_id=who.player_id, now=clock.now())
        return Response({"credentials": [credential_json(one, current=who.credential_id) for one in found]})

    @extend_schema(
        operation_id="token_create",
        request=schemas.TokenRequestSchema,
        responses={201: schemas.TokenSchema, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """A token for a program that acts as oneself (for a bot's results use a bot's token)."""
        who = actor(request, "manage")
        return _new_token(who.player_id, Body.of(request))


def _new_token(player_id: int, body: Body) -> Response:
    name = body.text("name", longest=60)
    scopes = body.texts("scopes", TOKEN_SCOPES, default=TOKEN_SCOPES)
    credential, secret = token_create(player_id=player_id, name=name, scopes=scopes, now=clock.now())
    return Response({"credential": credential_json(credential, current=None), "token": secret}, status=201)


class TokenDetail(AccountView):
    """One session or token."""

    @extend_schema(operation_id="token_revoke", request=None, responses={200: schemas.DoneSchema, **ERRORS})
    def delete(self, request: Request, public_id: str) -> Response:
        """Revoke it; its sockets close. Safe to repeat."""
        who = actor(request, "manage")
        credential_revoke(player_id=who.player_id, public_id=public_id, now=clock.now())
        return Response({"ok": True})


class Bots(AccountView):
    """The account's bots."""

    @extend_schema(operation_id="bots_list", responses={200: schemas.BotListSchema, **ERRORS})
    def get(self, request: Request) -> Response:
        """Oldest first."""
        who = actor(request, "manage")
        return Response({"bots": [player_json(bot) for bot in bots_list(owner_id=who.player_id)]})

    @extend_schema(
        operation_id="bot_create", request=schemas.BotRequestSchema, responses={201: schemas.BotSchema, **ERRORS}
    )
    def post(self, request: Request) -> Response:
        """A bot of one's own: it stays a bot, on the bots' boards. The same name again brings the same bot."""
        who = actor(request, "manage")
        name = Body.of(request).text("name", longest=NAME_LONGEST)
        bot = bot_create(owner_id=who.player_id, name=name, now=clock.now())
        return Response({"player": player_json(bot)}, status=201)


class BotTokens(AccountView):
    """Tokens of one bot."""

    @extend_schema(
        operation_id="bot_token_create",
        request=schemas.TokenRequestSchema,
        responses={201: schemas.TokenSchema, **ERRORS},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """A token for the bot's program."""
        who = actor(request, "manage")
        return _new_token(bot_id(owner_id=who.player_id, public_id=public_id), Body.of(request))
