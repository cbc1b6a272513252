"""Ports of test and benchmark servers: nobody else gets one between its choice and the server's start."""

from __future__ import annotations

import errno
import socket

import pytest

from tests.processes import free_port


def test_a_port_that_was_given_is_a_servers_and_nobody_elses() -> None:
    port = free_port()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    for _ in range(2):  # a server may be started again at its address
        with socket.socket() as somebody, pytest.raises(OSError, match="in use") as refused:
            somebody.bind(("127.0.0.1", port))
        assert refused.value.errno == errno.EADDRINUSE
        with socket.create_server(("127.0.0.1", port)), socket.create_connection(("127.0.0.1", port)):
            pass
