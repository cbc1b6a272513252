"""While a server computes analyses that take long, its other requests are answered."""

from __future__ import annotations

import http.client
import json
import select
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from games.client import ApiError, Client
from tests.client.cast import UNHURRIED, guest
from tests.processes import ServerProcess, live_server

pytestmark = pytest.mark.slow
COUNT = 5
SECONDS = 120.0
"""No measure, only an end to waiting."""


def runs_code(number: int) -> str:
    """A deal scored by runs, whose analysis takes longest (R4.2)."""
    return f"TP1-R-AAAA{chr(65 + number)}ZQ"


class Asking:
    """An analysis that was asked for, without a thread that waits: the request is sent before anything else is asked."""

    def __init__(self, server: ServerProcess, attempt_id: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        self.connection.request("GET", f"/api/v1/attempts/{attempt_id}/analysis")

    def is_answered(self) -> bool:
        """Whether anything of the answer has come."""
        return bool(select.select([self.connection.sock], [], [], 0)[0])

    def end(self) -> None:
        answer = self.connection.getresponse()
        assert (answer.status, "accuracy" in json.load(answer)) == (200, True)
        self.connection.close()


def answered_meanwhile(threads: int) -> list[int]:
    """For each of some analyses: how many other requests began and ended while it was being computed."""
    with live_server(env={**UNHURRIED, "TRIPEAKS_HTTP_THREADS": str(threads)}) as server:
        alice, asker = guest(server.url), Client(server.url)
        ids = []
        for number in range(COUNT + 1):
            attempt = alice.start(code=runs_code(number))
            alice.resign(attempt["id"])
            ids.append(attempt["id"])
        asker.analysis(ids.pop())  # loads the solver's kernels
        alice.daily()
        counts = []
        for attempt_id in ids:
            asking, count, deadline = Asking(server, attempt_id), 0, time.monotonic() + SECONDS
            while not asking.is_answered():
                assert time.monotonic() < deadline
                alice.daily()
                count += not asking.is_answered()
            asking.end()
            counts.append(count)
        return counts


def test_other_requests_are_answered_while_an_analysis_is_computed() -> None:
    free, alone = answered_meanwhile(8), answered_meanwhile(1)
    assert sum(count > 0 for count in free) >= COUNT - 1, f"answered meanwhile: {free}"
    assert sum(free) > 3 * sum(alone), f"control: with one thread nothing else is answered: {alone}"


def test_a_crowd_of_analyses_is_refused_quickly_and_the_rest_of_the_site_goes_on() -> None:
    with live_server(env=UNHURRIED) as server:
        alice = guest(server.url)
        ids = []
        for number in range(10):
            attempt = alice.start(code=runs_code(number))
            alice.resign(attempt["id"])
            ids.append(attempt["id"])
        asked = threading.Barrier(len(ids) + 1)

        def ask(attempt_id: str) -> str:
            client = Client(server.url, patience=0)
            asked.wait(SECONDS)
            try:
                return str(client.analysis(attempt_id)["accuracy"])
            except ApiError as error:
                return error.code

        with ThreadPoolExecutor(len(ids)) as pool:
            answers = [pool.submit(ask, attempt_id) for attempt_id in ids]
            asked.wait(SECONDS)
            began, count = time.monotonic(), 0
            while not all(answer.done() for answer in answers):
                alice.daily()
                count += 1
                assert time.monotonic() - began < SECONDS
            assert count > 0
        said = [answer.result() for answer in answers]
        assert set(said) == {"None", "busy"}, "no move was made, so there is no accuracy"
        assert 1 <= said.count("None") < len(ids)
        assert [Client(server.url).analysis(each)["lost_at"] for each in ids] == [None] * len(ids), (
            "control: in time all are had"
        )
