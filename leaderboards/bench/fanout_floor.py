"""The floor of the fan-out benchmark: `websockets.broadcast` of one prebuilt frame to every connected socket.

    python -m leaderboards.bench.fanout_floor PORT BYTES

Prints `listening`. Each line on standard input makes one broadcast and is answered by the monotonic time (ns) before it.
"""

from __future__ import annotations

import asyncio
import sys
import time

from websockets.asyncio.server import ServerConnection, broadcast, serve


async def main(port: int, size: int) -> None:
    """See the module."""
    connections: set[ServerConnection] = set()

    async def handler(connection: ServerConnection) -> None:
        connections.add(connection)
        try:
            await connection.wait_closed()
        finally:
            connections.discard(connection)

    frame = "x" * size
    loop = asyncio.get_running_loop()
    async with serve(handler, "127.0.0.1", port, compression=None, ping_interval=None, backlog=2048):
        print("listening", flush=True)  # noqa: T201
        while await loop.run_in_executor(None, sys.stdin.readline):
            started = time.monotonic_ns()
            broadcast(connections, frame)
            print(started, flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
