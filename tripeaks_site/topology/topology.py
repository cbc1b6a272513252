"""nginx, web processes, workers, PostgreSQL and Redis on one or several hosts of this machine, with handles to break them."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self

from games.bench.processes import free_port
from tripeaks_site.embedded.postgres import create_database, database_url, start_postgres
from tripeaks_site.embedded.process import EmbeddedError, ServerProcess, remove_directory, socket_directory
from tripeaks_site.embedded.redis import redis_url, start_redis
from tripeaks_site.embedded.servers import Urls
from tripeaks_site.open_files import allow_many_sockets

from .hosts import Host, Network, network
from .parts import ROOT, Part, python
from .proxy import find_nginx, nginx_command

UNLIMITED = {  # all clients of a trial come from one address
    **{f"TRIPEAKS_THROTTLE_{scope}": "1000000/60" for scope in ("GUEST", "START", "MOVE", "READ", "PAGE", "SOCKET")},
    "TRIPEAKS_SOCKETS_PER_ADDRESS": "1000000",
}

LINKS = {  # as in docker-compose.yml: what a host that is cut off had locked is free again within ten seconds
    "tcp_keepalives_idle": "4",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10000",
}


class Topology:
    """The many-process form as plain processes. A context manager: at its end everything it made is gone.

    `web` and `worker` processes are spread over `hosts`; clients, nginx, PostgreSQL and Redis have the front host, which
    the calling thread (and whatever it starts) belongs to for the length of the block. `servers`: use these instead of an
    own PostgreSQL and Redis (the hosts are then no namespaces, which could not reach them). Raises EmbeddedError.
    """

    def __init__(
        self,
        *,
        hosts: int = 2,
        web: int = 3,
        workers: int = 2,
        namespaces: bool = True,
        durable: bool = True,
        drain_seconds: float = 2.0,
        servers: Urls | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._hosts, self._web, self._workers = hosts, web, workers
        self._namespaces = namespaces and servers is None
        self._durable = durable
        self._drain_seconds = drain_seconds
        self._given = servers
        self._env = dict(env or {})
        self._stack = contextlib.ExitStack()
        self.webs: list[Part] = []
        self.workers: list[Part] = []
        self.nginx: Part | None = None
        self.postgres: ServerProcess | None = None
        self.redis: ServerProcess | None = None
        self.network: Network
        self.url = ""
        """Where nginx serves."""

    # --- from start to end -----------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

    def _start(self) -> None:
        if find_nginx() is None:
            raise EmbeddedError("The program nginx is not installed: the many-process form has it in front.")
        allow_many_sockets()  # of nginx and the generator too: a spectator is three open files here
        self.folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="tripeaks-topology-")))
        self.clock_file = self.folder / "clock"
        self.network = network([f"host{number}" for number in range(1, self._hosts + 1)], namespaces=self._namespaces)
        self._stack.callback(self.network.close)
        self._stack.enter_context(self.network.front.inside())
        self._start_servers()
        self.manage("migrate", "--verbosity", "0")
        self.manage("prepare_daily", "--verbosity", "0")
        self._start_parts()

    def _start_servers(self) -> None:
        if self._given is not None:
            self.database_url, self.redis_url = self._given.database_url, self._given.redis_url
            self._urls = self._given
            return
        self._sockets = socket_directory(self.folder)
        self._stack.callback(remove_directory, self._sockets)
        self._stack.callback(self._stop_servers)
        self.start_postgres()
        self.start_redis()
        create_database(self._sockets)
        self.database_url, self.redis_url = database_url(self._sockets), redis_url(self._sockets)
        self._urls = Urls(self.database_url, self.redis_url)
        if self.network.separate:
            front = self.network.front.address
            self._urls = Urls(f"postgresql://tripeaks@{front}:5432/tripeaks", f"redis://{front}:6379/0")

    def _stop_servers(self) -> None:
        for server in (self.postgres, self.redis):
            if server is not None:
                server.stop()

    def start_postgres(self) -> None:
        """Start (again) the database server."""
        options = {"max_connections": "300", **LINKS}
        if self.network.separate:
            rules = self.folder / "pg_hba.conf"
            rules.write_text("local all all trust\nhost all all samenet trust\n")
            options |= {"listen_addresses": self.network.front.address, "hba_file": str(rules)}
        self.postgres = start_postgres(self.folder, self._sockets, fast=not self._durable, options=options)

    def start_redis(self) -> None:
        """Start (again) Redis, empty."""
        more = {"maxclients": "20000"}
        if self.network.separate:
            more |= {"port": "6379", "bind": self.network.front.address, "protected-mode": "no"}
        self.redis = start_redis(self.folder, self._sockets, more=more)

    def _start_parts(self) -> None:
        hosts = self.network.others
        ports = [free_port() for _ in range(self._web)]
        for number, port in enumerate(ports):
            host = hosts[number % len(hosts)]
            self.webs.append(
                self._part(f"web{number + 1}", host, self._serve(host, port), f"http://{host.address}:{port}/healthz")
            )
        for number in range(self._workers):
            alive = self.folder / f"worker{number + 1}.alive"
            command = python("manage.py", "worker", "--alive", str(alive))
            self.workers.append(self._part(f"worker{number + 1}", hosts[number % len(hosts)], command, alive))
        self._stack.callback(self._stop_parts)
        for part in (*self.webs, *self.workers):
            part.launch()
        for part in (*self.webs, *self.workers):
            part.wait()
        front = self.network.front
        port = free_port()
        self.url = f"http://{front.address}:{port}"
        webs = [f"{web.host.address}:{port}" for web, port in zip(self.webs, ports, strict=True)]
        command = nginx_command(self.folder, f"{front.address}:{port}", webs)
        self.nginx = self._part("nginx", front, command, f"{self.url}/healthz")
        self.nginx.start()

    def _serve(self, host: Host, port: int) -> list[str]:
        where = ("--host", host.address, "--port", str(port))
        return python("manage.py", "serve", *where, "--drain-seconds", str(self._drain_seconds))

    def _part(self, name: str, host: Host, command: list[str], alive: str | Path) -> Part:
        return Part(name, host, command, self.environment, self.folder / "log" / f"{name}.log", alive)

    def _stop_parts(self) -> None:
        parts = [part for part in (self.nginx, *self.webs, *self.workers) if part is not None]
        for _ in range(2):  # the second TERM does not wait for the sockets of a trial that has ended
            for part in parts:
                if part.running:
                    part.terminate()
            time.sleep(0.3)
        for part in parts:
            if part.process is not None:
                part.ended(timeout=20)

    # --- the trial's view ------------------------------------------------------------------------------------------

    @property
    def environment(self) -> dict[str, str]:
        """What its processes have in their environment."""
        addresses = {self.network.front.address, *(host.address for host in self.network.others)}
        return {
            "DATABASE_URL": self._urls.database_url,
            "REDIS_URL": self._urls.redis_url,
            "TRIPEAKS_DATA": str(self.folder),
            "TRIPEAKS_SECRET_KEY": self._secret,
            "TRIPEAKS_ALLOWED_HOSTS": ",".join(sorted({"localhost", "127.0.0.1", *addresses})),
            "TRIPEAKS_TRUSTED_PROXIES": "1",
            "TRIPEAKS_CLOCK_OFFSET_FILE": str(self.clock_file),
            **UNLIMITED,
            **self._env,
        }

    _secret = os.environ.get("TRIPEAKS_SECRET_KEY") or secrets.token_urlsafe(48)

    def manage(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a management command on the front host. Raises EmbeddedError when it fails and `check`."""
        env = {**os.environ, **self.environment}
        command = python("manage.py", *arguments)
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=600)
        if check and done.returncode:
            raise EmbeddedError(
                f"manage.py {' '.join(arguments)} exited with {done.returncode}:\n{done.stderr[-3000:]}"
            )
        return done

    def pids(self) -> dict[str, list[int]]:
        """Process ids by kind: web, worker, nginx, postgres, redis. Servers that are not its own are left out."""
        found = {"web": self.webs, "worker": self.workers, "nginx": [self.nginx] if self.nginx else []}
        pids = {kind: [part.pid for part in parts if part.running] for kind, parts in found.items()}
        servers = {"postgres": self.postgres, "redis": self.redis}
        return pids | {kind: [process.pid] for kind, process in servers.items() if process and process.running}

    # --- breaking it -----------------------------------------------------------------------------------------------

    def stop_postgres(self) -> None:
        """End the database server at once (an immediate shutdown: it recovers from its log when it starts again)."""
        assert self.postgres is not None, "not our own"
        os.kill(self.postgres.pid, signal.SIGQUIT)
        self.postgres.wait(timeout=20)

    def stop_redis(self) -> None:
        """Kill Redis; it keeps nothing."""
        assert self.redis is not None, "not our own"
        self.redis.kill()

    @property
    def cut_off(self) -> Host:
        """The host that `cut_link` cuts off."""
        return self.network.others[-1]

    def cut_link(self) -> str:
        """Cut the last host off; why that cannot be, or nothing."""
        if not self.network.separate:
            return f"no link to cut: {self.network.why_not}"
        self.network.cut(self.cut_off)
        return ""

    def mend_link(self) -> None:
        """The opposite of `cut_link`."""
        self.network.mend(self.cut_off)

    @contextlib.contextmanager
    def small_buffers(self, host: Host) -> Iterator[bool]:
        """New connections of this host keep little that is not read at the other end; whether that could be had."""
        if not self.network.separate:
            yield False
            return
        setting = Path("/proc/sys/net/ipv4/tcp_wmem")
        with host.inside():  # of its namespace alone
            before = setting.read_text()
            setting.write_text("4096 16384 32768")
        try:
            yield True
        finally:
            with host.inside():
                setting.write_text(before)

    def step_clock(self, seconds: float) -> None:
        """From now on every process's clock is off by so much."""
        unfinished = self.clock_file.with_suffix(".new")
        unfinished.write_text(str(seconds))
        unfinished.rename(self.clock_file)
