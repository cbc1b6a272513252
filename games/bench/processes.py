"""A real server process for the benchmarks: one uvicorn on 127.0.0.1, and its CPU seconds."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from django.conf import settings

_held: list[socket.socket] = []


def free_port() -> int:
    """A port on 127.0.0.1 that nobody listens on, and that is given to nobody else while this process lives.

    It is held by a socket that is bound but does not listen: whoever asks the system for any port gets another one,
    while a server that asks for this one (with SO_REUSEADDR, as servers do) gets it. Let go at once, it could be
    somebody else's by the time that its server has started, seconds later on a busy machine.
    """
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    _held.append(holder)
    port: int = holder.getsockname()[1]
    return port


def cpu_seconds(pid: int) -> float:
    """CPU seconds that all threads of a process have used so far (Linux: nanosecond counters; elsewhere: ps)."""
    tasks = Path(f"/proc/{pid}/task")
    if tasks.is_dir():
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9
    shown = subprocess.run(["ps", "-o", "cputime=", "-p", str(pid)], capture_output=True, text=True, check=True)
    hours, minutes, seconds = ([0.0, 0.0] + [float(part) for part in shown.stdout.strip().split(":")])[-3:]
    return hours * 3600 + minutes * 60 + seconds


@contextlib.contextmanager
def bench_server(serving: Sequence[str], env: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """`(host:port, pid)` of a server over the configured database and Redis, ended afterwards.

    `serving`: uvicorn's application and options, the site's own (which `games` may not import).
    """
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", *serving, "--host", "127.0.0.1", "--port", str(port)]
    surroundings = {
        **os.environ,
        "DATABASE_URL": settings.DATABASE_URL,
        "REDIS_URL": settings.REDIS_URL,
        "TRIPEAKS_SECRET_KEY": settings.SECRET_KEY,
        **env,
    }
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=surroundings, stdin=subprocess.DEVNULL)
    try:
        for _ in range(200):
            if process.poll() is not None:
                raise RuntimeError("the benchmark's server did not start")
            with contextlib.suppress(OSError, urllib.error.URLError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2)
                break
            time.sleep(0.1)
        yield f"127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
