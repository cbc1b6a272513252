"""The AsyncAPI description of the sockets, served beside the OpenAPI one."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from games.api.base import ApiView
from games.api.errors import json_response
from games.api.schemas import READ_ERRORS
from leaderboards.realtime.asyncapi import description


class AsyncApi(ApiView):
    """Both sockets, message by message."""

    @extend_schema(
        operation_id="asyncapi_read", responses={(200, "application/json"): dict[str, Any], **READ_ERRORS}, auth=[]
    )
    def get(self, request: Request) -> HttpResponse:
        """The AsyncAPI 3.0 document."""
        response = json_response(description())
        response.headers["Cache-Control"] = "public, max-age=60"
        return response
