"""`manage.py up`: everything started by one command, ended by Ctrl-C: one process that serves, and the queue's beside it.

Runs before Django reads its settings, since the settings need the addresses of the servers that it starts.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import os
import secrets
import shlex
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from tripeaks_site.embedded.discovery import AlreadyRunning, DataLock, Running, write_run
from tripeaks_site.embedded.process import EmbeddedError
from tripeaks_site.embedded.servers import Servers
from tripeaks_site.open_files import allow_many_sockets
from tripeaks_site.queue_worker import QueueWorker
from tripeaks_site.serving import BACKLOG

ROOT = Path(__file__).resolve().parent.parent
logger = logging.getLogger(__name__)
_MAINTENANCE_FIRST_SECONDS = 30.0
_MAINTENANCE_SECONDS = 3600.0


class CannotRun(Exception):
    """What stands in the way, said to the person at the terminal."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to serve on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8000, help="port to serve on, 0 for any (default: %(default)s)")
    parser.add_argument("--data", help="directory that keeps everything (default: .data beside manage.py)")


def main(arguments: Sequence[str]) -> int:
    """Run until Ctrl-C or TERM. The exit code: 0 after a clean end, 1 when it could not start, 2 for bad arguments."""
    parser = argparse.ArgumentParser(prog="manage.py up", description="Run the whole server in one process.")
    add_arguments(parser)
    options = parser.parse_args(arguments)
    if not 0 <= options.port <= 65535:
        parser.error("--port must be from 0 to 65535")
    data_dir = Path(options.data or os.environ.get("TRIPEAKS_DATA") or ROOT / ".data").expanduser().absolute()
    # An end by TERM is an end like Ctrl-C, from the first moment on: what was started is stopped.
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGINT, _interrupt)
    allow_many_sockets()
    try:
        _run(options.host, options.port, data_dir)
    except KeyboardInterrupt:
        pass
    except AlreadyRunning as error:
        where = f"at {error.run.address} (process {error.run.pid})" if error.run else "and still starting"
        _complain(f"It is already running over {data_dir}, {where}.")
        return 1
    except (CannotRun, EmbeddedError) as error:
        _complain(str(error))
        return 1
    _say("Stopped. All data is kept; start again with the same command.")
    return 0


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _complain(text: str) -> None:
    sys.stderr.write(text + "\n")


def _run(host: str, port: int, data_dir: Path) -> None:
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise CannotRun(f"The data directory {data_dir} cannot be made: {error.strerror}.") from error
    if not os.access(data_dir, os.R_OK | os.W_OK | os.X_OK):
        raise CannotRun(f"The data directory {data_dir} cannot be written by this user.")
    with DataLock(data_dir), contextlib.closing(_listen(host, port)) as listener:
        os.environ["TRIPEAKS_DATA"] = str(data_dir)
        keep_secret_key(data_dir)
        with _servers(data_dir):
            address = _address(host, listener)
            os.environ.setdefault("TRIPEAKS_ALLOWED_HOSTS", ",".join(_own_names(host)))
            os.environ.setdefault("TRIPEAKS_STATIC", str(data_dir / "static"))
            _prepare()
            urls = os.environ["DATABASE_URL"], os.environ["REDIS_URL"]
            write_run(data_dir, Running(os.getpid(), address, *urls))
            _say(_greeting(address, data_dir))
            with _maintenance(), QueueWorker(data_dir):
                _serve(listener)
            _say("\nStopping …")


def _listen(host: str, port: int) -> socket.socket:
    """The listening socket, taken before anything else is started: a taken port is told at once."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CannotRun(f"--host {host} is not an address of this machine: {error.strerror}.") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a restart does not wait for old connections
        listener.bind(where)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotRun(f"{host} port {port} cannot be used ({error.strerror}). Choose another with --port.") from error
    return listener


def _address(host: str, listener: socket.socket) -> str:
    port = listener.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


def _own_names(host: str) -> list[str]:
    """The names that requests may call us by: only this machine's, and what it is reached by when served to others."""
    names = ["localhost", "127.0.0.1", "[::1]"]
    if host not in {"localhost", "127.0.0.1", "::1"}:
        names += [socket.gethostname(), socket.getfqdn(), f"[{host}]" if ":" in host else host]
        with contextlib.suppress(OSError):
            names += socket.gethostbyname_ex(socket.gethostname())[2]
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # sends nothing; tells which address faces the network
            names.append(probe.getsockname()[0])
    return sorted(set(names) - {"0.0.0.0", "[::]", ""})


