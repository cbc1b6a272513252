"""One process of ours on one host: started, killed, stopped, started again."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tripeaks_site.embedded.process import EmbeddedError, ServerProcess

from .hosts import Host

ROOT: Final = Path(__file__).resolve().parent.parent.parent


@dataclass
class Part:
    """A process of the topology. Start it from a thread that lasts: Linux ends it with the thread that started it."""

    name: str
    host: Host
    command: Sequence[str]
    env: Mapping[str, str]
    log: Path
    alive: str | Path = ""
    """What tells that it works: an address that answers 200, or a file that it touches."""
    process: ServerProcess | None = field(default=None, repr=False)

    def start(self, *, timeout: float = 60) -> None:
        """Start it and wait until it works. Raises EmbeddedError with the end of its log."""
        self.launch()
        self.wait(timeout=timeout)

    def launch(self) -> None:
        """Start it; several of them load at once."""
        if isinstance(self.alive, Path):
            self.alive.unlink(missing_ok=True)
        with self.host.inside():
            self.process = ServerProcess(self.name, self.command, log=self.log, cwd=ROOT, ours=True, env=self.env)

    def wait(self, *, timeout: float = 60) -> None:
        """Wait until it works. Raises EmbeddedError."""
        self._running.wait_ready(self.works, timeout=timeout)

    def works(self) -> bool:
        """Whether it says so itself, asked on its own host."""
        if isinstance(self.alive, Path):
            return self.alive.exists()
        with self.host.inside():
            return answers(self.alive)

    @property
    def _running(self) -> ServerProcess:
        if self.process is None:
            raise EmbeddedError(f"{self.name} was not started.")
        return self.process

    @property
    def url(self) -> str:
        """Where it serves, past nginx; empty for what serves nothing."""
        return "" if isinstance(self.alive, Path) else self.alive.removesuffix("/healthz")

    @property
    def pid(self) -> int:
        return self._running.pid

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.running

    def kill(self) -> None:
        """SIGKILL."""
        self._running.kill()

    def terminate(self) -> None:
        """SIGTERM, as a service manager sends it; `ended` waits."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)

    def ended(self, *, timeout: float) -> int:
        """The exit code; killed (and -9) when it takes longer."""
        return self._running.wait(timeout=timeout)

    def stop(self) -> None:
        """End it in order, for good."""
        if self.running:
            self.terminate()
            self.ended(timeout=15)


def answers(address: str, *, timeout: float = 2) -> bool:
    """Whether the address answers 200."""
    try:
        with urllib.request.urlopen(address, timeout=timeout) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def python(*arguments: str) -> list[str]:
    """A command of the project's own interpreter."""
    return [sys.executable, *arguments]
