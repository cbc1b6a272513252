"""A real Redis Cluster of three primaries for tests, on addresses of this machine only."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from redis import Redis

from tests import servers
from tests.processes import free_port
from tripeaks_site.embedded.process import ServerProcess
from tripeaks_site.embedded.redis import start_redis

SLOTS = 16_384
NODES = 3


@dataclass
class RedisCluster:
    """The nodes' ports and processes; `url` names the first, which knows the others."""

    ports: list[int]
    processes: list[ServerProcess]

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.ports[0]}/0"

    def nodes(self) -> list[Any]:
        """A client of each node, without the double types (sync and async) of its library."""
        return [Redis(host="127.0.0.1", port=port) for port in self.ports]


@contextlib.contextmanager
def redis_cluster(**more: str) -> Iterator[RedisCluster]:
    """Three primaries that share all slots; `more`: further options of each, e.g. maxmemory="4mb"."""
    started: list[ServerProcess] = []
    ports: list[int] = []
    try:
        for _ in range(NODES):
            folder = servers.temporary_directory()
            port, bus = free_port(), free_port()
            options = {"port": str(port), "bind": "127.0.0.1", "cluster-enabled": "yes", "cluster-port": str(bus)}
            started.append(start_redis(folder, folder, more={**options, "cluster-node-timeout": "2000", **more}))
            ports.append(port)
        cluster = RedisCluster(ports, started)
        _join(cluster)
        yield cluster
    finally:
        for process in started:
            process.stop()


def _join(cluster: RedisCluster) -> None:
    nodes = cluster.nodes()
    for number, node in enumerate(nodes):
        first, last = SLOTS * number // NODES, SLOTS * (number + 1) // NODES - 1
        node.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
        bus = node.config_get("cluster-port")["cluster-port"]
        for other in nodes:
            other.execute_command("CLUSTER MEET", "127.0.0.1", cluster.ports[number], bus)
    deadline = time.monotonic() + 20
    while not all(_knows_all(node) for node in nodes):
        if time.monotonic() > deadline:
            raise RuntimeError("the cluster did not come together")
        time.sleep(0.05)
    for node in nodes:
        node.close()


def _knows_all(node: Any) -> bool:
    info = node.cluster("INFO")
    return bool(info["cluster_state"] == "ok" and int(info["cluster_known_nodes"]) == NODES)