def keep_secret_key(data_dir: Path) -> None:
    """Make the secret key once, readable by the owner only; TRIPEAKS_SECRET_KEY comes first where it is set."""
    path = data_dir / "secret_key"
    if os.environ.get("TRIPEAKS_SECRET_KEY") or path.exists():
        return
    unfinished = data_dir / "secret_key.unfinished"
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(48) + "\n")
        file.flush()
        os.fsync(descriptor)
    unfinished.rename(path)


@contextlib.contextmanager
def _servers(data_dir: Path) -> Iterator[None]:
    """The embedded servers for those that the environment names none; their URLs in the environment."""
    postgres, redis = (not os.environ.get(name) for name in ("DATABASE_URL", "REDIS_URL"))
    servers = Servers(data_dir, postgres=postgres, redis=redis)
    if postgres or redis:
        names = " and ".join(name for name, wanted in (("PostgreSQL", postgres), ("Valkey", redis)) if wanted)
        _say(f"Starting {names} …")
        try:
            servers.start()
            os.environ.update({"DATABASE_URL": servers.urls.database_url} if postgres else {})
            os.environ.update({"REDIS_URL": servers.urls.redis_url} if redis else {})
            yield
        finally:
            servers.stop()
    else:
        yield


def _prepare() -> None:
    """Set Django up over the servers, bring the database to the newest schema, prepare the coming dailies."""
    _say("Preparing the database …")
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import CommandError, call_command
    from django.db import OperationalError, connections

    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise CannotRun(str(error)) from error
    from games.solver.exact import warm_up

    warm_up(_say)
    _collect_static_files()
    try:
        call_command("check", databases=["default"], stdout=io.StringIO())  # what is wrong goes to stderr or is raised
        call_command("migrate", verbosity=0, interactive=False)
        call_command("prepare_daily", verbosity=0)
    except CommandError as error:  # a check that failed says what to set
        raise CannotRun(str(error)) from error
    except OperationalError as error:
        raise CannotRun(f"The database at DATABASE_URL cannot be used: {error}") from error
    finally:
        connections.close_all()


def _collect_static_files() -> None:
    """Compressed and named by their content, as browsers keep them; again only when one has changed."""
    from django.conf import settings

    from tripeaks_site.statics import collect

    try:
        collect(Path(settings.STATIC_ROOT or ""))
    except OSError as error:
        raise CannotRun(f"The static files cannot be written to {settings.STATIC_ROOT}: {error.strerror}.") from error


@contextlib.contextmanager
def _maintenance() -> Iterator[None]:
    """Once an hour: expire, prepare, purge. Nothing depends on when; a try that fails is followed by the next."""
    from django.core.management import call_command
    from django.db import connections

    ending = threading.Event()

    def work() -> None:
        pause = _MAINTENANCE_FIRST_SECONDS
        while not ending.wait(pause):
            pause = _MAINTENANCE_SECONDS
            try:
                call_command("maintenance", verbosity=0)
            except Exception:  # a thread of its own: nobody above could do more than log it
                if not ending.is_set():
                    logger.exception("The hourly maintenance failed; the next one follows.")
            finally:
                connections.close_all()

    threading.Thread(target=work, name="maintenance", daemon=True).start()
    try:
        yield
    finally:
        ending.set()


def _greeting(address: str, data_dir: Path) -> str:
    standard = data_dir == ROOT / ".data"
    option = "" if standard else f" --data {shlex.quote(str(data_dir))}"
    return f"""
The server is running:
  page     {address}/
  API      {address}/api/v1/openapi.json
  sockets  {address.replace("http", "ws", 1)}/ws/v1/play, /ws/v1/standings (see {address}/api/v1/asyncapi.json)
  admin    {address}/admin/

Data is kept in {data_dir}
First moderator, in another terminal:
  python3 manage.py createsuperuser{option}
Stop with Ctrl-C.
"""


def _serve(listener: socket.socket) -> None:
    """Pages, API and sockets until a signal."""
    from django.conf import settings

    from games.metrics import MetricsNotServed, serve_metrics
    from tripeaks_site.web_process import WebProcessOfUp

    try:
        serve_metrics(settings.METRICS)
    except MetricsNotServed as problem:
        raise CannotRun(str(problem)) from problem
    WebProcessOfUp(drain_seconds=0).run(sockets=[listener])
