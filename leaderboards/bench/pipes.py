"""Lines to and from the processes that a benchmark has begun."""

from __future__ import annotations

import subprocess
from typing import IO


def read_line(process: subprocess.Popen[str]) -> str:
    """The next line it writes, without its end."""
    line = _pipe(process.stdout).readline()
    if not line:
        raise RuntimeError("a process of the benchmark has ended early")
    return line.strip()


def expect_line(process: subprocess.Popen[str], wanted: str) -> None:
    """Raises RuntimeError when the next line is another one."""
    if read_line(process) != wanted:
        raise RuntimeError(f"a process of the benchmark did not get to {wanted!r}")


def write_line(process: subprocess.Popen[str], line: str) -> None:
    """Send it a line."""
    stream = _pipe(process.stdin)
    stream.write(line + "\n")
    stream.flush()


def end(process: subprocess.Popen[str]) -> None:
    """Kill it."""
    process.kill()
    process.wait()


def _pipe(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        raise RuntimeError("no pipe")
    return stream
