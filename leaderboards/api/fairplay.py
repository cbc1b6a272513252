"""The player's side of fair play over REST: reports, notices, appeals, one's data, and everybody's totals."""

from __future__ import annotations

from typing import ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from games import clock
from games.api.auth import actor, client_address, owner
from games.api.base import ApiView
from games.api.body import Body
from games.api.schemas import ERRORS, READ_ERRORS
from games.clock import iso
from games.errors import BadInput
from games.throttles import throttle
from leaderboards.moderation import appeals, reports
from leaderboards.moderation.export import player_export
from leaderboards.moderation.notices import notices_read
from leaderboards.moderation.player_selectors import appeal_json, notices_list, totals_get
from leaderboards.moderation.reports import report_make

from .schemas_fairplay import (
    REPORT_REASONS,
    AppealedSchema,
    AppealRequestSchema,
    ExportSchema,
    NoticeListSchema,
    NoticesReadSchema,
    ReadSchema,
    ReportedSchema,
    ReportRequestSchema,
    TotalsSchema,
)
from .views import requested_limit


class Reports(ApiView):
    """Reports of players and attempts."""

    throttle_scopes: ClassVar[dict[str, str]] = {"POST": "account"}

    @extend_schema(operation_id="report_make", request=ReportRequestSchema, responses={200: ReportedSchema, **ERRORS})
    def post(self, request: Request) -> Response:
        """Report a player or one attempt, as a person or a guest. A repeat changes reason and text.

        Accounts add 5 points to a case, guests 1 and together 5 at most, all together 20 at most: reports bring a case
        up the moderators' queue, and hold nobody.
        """
        who = actor(request, "manage")
        body = Body.of(request)
        attempt, player = (body.text(name, longest=64, default="") or None for name in ("attempt", "player"))
        if (attempt is None) == (player is None):
            raise BadInput("bad_field", "Name either the attempt or the player.", field="attempt")
        reason = body.choice("reason", REPORT_REASONS)
        text = body.text("text", longest=reports.TEXT_LONGEST, shortest=0, default="")
        throttle("report", f"player:{who.player_id}", f"address:{client_address(request.META)}")
        report = report_make(
            reporter_id=who.player_id,
            attempt_id=attempt,
            player_id=player,
            reason_class=reason,
            text=text.strip(),
            now=clock.now(),
        )
        shown = {"attempt": attempt, "player": player, "reason": report.reason_class, "text": report.text}
        return Response({"report": {**shown, "at": iso(report.at)}})


class Notices(ApiView):
    """What the player was told about decisions."""

    @extend_schema(
        operation_id="notices_list",
        parameters=[
            OpenApiParameter("cursor", str, description="`next` of the page before"),
            OpenApiParameter("limit", int, description="1 to 100", default=50),
        ],
        responses={200: NoticeListSchema, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """One's own and those of one's bots, newest first. While banned, too."""
        who = owner(request)
        cursor = request.query_params.get("cursor")
        return Response(
            notices_list(player_id=who.player_id, now=clock.now(), cursor=cursor, limit=requested_limit(request))
        )


class NoticesRead(ApiView):
    """Notices that have been read."""

    throttle_scopes: ClassVar[dict[str, str]] = {"POST": "account"}

    @extend_schema(operation_id="notices_read", request=NoticesReadSchema, responses={200: ReadSchema, **ERRORS})
    def post(self, request: Request) -> Response:
        """Mark a notice and all older ones as read; one that has come since stays unread. Safe to repeat."""
        who = owner(request)
        newest = Body.of(request).text("newest", longest=64)
        return Response({"marked": notices_read(player_id=who.player_id, newest=newest, now=clock.now())})


class Appeal(ApiView):
    """The answer to a notice."""

    throttle_scopes: ClassVar[dict[str, str]] = {"POST": "account"}

    @extend_schema(operation_id="appeal_make", request=AppealRequestSchema, responses={200: AppealedSchema, **ERRORS})
    def post(self, request: Request, public_id: str) -> Response:
        """Appeal against a decision, once. While banned, too. The same text again gets the same answer."""
        who = owner(request)
        text = Body.of(request).text("text", longest=appeals.TEXT_LONGEST).strip()
        if not text:
            raise BadInput("bad_field", "Say something.", field="text")
        made = appeals.appeal_make(player_id=who.player_id, notice_id=public_id, text=text, now=clock.now())
        return Response({"appeal": appeal_json(made)})


class Export(ApiView):
    """One's data."""

    throttle_scopes: ClassVar[dict[str, str]] = {"GET": "export"}

    @extend_schema(operation_id="account_export", responses={200: ExportSchema, **ERRORS})
    def get(self, request: Request) -> StreamingHttpResponse:
        """Everything that is kept about the account and its bots, as a file. While banned, too.

        Without secrets, cards that were never turned up, sealed codes, and what the signals weighed.
        """
        who = owner(request)
        pieces = player_export(player_id=who.player_id, now=clock.now())
        response = StreamingHttpResponse((piece.encode() for piece in pieces), content_type="application/json")
        response.headers["Cache-Control"] = "no-store"
        response.headers["Content-Disposition"] = 'attachment; filename="tripeaks-my-data.json"'
        return response


class FairPlay(ApiView):
    """How much is checked, and what comes of it."""

    @extend_schema(operation_id="fairplay_totals", responses={200: TotalsSchema, **READ_ERRORS}, auth=[])
    def get(self, request: Request) -> Response:
        """Totals of the last 30 days and of all time, counted once a minute."""
        response = Response(totals_get(now=clock.now()))
        response.headers["Cache-Control"] = "public, max-age=60"
        return response
