"""How many sockets an address may open and have open, and how many frames a socket may send before any is parsed."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator

from django.conf import settings

from games.errors import TooMany
from games.throttles import throttle_here

BURST_SECONDS = 2  # a full bucket holds so many seconds' worth of frames

_open: Counter[str] = Counter()


@contextlib.contextmanager
def admitted(address: str) -> Iterator[None]:
    """Count a socket of this address while it is open. Raises TooMany `socket` (opened too fast: each costs a handshake
    and, to play, a query) or `sockets` (too many at once: each costs memory). Of this process alone.
    """
    throttle_here("socket", f"address:{address}")
    if _open[address] >= settings.SOCKETS_PER_ADDRESS:
        raise TooMany("sockets", 60, f"At most {settings.SOCKETS_PER_ADDRESS} sockets an address.")
    _open[address] += 1
    try:
        yield
    finally:
        _open[address] -= 1
        if not _open[address]:
            del _open[address]


class TokenBucket:
    """So many frames a second, twice as many in a burst. `patience` counts down with every frame over the limit.

    A bucket that has filled up again forgives what was over the limit before.
    """

    __slots__ = ("_at", "_capacity", "_rate", "_tokens", "patience")

    def __init__(self, rate: int, now: float) -> None:
        self._rate = rate
        self._capacity = float(rate * BURST_SECONDS)
        self._tokens = self._capacity
        self._at = now
        self.patience = int(self._capacity)

    def take(self, now: float) -> bool:
        """Whether one more frame is within the limit. `now`: seconds on a clock that does not jump."""
        self._tokens = min(self._capacity, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens == self._capacity:
            self.patience = int(self._capacity)
        if self._tokens >= 1:
            self._tokens -= 1
            return True
        self.patience -= 1
        return False
