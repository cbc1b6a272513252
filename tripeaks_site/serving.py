"""The one set of uvicorn options: `manage.py serve`, `manage.py up` and the benches use the same."""

from __future__ import annotations

from typing import Any

ASGI = "tripeaks_site.asgi:application"
BACKLOG = 2048
KEEP_ALIVE_SECONDS = 75
"""How long a connection without requests stays open: longer than nginx (deploy/nginx.conf) keeps it for the next one, or
that meets a connection that is just being closed, and a POST is answered with 502."""
FINISH_SECONDS = 5
"""How long requests and moves under way may take to end when a process is told to."""


def uvicorn_options() -> dict[str, Any]:
    """Keyword arguments of uvicorn.Config."""
    return {
        "ws": "websockets-sansio",
        "ws_max_size": 64 * 1024,  # past the protocol's own limit, which answers with an error frame
        "ws_per_message_deflate": False,  # frames are encoded once for all sockets
        "lifespan": "off",
        "proxy_headers": False,  # TRIPEAKS_TRUSTED_PROXIES decides; uvicorn would believe any client on this machine
        "server_header": False,
        "access_log": False,
        "log_level": "warning",
        "backlog": BACKLOG,
        "timeout_keep_alive": KEEP_ALIVE_SECONDS,
        "timeout_graceful_shutdown": FINISH_SECONDS,
    }


def uvicorn_command() -> list[str]:
    """What follows `python -m uvicorn` to serve the site; where is the caller's to add."""
    arguments = [ASGI]
    for name, value in uvicorn_options().items():
        flag = name.replace("_", "-")
        if name == "ws_per_message_deflate":  # the one switch that takes a word
            arguments += [f"--{flag}", str(value).lower()]
        elif isinstance(value, bool):
            arguments.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            arguments += [f"--{flag}", str(value)]
    return arguments
