"""Long work of commands: several processes that end with their parent, a progress bar, results kept through a kill."""

from __future__ import annotations

import fcntl
import hashlib
import json
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, TextIO, TypeVar

_Result = TypeVar("_Result")
_Key = TypeVar("_Key")
_ROOT = Path(__file__).resolve().parents[2]
_OF = "results of"


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def release_digest(*folders: str) -> str:
    """SHA-256 of the Python source below these folders of the project: another release, another digest."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((_ROOT / folder).rglob("*.py")):
            digest.update(f"{path.relative_to(_ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _end_with_parent() -> None:
    """A killed parent cannot tell its workers to stop; they watch for its end themselves."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()


def in_processes(
    processes: int, work: Callable[..., _Result], tasks: Iterable[tuple[_Key, tuple[Any, ...]]]
) -> Iterator[tuple[_Key, _Result]]:
    """``work(*arguments)`` for each (key, arguments), in several fresh processes; as they get ready, with their keys.

    ``work`` is a function of a module. An exception of it ends the work and is raised. Few tasks wait at a time, so
    that an end comes soon.
    """
    if processes == 1:
        yield from ((key, work(*arguments)) for key, arguments in tasks)
        return
    waiting = iter(tasks)
    running: dict[Future[_Result], _Key] = {}
    context = multiprocessing.get_context("spawn")  # a fork would share our database connections
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_end_with_parent) as pool:
        try:
            while True:
                while len(running) < 2 * processes and (task := next(waiting, None)) is not None:
                    running[pool.submit(work, *task[1])] = task[0]
                if not running:
                    return
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(done), done.result()
        finally:
            pool.shutdown(cancel_futures=True)


class Progress:
    """A bar on a terminal; elsewhere a line each tenth of the way."""

    def __init__(self, total: int, unit: str, *, done: int = 0, stream: TextIO | None = None) -> None:
        self.total, self.unit, self.done = total, unit, done
        self.stream = stream or sys.stderr
        self._first = done
        self._began = monotonic()
        self._shown = -1
        self._live = self.stream.isatty()

    def __enter__(self) -> Progress:
        self._show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self.stream.write("\n")

    def add(self, count: int) -> None:
        self.done += count
        self._show()

    def _show(self) -> None:
        tenths = 1000 if self._live else 10
        part = self.done * tenths // max(self.total, 1)
        if part == self._shown:
            return
        self._shown = part
        percent = self.done * 100 // max(self.total, 1)
        text = f"{percent:3d} %  {self.done:,} of {self.total:,} {self.unit}{self._left()}"
        if self._live:
            bar = "#" * (percent * 30 // 100)
            self.stream.write(f"\r[{bar:<30}] {text:<60}")
        else:
            self.stream.write(text + "\n")
        self.stream.flush()

    def _left(self) -> str:
        new = self.done - self._first
        if not new or self.done >= self.total:
            return ""
        seconds = (monotonic() - self._began) / new * (self.total - self.done)
        return f", {seconds:.0f} s left" if seconds < 100 else f", {seconds / 60:.0f} min left"


class AlreadyWorking(Exception):
    """Another process works on the same file."""


class Kept:
    """Results kept as lines of JSON while the work goes on. What a kill leaves half written is not read.

    The first line says what they are results of. Those of anything else are dropped: an upgrade or a restore between
    two runs is what the second one is for.
    """

    def __init__(self, file: TextIO, path: Path, of: Mapping[str, str]) -> None:
        self._file, self._path, self._of = file, path, dict(of)
        self.results: dict[str, Any] = {}
        self.dropped: list[str] = []
        """In what the results that were found here differed; empty when none were dropped."""
        whole = 0
        for line in file:
            try:
                key, result = json.loads(line)
            except ValueError:
                break
            if not line.endswith("\n"):
                break
            self.results[key] = result
            whole += len(line.encode())
        was = self.results.pop(_OF, None)
        if was != self._of:
            if whole:
                self.dropped = [name for name in of if not isinstance(was, dict) or was.get(name) != of[name]]
            self.begin_anew()
            return
        file.seek(whole)
        file.truncate()

    def begin_anew(self) -> None:
        """Drop all results, in the file too: a run that is stopped now leaves none of them to the next."""
        self.results.clear()
        self._file.seek(0)
        self._file.truncate()
        self._file.write(json.dumps([_OF, self._of]) + "\n")
        self._file.flush()

    def keep(self, key: str, result: Any) -> None:
        self.results[key] = result
        self._file.write(json.dumps([key, result]) + "\n")
        self._file.flush()

    def forget(self) -> None:
        """The work is done: the next run starts anew."""
        self._path.unlink(missing_ok=True)


@contextmanager
def kept_results(path: Path, of: Mapping[str, str]) -> Iterator[Kept]:
    """The results in this file, made if need be, as far as they are ``of`` just this. Raises AlreadyWorking, OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyWorking from None
        file.seek(0)
        yield Kept(file, path, of)
