"""Attempts over REST: parse, one service or selector, serialise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.http import HttpRequest
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from games import clock
from games.engine.codes import GameCode, numbered_code, parse_code, parse_number
from games.engine.moves import parse_move
from games.engine.rulesets import find_ruleset
from games.errors import BadInput, NotSignedIn, TooMany
from games.metrics import MOVES
from games.selectors import attempt_get, attempt_replay, attempt_state, attempts_list
from games.services import attempt_move, attempt_resign, attempt_start, random_code

from .auth import Presented, actor, optional_actor, presented_credential, request_source
from .base import ApiView
from .body import Body
from .schemas import (
    ERRORS,
    AttemptListSchema,
    AttemptSchema,
    MoveReplySchema,
    MoveSchema,
    ReplaySchema,
    ResignSchema,
    StartSchema,
)


def requested_code(body: Body) -> tuple[GameCode, bool]:
    """The game code of a start request and whether it was drawn at random.

    Exactly one of `code` (R7.6), `number` (R7.7) and `random` (a ruleset) must be there. Raises BadInput or the engine's
    InvalidInput.
    """
    given = [name for name in ("code", "number", "random") if body.has(name)]
    if len(given) != 1:
        raise BadInput("bad_field", "Say exactly one of code, number and random.", field="code")
    if given == ["code"]:
        return parse_code(body.text("code", longest=400)), False
    if given == ["number"]:
        return numbered_code(parse_number(str(body.text_or_integer("number")))), False
    return random_code(find_ruleset(body.text("random", longest=2)).letters), True


def presented(request: Request) -> Presented:
    """The credential as presented, not yet looked up: the service reads its row under the attempt's lock."""
    found = presented_credential(request)
    if found is None:
        raise NotSignedIn
    return found


class AttemptList(ApiView):
    """Start an attempt; list one's own."""

    throttle_scopes = {"POST": "start", "GET": "read"}

    @extend_schema(
        operation_id="attempts_list",
        parameters=[OpenApiParameter("cursor", str, description="`next` of the page before")],
        responses={200: AttemptListSchema, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """One's own attempts, newest first."""
        who = actor(request, "read")
        cursor = request.query_params.get("cursor")
        return Response(attempts_list(player_id=who.player_id, cursor=cursor, now=clock.now()))

    @extend_schema(
        operation_id="attempt_start",
        request=StartSchema,
        responses={201: AttemptSchema, 200: AttemptSchema, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Start by code, number or at random; the same key brings the same attempt."""
        who = actor(request, "play")
        body = Body.of(request)
        code, any_code = requested_code(body)
        now = clock.now()
        attempt, created = attempt_start(
            player_id=who.player_id,
            code=code,
            start_key=body.text("key", longest=64),
            practice=body.flag("practice", default=False),
            any_code=any_code,
            now=now,
            credential_id=who.credential_id,
            source=request_source(request, who.via),
        )
        return Response({"attempt": attempt_state(attempt, now)}, status=201 if created else 200)


class AttemptDetail(ApiView):
    """One's own attempt."""

    @extend_schema(operation_id="attempt_read", responses={200: AttemptSchema, **ERRORS})
    def get(self, request: Request, public_id: str) -> Response:
        """The present state; 404 for unknown and for somebody else's alike."""
        who = actor(request, "read")
        state = attempt_get(public_id=public_id, player_id=who.player_id, now=clock.now())
        return Response({"attempt": state})


class AttemptMoves(ApiView):
    """The way of one move."""

    throttle_scopes = {"POST": "move"}

    def check_rate(self, request: HttpRequest, method: str) -> None:
        try:
            super().check_rate(request, method)
        except TooMany as refusal:
            MOVES.labels("rest", refusal.code).inc()
            raise

    @extend_schema(operation_id="attempt_move", request=MoveSchema, responses={200: MoveReplySchema, **ERRORS})
    def post(self, request: Request, public_id: str) -> Response:
        """Play one move; a repeat of the same `move_id` gets the same answer."""
        credential = presented(request)
        body = Body.of(request)
        reply = attempt_move(
            attempt_id=public_id,
            token_hash=credential.token_hash,
            via=credential.via,
            move=parse_move(body.text("move", longest=8)),
            expected_ply=body.integer("expected_ply", low=0, high=2000),
            move_id=body.text("move_id", longest=64),
            now=clock.now(),
            source=request_source(request, credential.via),
        )
        return Response(reply.as_json())


class AttemptResign(ApiView):
    """Give up."""

    throttle_scopes = {"POST": "move"}

    @extend_schema(operation_id="attempt_resign", request=ResignSchema, responses={200: MoveReplySchema, **ERRORS})
    def post(self, request: Request, public_id: str) -> Response:
        """End the attempt as resigned; a recorded result stands (R3.3). Safe to repeat."""
        credential = presented(request)
        reply = attempt_resign(
            attempt_id=public_id,
            token_hash=credential.token_hash,
            via=credential.via,
            move_id=Body.of(request).text("move_id", longest=64, default="resign"),
            now=clock.now(),
        )
        return Response(reply.as_json())


class AttemptReplay(ApiView):
    """A finished attempt, ply by ply."""

    read: ClassVar[Callable[..., dict[str, Any]]] = staticmethod(attempt_replay)
    """Reads it. `leaderboards` puts its own in the place of this one: it knows who is hidden."""

    @extend_schema(operation_id="attempt_replay", responses={200: ReplaySchema, **ERRORS})
    def get(self, request: Request, public_id: str) -> Response:
        """Public once over (a daily's once it is final, R10.2); the owner of a sealed one sees what was turned up."""
        who = optional_actor(request)
        viewer = who.player_id if who is not None and "read" in who.scopes else None
        return Response(self.read(public_id=public_id, viewer_id=viewer, now=clock.now()))
