"""The channel layer over Redis Cluster: each channel lives on the one node that holds its hash slot (sharded pub/sub).

An ordinary PUBLISH in a cluster goes to every node, so more nodes would carry no more messages. SPUBLISH stays on the
slot's own node. channels-redis does not know it; this is its pub/sub layer with the connection to one server replaced.
redis-py's cluster client is not used: it knows no sharded subscriptions, and does not start while one certain node is down.

Nothing is repaired here: when a connection breaks, a slot moves or a node is replaced, every further call raises, and
who uses the layer (`Relay`, the announcer) starts it afresh, as with a single Redis. Hints may be lost meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
from bisect import bisect_right
from typing import Any, Final
from urllib.parse import urlsplit

from channels_redis.pubsub import RedisPubSubChannelLayer, RedisPubSubLoopLayer, RedisSingleShardConnection
from channels_redis.utils import _wrap_close
from redis.asyncio import Redis
from redis.asyncio.connection import Connection
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.retry import Retry

CONNECT_SECONDS: Final = 1.0
ANSWER_SECONDS: Final = 1.0
_TROUBLE = (RedisError, OSError)


class ClusterChannelLayer(RedisPubSubChannelLayer):
    """Backend for CHANNEL_LAYERS; `hosts` are URLs of nodes of one cluster, which tell the others."""

    def _get_layer(self) -> RedisPubSubLoopLayer:
        loop = asyncio.get_running_loop()
        layer = self._layers.get(loop)
        if layer is None:
            layer = self._layers[loop] = _LoopLayer(*self._args, **self._kwargs, channel_layer=self)
            _wrap_close(self, loop)  # type: ignore[no-untyped-call]
        return layer


class _LoopLayer(RedisPubSubLoopLayer):
    def __init__(self, hosts: list[str], **more: Any) -> None:
        super().__init__(hosts=hosts, **more)  # type: ignore[no-untyped-call]
        self._shards = [_Cluster(hosts, self)]  # one "shard" that finds the node of each channel by itself


class _Cluster(RedisSingleShardConnection):
    """In the place of channels-redis' connection to one server: the same methods, over all nodes."""

    def __init__(self, urls: list[str], layer: RedisPubSubLoopLayer) -> None:
        super().__init__({}, layer)  # type: ignore[no-untyped-call]
        self._urls = urls
        self._broken = ""
        self._slots: list[tuple[int, str]] = []
        """First slot of each range and the URL of its primary, in order."""
        self._clients: dict[str, Redis] = {}
        self._listening: dict[str, tuple[Connection, asyncio.Task[None]]] = {}

    async def publish(self, channel: str, message: bytes) -> None:
        """To whoever has subscribed on the channel's node. Raises what LAYER_ERRORS names."""
        async with self._lock:
            client = self._client(await self._node(channel))
            try:
                await client.execute_command("SPUBLISH", channel, message)  # type: ignore[no-untyped-call]
            except _TROUBLE:
                self._slots = []  # the next call asks anew who holds which slots
                raise

    async def subscribe(self, channel: str) -> None:
        """Messages of the channel go to the layer's queues from now on."""
        async with self._lock:
            if channel not in self._subscribed_to:
                connection = await self._listen(await self._node(channel))
                self._subscribed_to.add(channel)
                await connection.send_command("SSUBSCRIBE", channel)

    async def unsubscribe(self, channel: str) -> None:
        """… and no longer."""
        async with self._lock:
            if channel in self._subscribed_to:
                self._subscribed_to.discard(channel)
                connection = await self._listen(await self._node(channel))
                await connection.send_command("SUNSUBSCRIBE", channel)

    async def flush(self) -> None:
        """Close everything and forget the subscriptions; the layer is as new."""
        async with self._lock:
            for connection, reader in self._listening.values():
                reader.cancel()
                await asyncio.wait([reader])
                with contextlib.suppress(*_TROUBLE):
                    await connection.disconnect(nowait=True)
            for client in self._clients.values():
                with contextlib.suppress(*_TROUBLE):
                    await client.aclose(close_connection_pool=True)
            self._broken, self._slots = "", []
            self._subscribed_to, self._clients, self._listening = set(), {}, {}

    async def _node(self, channel: str) -> str:
        """The URL of the node that holds a channel's slot."""
        if self._broken:
            raise RedisConnectionError(self._broken)
        if not self._slots:
            self._slots = await self._ask_for_slots()
        slot = key_slot(channel.encode())
        return self._slots[bisect_right(self._slots, slot, key=lambda part: part[0]) - 1][1]

    async def _ask_for_slots(self) -> list[tuple[int, str]]:
        problem: Exception = RedisConnectionError("no node of the cluster knows who holds which slots")
        for url in dict.fromkeys([*self._urls, *self._clients]):  # those of the settings, then those met on the way
            try:
                ranges = await self._client(url).execute_command("CLUSTER SLOTS")  # type: ignore[no-untyped-call]
            except _TROUBLE as failure:
                problem = failure
                continue
            if ranges:
                return sorted((part[0], _at(url, part[2][0], part[2][1])) for part in ranges)
        raise problem

    def _client(self, url: str) -> Redis:
        if url not in self._clients:
            options = {"socket_connect_timeout": CONNECT_SECONDS, "socket_timeout": ANSWER_SECONDS}
            self._clients[url] = Redis.from_url(url, retry=Retry(NoBackoff(), 1), **options)  # type: ignore[arg-type]
        return self._clients[url]

    async def _listen(self, url: str) -> Connection:
        if url not in self._listening:
            connection = self._client(url).connection_pool.make_connection()  # type: ignore[no-untyped-call]
            connection.socket_timeout = None  # silence is no fault: the relay's probe tells whether messages arrive
            await connection.connect()
            self._listening[url] = connection, asyncio.create_task(self._read(connection))
        return self._listening[url][0]

    async def _read(self, connection: Connection) -> None:
        try:
            while True:
                kind, name, data = await connection.read_response()
                if kind == b"smessage":
                    self._receive_message({"channel": name, "data": data})  # type: ignore[no-untyped-call]
                elif kind == b"sunsubscribe" and name is not None and name.decode() in self._subscribed_to:
                    raise RedisConnectionError("the slot of a channel has moved")
        except _TROUBLE as problem:
            self._broken = f"a subscription ended: {type(problem).__name__}"


def _at(url: str, host: bytes, port: int) -> str:
    """The URL of another node: scheme, user and password as in `url`. A node that does not know its own name says ""."""
    parts = urlsplit(url)
    name = host.decode() or parts.hostname or "localhost"
    user, _, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}{'@' if user else ''}{f'[{name}]' if ':' in name else name}:{port}").geturl()
