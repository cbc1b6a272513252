"""The AsyncAPI description of the sockets, made from the typed messages themselves. Served at /api/v1/asyncapi.json."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import protocol
from .schema import Message, Schema, message_schema


@dataclass(frozen=True)
class Channel:
    """One socket address and its messages."""

    name: str
    address: str
    description: str
    client: Sequence[type[Message]]
    server: Sequence[type[Message]]
    close_codes: Mapping[int, str]


PLAY = Channel(
    name="play",
    address="/ws/v1/play",
    description=(
        "Play over one socket, any number of attempts. The credential comes as the cookie of our own pages (with an "
        "Origin of ours), as an Authorization: Bearer header (an Origin may be missing), or as a hello frame within 5 "
        "seconds. Frames are answered in order; a client may send many without waiting. Rights are checked on every "
        "move. After a reconnect send resume, then any unanswered move again with the same move_id."
    ),
    client=protocol.CLIENT_MESSAGES,
    server=protocol.SERVER_MESSAGES,
    close_codes=protocol.CLOSE_CODES,
)


def document(channels: Sequence[Channel]) -> Schema:
    """The AsyncAPI 3.0 document of these channels, as JSON values."""
    out: Schema = {
        "asyncapi": "3.0.0",
        "info": {
            "title": "TriPeaks competition server: sockets",
            "version": "1",
            "description": "JSON text frames, one object each, with its type. GET /api/v1/openapi.json describes the rest.",
        },
        "defaultContentType": "application/json",
        "channels": {},
        "operations": {},
        "components": {"messages": {}},
    }
    for channel in channels:
        _add(out, channel)
    return out


def _add(out: Schema, channel: Channel) -> None:
    names: dict[str, list[str]] = {"client": [], "server": []}
    for side, messages in (("client", channel.client), ("server", channel.server)):
        for message in messages:
            name = f"{channel.name}.{side}.{message.TYPE}"
            names[side].append(name)
            out["components"]["messages"][name] = {
                "name": message.TYPE,
                "summary": inspect.cleandoc(message.__doc__ or ""),
                "payload": message_schema(message, closed=side == "server"),
            }
    out["channels"][channel.name] = {
        "address": channel.address,
        "description": channel.description,
        "messages": {
            name: {"$ref": f"#/components/messages/{name}"} for side in ("client", "server") for name in names[side]
        },
        "x-close-codes": {str(code): meaning for code, meaning in channel.close_codes.items()},
    }
    for side, action in (("client", "receive"), ("server", "send")):  # as the server sees it
        out["operations"][f"{channel.name}.{action}"] = {
            "action": action,
            "channel": {"$ref": f"#/channels/{channel.name}"},
            "messages": [{"$ref": f"#/channels/{channel.name}/messages/{name}"} for name in names[side]],
        }


def frame_schema(description: Mapping[str, Any], channel: str, side: str) -> dict[str, Any]:
    """The JSON Schema that every frame of one side of a channel meets (`side`: client or server)."""
    messages = description["components"]["messages"]
    return {"oneOf": [body["payload"] for name, body in messages.items() if name.startswith(f"{channel}.{side}.")]}
