"""Which socket answers where; every other address is refused like a page that is not there."""

from __future__ import annotations

from django.urls import re_path

from games.realtime.writer import Receive, Scope, Send

from .consumers import standings


async def nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse the handshake: HTTP 403. (A 404 through the response extension makes uvicorn log an error each time.)"""
    await send({"type": "websocket.close"})


socket_routes = [
    re_path(r"^ws/v1/standings$", standings),  # type: ignore[arg-type]
    re_path(r"", nothing_here),  # type: ignore[arg-type]
]
