"""The queue's process beside `manage.py up`: `manage.py worker`, started with it, restarted when it dies, ended with it."""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path

from tripeaks_site.embedded.process import ServerProcess
from tripeaks_site.embedded.servers import Restarts

ROOT = Path(__file__).resolve().parent.parent
logger = logging.getLogger(__name__)
_WATCH_SECONDS = 0.1


class QueueWorker:
    """Runs for the length of a `with` block. It is not waited for: what it is to do waits in the database.

    Started and watched by a thread that lasts as long (Linux ends a child when the *thread* that started it ends).
    """

    def __init__(self, data_dir: Path) -> None:
        self._log = data_dir / "log" / "worker.log"
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="queue-worker", daemon=True)

    def __enter__(self) -> QueueWorker:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """The task at hand is finished first; whatever is left is done after the next start."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        restarts = Restarts()
        process: ServerProcess | None = None
        while not self._stopping.is_set():
            if (process is None or not process.running) and restarts.due():
                if process is not None:
                    logger.error("%s ended unexpectedly; starting it again.\n%s", process.name, process.log_tail(5))
                try:
                    command: list[str | Path] = [sys.executable, ROOT / "manage.py", "worker"]
                    process = ServerProcess(
                        "The queue's worker", command, log=self._log, cwd=ROOT, ours=True, env=_metrics_beside()
                    )
                except OSError:
                    logger.exception("The queue's worker could not be started; the next try follows.")
            self._stopping.wait(_WATCH_SECONDS)
        if process is not None:
            process.stop()


def _metrics_beside() -> dict[str, str]:
    """Its metrics at the port after ours."""
    from django.conf import settings  # by now the servers that they name are there

    if settings.METRICS is None:
        return {}
    host, port = settings.METRICS
    return {"TRIPEAKS_METRICS": f"{host}:{port + 1}"}
