"""Players and their replays over REST, as everybody may see them: parse, one selector, serialise."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from games import clock
from games.api import attempts
from games.api.auth import optional_actor
from games.api.base import ApiView
from games.api.schemas import ERRORS
from leaderboards.selectors import player_profile, replay_get

from .schemas_players import ProfileSchema
from .views import requested_limit


class PlayerDetail(ApiView):
    """A player's dailies, scores, records and results."""

    @extend_schema(
        operation_id="player_read",
        parameters=[
            OpenApiParameter(
                "month", str, description="YYYY-MM, of the calendar; the present official month by default"
            ),
            OpenApiParameter("cursor", str, description="`next` of the page before"),
            OpenApiParameter("limit", int, description="1 to 100", default=50),
        ],
        responses={200: ProfileSchema, **ERRORS},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """People and bots are public; a guest is seen by that guest only, and deleted players by nobody."""
        who = optional_actor(request)
        query = request.query_params
        found = player_profile(
            public_id=public_id,
            viewer_id=who.player_id if who is not None and "read" in who.scopes else None,
            month=query.get("month"),
            cursor=query.get("cursor"),
            limit=requested_limit(request),
            now=clock.now(),
        )
        return Response(found)


class AttemptReplay(attempts.AttemptReplay):
    """A finished attempt, ply by ply, without the name of a player whom others do not find."""

    read = staticmethod(replay_get)
