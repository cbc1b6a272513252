"""Dailies and boards over REST, and the deletion of an account: parse, one service or selector, serialise."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from games import clock
from games.api import accounts
from games.api.auth import actor, owner, request_source
from games.api.base import ApiView, cookie_options
from games.api.body import Body
from games.api.schemas import ERRORS, READ_ERRORS, AttemptSchema, DoneSchema, PasswordSchema
from games.errors import BadInput
from games.selectors import attempt_state
from games.services.passwords import password_confirm
from leaderboards.scopes import BoardName, parse_board
from leaderboards.selectors import board_me, board_page, daily_find, daily_json
from leaderboards.services import account_delete, daily_ensure, daily_start

from .schemas import BoardMeSchema, BoardSchema, DailySchema, DailyStartSchema

LIMIT = 50
LIMIT_MOST = 100
WHICH = OpenApiParameter("which", str, OpenApiParameter.PATH, description="YYYY-MM-DD, a number from 1, or today")
KIND = OpenApiParameter("kind", str, enum=["people", "bots"], default="people")
VIEW = OpenApiParameter("view", str, enum=["best", "first"], default="best")
BOARD = OpenApiParameter("board", str, OpenApiParameter.PATH, description="A game code, or daily-YYYY-MM-DD")


def requested_board(request: Request, board: str, *, kind: str = "people") -> BoardName:
    """The board that path and query name. Raises BadInput."""
    query = request.query_params
    return parse_board(board, query.get("kind", kind), query.get("view", "best"))


def requested_limit(request: Request) -> int:
    """`limit`: 1 to 100 in plain digits. Raises BadInput `bad_limit`."""
    raw = request.query_params.get("limit", str(LIMIT))
    if not (raw.isascii() and raw.isdigit() and len(raw) <= 3 and 1 <= int(raw) <= LIMIT_MOST):
        raise BadInput("bad_limit", f"limit must be a whole number from 1 to {LIMIT_MOST}.", most=LIMIT_MOST)
    return int(raw)


class Daily(ApiView):
    """Today's daily."""

    @extend_schema(operation_id="daily_today", responses={200: DailySchema, **READ_ERRORS})
    def get(self, request: Request) -> Response:
        """The daily of the official date at this moment, prepared by this very request if need be."""
        now = clock.now()
        daily_ensure(now=now)
        return Response({"daily": daily_json(daily_find("today", now), now)})


class DailyDetail(ApiView):
    """Any daily."""

    @extend_schema(operation_id="daily_read", parameters=[WHICH], responses={200: DailySchema, **READ_ERRORS})
    def get(self, request: Request, which: str) -> Response:
        """Code and deal are null until it is final."""
        now = clock.now()
        daily_ensure(now=now)
        return Response({"daily": daily_json(daily_find(which, now), now)})


class DailyAttempts(ApiView):
    """The attempt at a daily."""

    throttle_scopes: ClassVar[dict[str, str]] = {"POST": "start"}

    @extend_schema(
        operation_id="daily_start",
        parameters=[WHICH],
        request=DailyStartSchema,
        responses={201: AttemptSchema, 200: AttemptSchema, **ERRORS},
    )
    def post(self, request: Request, which: str) -> Response:
        """Start the one attempt a player has at it, or get it again; ranked for accounts, unranked for guests."""
        who = actor(request, "play")
        now = clock.now()
        attempt, created = daily_start(
            player_id=who.player_id,
            kind=who.kind,
            which=which,
            start_key=Body.of(request).text("key", longest=64),
            now=now,
            credential_id=who.credential_id,
            source=request_source(request, who.via),
        )
        return Response({"attempt": attempt_state(attempt, now)}, status=201 if created else 200)


class BoardDetail(ApiView):
    """A board, page by page."""

    @extend_schema(
        operation_id="board_read",
        parameters=[
            BOARD,
            KIND,
            VIEW,
            OpenApiParameter("cursor", str, description="`next` of the page before"),
            OpenApiParameter("limit", int, description="1 to 100", default=LIMIT),
        ],
        responses={200: BoardSchema, **READ_ERRORS},
    )
    def get(self, request: Request, board: str) -> Response:
        """Best results first; equal ones share a rank and are listed by finish time."""
        page = board_page(
            requested_board(request, board),
            cursor=request.query_params.get("cursor"),
            limit=requested_limit(request),
            now=clock.now(),
        )
        return Response(page)


class BoardMe(ApiView):
    """One's own place on a board."""

    @extend_schema(
        operation_id="board_me",
        parameters=[BOARD, KIND, VIEW],
        responses={200: BoardMeSchema, **ERRORS},
    )
    def get(self, request: Request, board: str) -> Response:
        """The rank and the five rows before and after; `provisional` for results that are not ranked (guests).

        `kind` is one's own by default.
        """
        who = actor(request, "read")
        name = requested_board(request, board, kind="bots" if who.kind == "bot" else "people")
        return Response(board_me(name, player_id=who.player_id))


class Account(accounts.Account):
    """Oneself, and the end of it."""

    throttle_scopes: ClassVar[dict[str, str]] = {"GET": "read", "PATCH": "account", "DELETE": "account"}

    @extend_schema(operation_id="account_delete", request=PasswordSchema, responses={200: DoneSchema, **ERRORS})
    def delete(self, request: Request) -> Response:
        """Delete the account: name, credentials, bots and every board entry go at once; it cannot be undone.

        Guests have no password and send none. A ban does not stand in the way. The last head moderator who can act makes
        somebody else one first (`last_head`).
        """
        who = owner(request)
        body = Body.of(request)
        password_confirm(player_id=who.player_id, password=body.text("password", longest=200, default="") or None)
        account_delete(player_id=who.player_id, now=clock.now())
        response = Response({"ok": True})
        if settings.CREDENTIAL_COOKIE in request.COOKIES:
            response.set_cookie(settings.CREDENTIAL_COOKIE, "", max_age=0, **cookie_options())
        return response
