"""Start, watch and stop one server process; choose a private directory for its socket."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

NOBODY = 65534
Mode = Literal["plain", "userns", "nobody"]

_CHILD = Path(__file__).with_name("child.py")
_LOG_BYTES = 10_000_000
# sockaddr_un holds 107 bytes; room for the longest name in the directory, ".s.PGSQL.5432.lock"
_SOCKET_DIR_BYTES = 85


class EmbeddedError(Exception):
    """An embedded server cannot be started; the text tells the person at the terminal why."""


def package_file(package: str, *pattern: str) -> Path:
    """The file of an installed package that matches one of the patterns; the package is not imported.

    Raises EmbeddedError when the package or the file is missing.
    """
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for one in pattern:
            for path in sorted(Path(place).glob(one)):
                return path
    raise EmbeddedError(
        f"The package {package!r} with the embedded server is not installed or has no binary for this system "
        f"({sys.platform}, {os.uname().machine}). Install requirements.txt, or set DATABASE_URL and REDIS_URL "
        "to servers of your own."
    )


@functools.cache
def root_mode() -> Mode:
    """How a program that refuses root is started by this user: see child.py."""
    if os.geteuid() != 0:
        return "plain"
    probe = subprocess.run([sys.executable, "-I", "-S", str(_CHILD), "0", "probe"], capture_output=True, check=False)
    return "userns" if probe.returncode == 0 else "nobody"


def give_to_server(directory: Path, mode: Mode) -> None:
    """Make `directory` belong to the user that the server runs as (a run in another mode may have had it)."""
    if os.geteuid() != 0:
        return
    uid = NOBODY if mode == "nobody" else 0
    if directory.stat().st_uid == uid:
        return
    for folder, _, files in os.walk(directory):
        os.chown(folder, uid, uid, follow_symlinks=False)
        for name in files:
            os.chown(Path(folder, name), uid, uid, follow_symlinks=False)


def socket_directory(data_dir: Path) -> Path:
    """A private (0700) directory with a short, plain path for the sockets of this data directory.

    Sockets cannot lie in the data directory: 107 bytes are the limit and its path may be longer or hold
    characters that PostgreSQL's list of directories cannot. The name follows from the data directory, so a
    killed run leaves nothing that the next does not use again.
    """
    name = f"tripeaks-{os.geteuid()}-{hashlib.sha256(os.fsencode(data_dir.resolve())).hexdigest()[:12]}"
    for base in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):
        if not base or not re.fullmatch(r"/[A-Za-z0-9._/-]*", base) or not os.access(base, os.W_OK | os.X_OK):
            continue
        path = Path(base, name)
        if len(os.fsencode(path)) > _SOCKET_DIR_BYTES:
            continue
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        if not _is_private(path):  # someone else made it: an unguessable name instead
            path = Path(tempfile.mkdtemp(prefix="tripeaks-", dir=base))
        return path
    raise EmbeddedError("There is no directory for the servers' sockets: set TMPDIR to one with a short path.")


def _is_private(path: Path) -> bool:
    found = path.lstat()
    owners = {os.geteuid(), NOBODY} if os.geteuid() == 0 else {os.geteuid()}
    return stat.S_ISDIR(found.st_mode) and found.st_uid in owners and not found.st_mode & 0o077


def remove_directory(path: Path) -> None:
    """Remove a socket directory; what is already gone does not matter."""
    shutil.rmtree(path, ignore_errors=True)


def command_line(pid: int) -> str:
    """The command line of a process, empty when there is none (or only what is left until its parent reads its end)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="surrogateescape")
        return ""
    found = subprocess.run(["ps", "-o", "stat=,args=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return "" if found.stdout.startswith("Z") else found.stdout


def _environment_of_servers() -> dict[str, str]:
    """PGDATA, PGPORT and the like are about another server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}


class ServerProcess:
    """One running server. On Linux it ends when the *thread* that made this object ends: make it in one that lasts."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        mode: Mode = "plain",
        cwd: Path,
        ours: bool = False,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """`ours`: a program of this project, with the environment as it is. `env` is added to it."""
        self.name = name
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        too_long = log.exists() and log.stat().st_size > _LOG_BYTES
        with log.open("wb" if too_long else "ab") as output:
            self._log_start = output.tell()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", _CHILD, str(os.getpid()), mode, "--", *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={**(os.environ if ours else _environment_of_servers()), **(env or {})},
                start_new_session=True,  # a Ctrl-C at the terminal is for us alone: we stop them in order
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def wait_ready(self, ready: Callable[[], bool], *, timeout: float = 60) -> None:
        """Wait until `ready()`; raises EmbeddedError with the end of the log when the server ends or is too slow."""
        deadline = time.monotonic() + timeout
        while not ready():
            if not self.running:
                raise EmbeddedError(f"{self.name} ended while starting:\n{self.log_tail()}")
            if time.monotonic() > deadline:
                self.kill()
                raise EmbeddedError(f"{self.name} was not ready in {timeout:.0f} s:\n{self.log_tail()}")
            time.sleep(0.01)

    def log_tail(self, lines: int = 15) -> str:
        """The last lines that this process wrote, indented."""
        with contextlib.suppress(OSError), self.log.open("rb") as file:
            file.seek(self._log_start)
            text = file.read()[-8000:].decode(errors="replace")
            return "\n".join("  " + line for line in text.splitlines()[-lines:])
        return ""

    def stop(self, *, timeout: float = 20) -> None:
        """SIGINT (PostgreSQL: fast shutdown), then SIGKILL when it takes too long."""
        if self.running:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def wait(self, *, timeout: float) -> int:
        """The exit code; killed (and -9) when it takes longer than `timeout` seconds."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._process.returncode
