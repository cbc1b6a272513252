"""The servers of tests and benchmarks: their ports are nobody else's, and their day does not end under a test."""

from __future__ import annotations

import datetime as dt
import errno
import socket

import pytest

from tests.processes import away_from_midnight, free_port


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


@pytest.mark.parametrize(
    ("time", "seconds"), [("00:00:00", 0), ("12:30:00", 0), ("23:55:59", 0), ("23:56:30", 211), ("23:59:59", 2)]
)
def test_no_server_starts_in_the_last_minutes_of_a_day(time: str, seconds: int) -> None:
    assert away_from_midnight(dt.datetime.fromisoformat(f"2026-11-29T{time}+00:00")) == seconds
