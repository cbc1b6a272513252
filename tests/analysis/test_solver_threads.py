"""What takes long to solve never takes the threads of other requests: a bound, a short wait, and a clear answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.conf import settings

from games import solving
from games.errors import Busy
from games.selectors import analysis as selector
from games.services import analyses, hints
from games.solving import SolverGate
from tests.analysis.cast import EASY, Caller, stuck_log
from tests.calls import Answer, call
from tests.processes import wait_until

SECONDS = 30.0
"""No measure, only an end to waiting."""


class Crowd:
    """Those inside stay until they are told to go. Counts how many are inside at once."""

    def __init__(self) -> None:
        self.lock, self.inside, self.most, self.go_on = threading.Lock(), 0, 0, threading.Event()

    def work(self) -> None:
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        assert self.go_on.wait(SECONDS)
        with self.lock:
            self.inside -= 1


def rush(gate: SolverGate, crowd: Crowd, count: int, *, inside: int, refused: int) -> list[float]:
    """So many at once; when so many are inside and so many were refused, all may go. How long each of those waited."""
    took: list[float] = []

    def one() -> None:
        began = time.monotonic()
        try:
            with gate.enter():
                crowd.work()
        except Busy:
            took.append(time.monotonic() - began)

    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(one) for _ in range(count)]
        try:
            assert wait_until(lambda: (crowd.inside, len(took)) == (inside, refused))
        finally:
            crowd.go_on.set()
        for future in futures:
            future.result(SECONDS)
    return took


def test_at_most_so_many_compute_as_many_wait_and_the_rest_are_refused_at_once() -> None:
    crowd = Crowd()
    refused = rush(SolverGate(2, 2, wait=4 * SECONDS), crowd, 8, inside=2, refused=4)
    assert crowd.most == 2
    assert len(refused) == 4, "those who waited were let in"
    free = Crowd()
    assert rush(SolverGate(8, 0, wait=4 * SECONDS), free, 8, inside=8, refused=0) == []
    assert free.most == 8, "control: a wider gate lets more in"


def test_who_waits_too_long_is_refused_and_nothing_is_lost() -> None:
    gate = SolverGate(1, 1, wait=0.05)
    [waited] = rush(gate, Crowd(), 2, inside=1, refused=1)  # refused while the other was still inside
    assert waited > 0.04
    for _ in range(3):
        with gate.enter():
            pass


def test_a_fault_gives_the_slot_back() -> None:
    gate = SolverGate(1, 1, wait=0.05)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), gate.enter():
            raise ZeroDivisionError
    with gate.enter():
        pass


def test_the_solver_and_who_waits_for_it_leave_half_of_the_threads_to_others() -> None:
    assert 1 <= solving.SLOTS <= settings.HTTP_THREADS // 4
    assert solving.SLOTS + solving.PLACES == settings.HTTP_THREADS // 2


@contextmanager
def full(gate: SolverGate, slots: int) -> Iterator[None]:
    """Somebody computes in every slot."""
    if slots == 0:
        yield
        return
    with gate.enter(), full(gate, slots - 1):
        yield


def test_busy_is_said_on_every_way_in_and_changes_nothing(
    alice: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = SolverGate(1, 1, wait=0.01)
    for module in (selector, analyses, hints):
        monkeypatch.setattr(module, "solver_gate", gate)
    kept, fresh = alice.finished(EASY, "d"), alice.finished("TP1-E-AAAAAAC", "d", key="f2")
    assert call("GET", f"/attempts/{kept.public_id}/analysis").status == 200
    stuck = bob.start(EASY)
    bob.hand.play_all(stuck, stuck_log())
    practice = bob.start("TP1-E-AAAAAAD", "p", practice=True)
    asks: list[Callable[[], Answer]] = [
        lambda: bob.analysis(fresh),
        lambda: bob.open_analysis(stuck),
        lambda: bob.hint(practice),
        lambda: bob.winnable(practice),
    ]
    with full(gate, 1):
        for ask in asks:
            answer = ask()
            assert (answer.status, answer.code) == (503, "busy")
            assert answer.response.headers["Retry-After"] == "1"
        assert call("GET", f"/attempts/{kept.public_id}/analysis").status == 200, "kept ones need no solver"
        stuck.refresh_from_db()
        assert stuck.closed_at is None
        assert bob.start("TP1-E-AAAAAAC", "still").ranked, "who got nothing has nothing written down"
    assert [ask().status for ask in asks[1:]] == [200] * 3, "control: as soon as there is room"
