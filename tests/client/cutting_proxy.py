"""A TCP proxy that delays, swallows and cuts where a test says so: real sockets, real losses."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from types import TracebackType
from typing import Self

from tests.processes import free_port

TO_SERVER, TO_CLIENT = "cut_requests", "cut_replies"


class CuttingProxy:
    """Forwards 127.0.0.1:port to another port, `delay` seconds late each way.

    `cut_replies`: so many links are cut when the server's answer comes. `cut_requests`: so many are cut when the
    client's bytes come, before the server sees them. Links opened before count.
    `swallow_requests`, `swallow_replies`: from now on nothing gets through that way, while both ends think they are
    connected. `cut()` ends what is open; `down` refuses whoever connects, until `restore()`.
    """

    def __init__(self, target: int, *, delay: float = 0) -> None:
        self.port = free_port()
        self.delay = delay
        self.cut_replies = 0
        self.cut_requests = 0
        self.cuts = 0
        self.swallow_requests = False
        self.swallow_replies = False
        self.down = False
        self._target = target
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", self.port))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        self.cut()

    def cut(self, *, down: bool = False) -> None:
        """End every open link; with `down`, let nobody connect again before `restore()`."""
        with self._lock:
            self.down = self.down or down
            ended, self._open = self._open, []
        for link in ended:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()

    def restore(self) -> None:
        """Let everybody connect, and everything through."""
        self.swallow_requests = self.swallow_replies = False
        self.down = False

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.down:
                    client.close()
                    continue
                try:
                    server = socket.create_connection(("127.0.0.1", self._target))
                except OSError:  # the server behind is restarting
                    client.close()
                    continue
                with self._lock:
                    self._open += [client, server]
                for pair in ((client, server, TO_SERVER), (server, client, TO_CLIENT)):
                    threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, counter: str) -> None:
        late: queue.SimpleQueue[tuple[float, bytes]] | None = None
        if self.delay:
            late = queue.SimpleQueue()
            threading.Thread(target=self._deliver, args=(late, sink), daemon=True).start()
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if self._cuts(counter):
                    break
                if self.swallow_requests if counter == TO_SERVER else self.swallow_replies:
                    continue
                if late is None:
                    sink.sendall(data)
                else:
                    late.put((time.monotonic() + self.delay, data))
        if late is not None:
            late.put((time.monotonic() + self.delay, b""))
            with contextlib.suppress(OSError):
                source.shutdown(socket.SHUT_RD)
            return
        for link in (source, sink):
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _deliver(late: queue.SimpleQueue[tuple[float, bytes]], sink: socket.socket) -> None:
        """Bytes at their time, in order: many can be on their way at once, as on a long line."""
        with contextlib.suppress(OSError):
            while True:
                at, data = late.get()
                time.sleep(max(0.0, at - time.monotonic()))
                if not data:
                    break
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)

    def _cuts(self, counter: str) -> bool:
        with self._lock:
            left: int = getattr(self, counter)
            if left == 0:
                return False
            setattr(self, counter, left - 1)
            self.cuts += 1
            return True
