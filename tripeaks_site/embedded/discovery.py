"""Which `manage.py up` runs over a data directory, and where its servers listen. Standard library only."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

_LOCK = "up.lock"
_RUN = "run.json"


@dataclass(frozen=True)
class Running:
    """A running instance: its process, the address that it serves (http://host:port), and its servers' URLs."""

    pid: int
    address: str
    database_url: str
    redis_url: str


def running(data_dir: Path) -> Running | None:
    """The instance that runs over `data_dir`, None when there is none or it is still starting."""
    try:
        with (data_dir / _LOCK).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None  # nobody holds it: what run.json says is old
    except BlockingIOError:
        return read_run(data_dir)
    except OSError:
        return None


def read_run(data_dir: Path) -> Running | None:
    """What the newest instance wrote about itself, alive or not."""
    with contextlib.suppress(OSError, ValueError, TypeError):
        return Running(**json.loads((data_dir / _RUN).read_text()))
    return None


def write_run(data_dir: Path, run: Running) -> None:
    """Say where we listen. Readable by the owner only: a URL given from outside may hold a password."""
    unfinished = data_dir / f"{_RUN}.{os.getpid()}"
    unfinished.touch(mode=0o600)
    unfinished.write_text(json.dumps(asdict(run)))
    unfinished.replace(data_dir / _RUN)


def remove_run(data_dir: Path) -> None:
    (data_dir / _RUN).unlink(missing_ok=True)


class AlreadyRunning(Exception):
    """Another process holds the data directory; `.run` says which, None while it is still starting."""

    def __init__(self, run: Running | None) -> None:
        super().__init__("already running")
        self.run = run


class DataLock:
    """Hold the data directory for the length of the block; the system lets go when the process ends, however it does.

    Raises AlreadyRunning.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._descriptor = -1

    def __enter__(self) -> Self:
        self._descriptor = os.open(self._data_dir / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + 0.5  # running() above holds it shared for an instant
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    os.close(self._descriptor)
                    raise AlreadyRunning(read_run(self._data_dir)) from None
                time.sleep(0.02)
            else:
                remove_run(self._data_dir)
                return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        remove_run(self._data_dir)
        os.close(self._descriptor)
