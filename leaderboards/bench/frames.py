"""The bytes of light WebSocket clients: masked with zeros, nothing checked, thousands in a process. Standard library only."""

from __future__ import annotations

import base64
import os

TEXT, CLOSE, PING = 1, 8, 9


def upgrade_request(host: str, port: int, path: str) -> bytes:
    """The request that makes a WebSocket of a connection."""
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def text_frame(payload: bytes, first: int = 0x81) -> bytes:
    """A client's frame of less than 64 KB, masked with zeros; `first`: another first byte makes another kind of it."""
    length = len(payload)
    head = bytes([first, 0x80 | length]) if length < 126 else bytes([first, 0xFE]) + length.to_bytes(2, "big")
    return head + bytes(4) + payload


def split_frames(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """The whole frames of a server that these bytes begin with, as (opcode, payload), and the bytes after them."""
    found, at = [], 0
    while len(data) - at >= 2:
        length, start = data[at + 1], at + 2
        if length == 126:
            length, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
        elif length == 127:
            length, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
        if len(data) < start + length:
            break
        found.append((data[at] & 15, data[start : start + length]))
        at = start + length
    return found, data[at:]
