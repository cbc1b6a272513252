"""Numbered games and the news of their records over REST (R7.7, R8.5): parse, one selector, serialise."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from games.api.auth import actor
from games.api.base import ApiView
from games.api.schemas import ERRORS, READ_ERRORS
from games.engine.codes import parse_number
from games.errors import BadInput
from leaderboards.selectors import news_get, numbered_get, numbered_list, numbered_random
from leaderboards.selectors.numbered import FILTERS

from .schemas import NewsSchema, NumberedListSchema, NumberedSchema, RandomNumberSchema
from .views import KIND, LIMIT, requested_limit

NUMBER = OpenApiParameter("number", int, OpenApiParameter.PATH, description="1 to 50000, in plain digits")


class NumberedList(ApiView):
    """The numbered games."""

    @extend_schema(
        operation_id="numbered_list",
        parameters=[
            OpenApiParameter(
                "filter",
                str,
                enum=FILTERS,
                default="all",
                description="unplayed: without a record; unbeaten: nobody has won it, though that may be possible; "
                "imperfect: with a record that can be bettered",
            ),
            KIND,
            OpenApiParameter("cursor", str, description="`next` of the page before"),
            OpenApiParameter("limit", int, description="1 to 100", default=LIMIT),
        ],
        responses={200: NumberedListSchema, **READ_ERRORS},
    )
    def get(self, request: Request) -> Response:
        """By number, each with what the solver says of it and its record."""
        query = request.query_params
        page = numbered_list(
            wanted=query.get("filter", "all"),
            kind=query.get("kind", "people"),
            cursor=query.get("cursor"),
            limit=requested_limit(request),
        )
        return Response(page)


class NumberedRandom(ApiView):
    """Any numbered game."""

    @extend_schema(
        operation_id="numbered_random",
        parameters=[
            OpenApiParameter("unbeaten", str, enum=["0", "1"], default="0", description="1: nobody has won it yet"),
            KIND,
        ],
        responses={200: RandomNumberSchema, **READ_ERRORS},
    )
    def get(self, request: Request) -> Response:
        """A number, each as likely as any other."""
        query = request.query_params
        unbeaten = query.get("unbeaten", "0")
        if unbeaten not in ("0", "1"):
            raise BadInput("bad_field", "unbeaten is 0 or 1.", field="unbeaten")
        return Response({"number": numbered_random(unbeaten=unbeaten == "1", kind=query.get("kind", "people"))})


class NumberedDetail(ApiView):
    """One numbered game."""

    @extend_schema(
        operation_id="numbered_read", parameters=[NUMBER, KIND], responses={200: NumberedSchema, **READ_ERRORS}
    )
    def get(self, request: Request, number: str) -> Response:
        """Whether it can be won, the best possible result, its record, and how far that is from perfect."""
        game = numbered_get(number=parse_number(number), kind=request.query_params.get("kind", "people"))
        return Response({"game": game})


class AttemptNews(ApiView):
    """What a result meant for the record of its game."""

    @extend_schema(operation_id="attempt_news", responses={200: NewsSchema, **ERRORS})
    def get(self, request: Request, public_id: str) -> Response:
        """Of one's own attempt at a numbered game; null for others, and while there is no result."""
        who = actor(request, "read")
        return Response(news_get(public_id=public_id, player_id=who.player_id))
