"""Both servers together, watched: one that dies is started again while its owner runs."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tripeaks_site.embedded.postgres import create_database, database_url, start_postgres
from tripeaks_site.embedded.process import EmbeddedError, ServerProcess, remove_directory, socket_directory
from tripeaks_site.embedded.redis import redis_url, start_redis

logger = logging.getLogger(__name__)

_WATCH_SECONDS = 0.1
_RETRY_SECONDS = (0.0, 0.5, 1.0, 2.0, 5.0)
_STABLE_SECONDS = 30.0


@dataclass(frozen=True)
class Urls:
    """Where the servers listen; empty for one that was not asked for."""

    database_url: str
    redis_url: str


class Servers:
    """The embedded servers of one data directory, all started by one thread that lasts as long as they do.

    (Linux ends a child when the *thread* that started it ends, so the thread that restarts must be the one that
    started.) The caller holds the data directory's lock: two of these over one directory would stop each other.
    """

    def __init__(self, data_dir: Path, *, fast: bool = False, postgres: bool = True, redis: bool = True) -> None:
        self._data_dir = data_dir.resolve()
        self._fast = fast
        self._wanted = [name for name, wanted in (("postgres", postgres), ("redis", redis)) if wanted]
        self._socket_dir: Path | None = None
        self._running: dict[str, ServerProcess] = {}
        self._stopping = threading.Event()
        self._started: queue.Queue[BaseException | None] = queue.Queue()
        self._thread = threading.Thread(target=self._run, name="embedded-servers", daemon=True)

    @property
    def urls(self) -> Urls:
        assert self._socket_dir is not None, "not started"
        return Urls(
            database_url(self._socket_dir) if "postgres" in self._wanted else "",
            redis_url(self._socket_dir) if "redis" in self._wanted else "",
        )

    @property
    def socket_dir(self) -> Path:
        assert self._socket_dir is not None, "not started"
        return self._socket_dir

    def pids(self) -> dict[str, int]:
        """Process ids by server name ("postgres", "redis")."""
        return {name: process.pid for name, process in self._running.items()}

    def start(self) -> None:
        """Start them and wait until they answer. Raises EmbeddedError; then nothing is left running."""
        self._data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._socket_dir = socket_directory(self._data_dir)
        self._thread.start()
        error = self._started.get()
        if error is not None:
            self._thread.join()
            raise error

    def stop(self) -> None:
        """Stop them in order and remove the sockets' directory."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._socket_dir is not None:
            remove_directory(self._socket_dir)

    def _run(self) -> None:
        try:
            for name in self._wanted:
                self._running[name] = self._start_one(name)
            if "postgres" in self._wanted:
                create_database(self.socket_dir)
        except BaseException as error:  # handed to the thread that waits in start()
            self._stop_all()
            self._started.put(error)
            return
        self._started.put(None)
        watchers = {name: Restarts() for name in self._wanted}
        while not self._stopping.wait(_WATCH_SECONDS):
            for name, process in list(self._running.items()):
                if not process.running and watchers[name].due():
                    self._restart(name, process)
        self._stop_all()

    def _restart(self, name: str, dead: ServerProcess) -> None:
        logger.error("%s ended unexpectedly; starting it again.\n%s", dead.name, dead.log_tail(5))
        try:
            self._running[name] = self._start_one(name)
        except (EmbeddedError, OSError):
            logger.exception("%s could not be started again; the next try follows.", dead.name)
        else:
            logger.warning("%s is running again.", dead.name)

    def _start_one(self, name: str) -> ServerProcess:
        if name == "postgres":
            return start_postgres(self._data_dir, self.socket_dir, fast=self._fast)
        return start_redis(self._data_dir, self.socket_dir)

    def _stop_all(self) -> None:
        for process in self._running.values():
            process.stop()


class Restarts:
    """When a dead server is due: at once, then with growing pauses while it keeps dying."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._count = 0
        self._last = -_STABLE_SECONDS

    def due(self) -> bool:
        now = self._clock()
        if now - self._last > _STABLE_SECONDS:
            self._count = 0
        if now - self._last < _RETRY_SECONDS[min(self._count, len(_RETRY_SECONDS) - 1)]:
            return False
        self._last = now
        self._count += 1
        return True


@contextlib.contextmanager
def embedded_servers(
    data_dir: Path | str, *, fast: bool = False, postgres: bool = True, redis: bool = True
) -> Iterator[Urls]:
    """Run the servers over `data_dir` for the length of the block. `fast`: without durability, for tests."""
    servers = Servers(Path(data_dir), fast=fast, postgres=postgres, redis=redis)
    servers.start()
    try:
        yield servers.urls
    finally:
        servers.stop()
