"""The standings socket in the AsyncAPI description, and the whole of it."""

from __future__ import annotations

import functools
from typing import Any

from games.realtime.asyncapi import PLAY, Channel, document
from games.realtime.protocol import CLOSE_CODES

from . import protocol

STANDINGS = Channel(
    name="standings",
    address="/ws/v1/standings",
    description=(
        f"Follow up to {protocol.BOARDS_PER_SOCKET} boards; no credential. A snapshot replaces everything. An event "
        "applies when its previous is the version you have: keep the rows you know, merge rows, put them in order; one "
        "whose version you have already is ignored. Any other event, or a heartbeat with a newer version than yours, "
        "means that something was missed: send resync and take the snapshot. A daily has one list for both views."
    ),
    client=protocol.CLIENT_MESSAGES,
    server=protocol.SERVER_MESSAGES,
    close_codes={code: CLOSE_CODES[code] for code in (4008, 4009, 1009, 1011, 1012)},
)


@functools.cache
def description() -> dict[str, Any]:
    """The AsyncAPI 3.0 document of all sockets."""
    return document([PLAY, STANDINGS])
