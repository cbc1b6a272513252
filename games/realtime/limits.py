"""The rate limit of one socket, applied before a frame is parsed."""

from __future__ import annotations

BURST_SECONDS = 2  # a full bucket holds so many seconds' worth of frames


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
