"""A real worker process over the database of the test."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from tests import servers
from tests.processes import ROOT, TIED_TO_US, database_url


class Worker:
    """One `manage.py worker`."""

    def __init__(self, url: str | None = None, *arguments: str) -> None:
        folder = servers.temporary_directory()
        self.alive = folder / "alive"
        self.log = folder / "worker.log"
        command = [
            *TIED_TO_US,
            sys.executable,
            str(ROOT / "manage.py"),
            "worker",
            "--alive",
            str(self.alive),
            *arguments,
        ]
        url = url or database_url(str(connection.settings_dict["NAME"]))
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, "DATABASE_URL": url},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def logs(self) -> str:
        return self.log.read_text(errors="replace")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to end; the exit code."""
        self.process.send_signal(number)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            pytest.fail(f"The worker did not end:\n{self.logs()[-5000:]}")


@contextlib.contextmanager
def worker(url: str | None = None, *arguments: str) -> Iterator[Worker]:
    """A worker that is ready."""
    running = Worker(url, *arguments)
    try:
        until(running.alive.exists, 60, running.logs)
        yield running
    finally:
        running.kill()


def until(reached: Callable[[], object], seconds: float, told: Callable[[], str] = str) -> None:
    """Wait until it is so; the test fails when it takes longer."""
    deadline = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > deadline:
            pytest.fail(f"not reached within {seconds} s\n{told()[-5000:]}")
        time.sleep(0.02)
