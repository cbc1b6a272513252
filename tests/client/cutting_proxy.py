"""A TCP proxy that cuts links where a test says so: real sockets, real losses."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

from tests.processes import free_port


class CuttingProxy:
    """Forwards 127.0.0.1:port to another port. `cut_replies`: so many links are cut when the server's answer comes.

    `cut_requests`: so many are cut when the client's bytes come, before the server sees them. Links opened before count.
    """

    def __init__(self, target: int) -> None:
        self.port = free_port()
        self.cut_replies = 0
        self.cut_requests = 0
        self.cuts = 0
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
        for link in self._open:
            link.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._open += [client, server]
                for pair in ((client, server, "cut_requests"), (server, client, "cut_replies")):
                    threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, counter: str) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if self._cuts(counter):
                    break
                sink.sendall(data)
        for link in (source, sink):
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)

    def _cuts(self, counter: str) -> bool:
        with self._lock:
            left: int = getattr(self, counter)
            if left == 0:
                return False
            setattr(self, counter, left - 1)
            self.cuts += 1
            return True
