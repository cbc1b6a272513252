"""Analyses of finished attempts, and hints in practice."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from games import clock
from games.errors import Forbidden
from games.services import analysis_open, analysis_read, attempt_hint, attempt_winnable

from .auth import actor, optional_actor
from .base import ApiView
from .body import Body
from .schemas_analysis import ANALYSIS_ERRORS, OPEN_ERRORS, AnalysisSchema, HintSchema, WinnableSchema


def check_asked_here(request: Request) -> None:
    """A link or picture on somebody else's page must not make our visitor's attempts practice: 403 `origin_refused`.

    Browsers say in Sec-Fetch-Site where a request comes from; `none` is the address typed by hand.
    """
    if request.META.get("HTTP_SEC_FETCH_SITE", "none") not in {"none", "same-origin"}:
        raise Forbidden("origin_refused", "Open the analysis from our own pages.")


class AttemptAnalysis(ApiView):
    """What the exact solver says of a finished attempt."""

    throttle_scopes = {"GET": "solve", "POST": "solve"}

    @extend_schema(operation_id="attempt_analysis", responses={200: AnalysisSchema, **ANALYSIS_ERRORS})
    def get(self, request: Request, public_id: str) -> Response:
        """Of a public attempt. Who is signed in plays these cards as practice from then on."""
        who = optional_actor(request)
        if who is not None and who.via == "cookie":
            check_asked_here(request)
        player_id = None if who is None else who.player_id
        return Response(analysis_read(public_id=public_id, player_id=player_id, now=clock.now()))

    @extend_schema(operation_id="attempt_analysis_open", request=None, responses={200: AnalysisSchema, **OPEN_ERRORS})
    def post(self, request: Request, public_id: str) -> Response:
        """The same; one's own stuck attempt that could still be undone ends by it, its result stands."""
        who = actor(request, "play")
        Body.of(request)
        return Response(analysis_open(public_id=public_id, player_id=who.player_id, now=clock.now()))


class AttemptHint(ApiView):
    """A best move."""

    throttle_scopes = {"POST": "solve"}

    @extend_schema(operation_id="attempt_hint", request=None, responses={200: HintSchema, **OPEN_ERRORS})
    def post(self, request: Request, public_id: str) -> Response:
        """In one's own running practice attempt on an open code; later attempts at these cards are practice."""
        who = actor(request, "play")
        Body.of(request)
        return Response(attempt_hint(public_id=public_id, player_id=who.player_id, now=clock.now()))


class AttemptWinnable(ApiView):
    """Can this still be won?"""

    throttle_scopes = {"POST": "solve"}

    @extend_schema(operation_id="attempt_winnable", request=None, responses={200: WinnableSchema, **OPEN_ERRORS})
    def post(self, request: Request, public_id: str) -> Response:
        """In one's own running practice attempt on an open code; later attempts at these cards are practice."""
        who = actor(request, "play")
        Body.of(request)
        return Response(attempt_winnable(public_id=public_id, player_id=who.player_id, now=clock.now()))
