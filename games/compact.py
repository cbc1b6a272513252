"""The compact form of a move log: one value an attempt instead of a row a ply. Plain Python; the format is pinned by tests.

Version 1, in this order:

==================  ============================================================================================
1                   the byte 1
plies               LEB128
time of ply 1       LEB128, whole milliseconds since 1970
each later ply      LEB128 of the zigzag of the milliseconds since the ply before (a stepped clock goes back)
moves               a byte a ply, as in games.engine.moves
move ids            6 bytes a ply, BLAKE2b of the id
==================  ============================================================================================

Of move ids only equality is ever asked (a repeat gets its first answer), so a digest is enough; two of one log that
share one are refused here, and the log stays as it is. An id never used is taken for one of 50 in 5 * 10^12 cases, and
is then refused as reused instead of as too late.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from games.engine.moves import LAST_MOVE, MAX_PLIES

VERSION: Final = 1
_ID_BYTES: Final = 6
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class Log:
    """A move log with the instant of each ply, in milliseconds since 1970."""

    moves: tuple[int, ...]
    at_ms: tuple[int, ...]

    def upto(self, ply: int) -> Log:
        """The first `ply` plies."""
        return self if len(self.moves) <= ply else Log(self.moves[:ply], self.at_ms[:ply])

    def at(self, ply: int) -> dt.datetime:
        """The instant of a ply (from 1), aware, UTC."""
        return _EPOCH + dt.timedelta(milliseconds=self.at_ms[ply - 1])


EMPTY: Final = Log((), ())


def log_pack(log: Log, move_ids: Sequence[str]) -> bytes:
    """The compact form. ValueError where a log does not fit: no ply, too many, unequal lengths, ids that look alike."""
    plies = len(log.moves)
    digests = [_digest(move_id) for move_id in move_ids]
    if not 1 <= plies <= MAX_PLIES or not plies == len(log.at_ms) == len(set(digests)) == len(digests):
        raise ValueError("this log has no compact form")
    if min(log.moves) < 0 or max(log.moves) > LAST_MOVE or log.at_ms[0] < 0:
        raise ValueError("this log has no compact form")
    packed = bytearray([VERSION])
    _write(packed, plies)
    _write(packed, log.at_ms[0])
    for before, after in itertools.pairwise(log.at_ms):
        step = after - before
        _write(packed, step << 1 if step >= 0 else (-step << 1) - 1)
    packed += bytes(log.moves)
    packed += b"".join(digests)
    return bytes(packed)


def log_unpack(packed: bytes | memoryview) -> Log:
    """What was packed. ValueError for anything else: another version, or damage."""
    return _read(bytes(packed))[0]


def ply_of_move_id(packed: bytes | memoryview, move_id: str) -> int | None:
    """The ply logged under a move id, None when there is none. ValueError as `log_unpack`."""
    data = bytes(packed)
    log, digests = _read(data)
    wanted = _digest(move_id)
    for ply in range(len(log.moves)):
        at = digests + ply * _ID_BYTES
        if data[at : at + _ID_BYTES] == wanted:
            return ply + 1
    return None


def _digest(move_id: str) -> bytes:
    return hashlib.blake2b(move_id.encode("ascii"), digest_size=_ID_BYTES).digest()


def _write(packed: bytearray, number: int) -> None:
    while number > 0x7F:
        packed.append(number & 0x7F | 0x80)
        number >>= 7
    packed.append(number)


def _numbers(data: bytes) -> Iterable[tuple[int, int]]:
    """The LEB128 numbers from the second byte on, each with where the next one begins."""
    number = shift = 0
    for at in range(1, len(data)):
        byte = data[at]
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number, at + 1
            number = shift = 0


def _read(data: bytes) -> tuple[Log, int]:
    """The log, and where the digests begin."""
    if not data or data[0] != VERSION:
        raise ValueError("not a compact log of a known version")
    numbers = iter(_numbers(data))
    try:
        plies, _ = next(numbers)
        if not 1 <= plies <= MAX_PLIES:
            raise ValueError("not a compact log")
        now, at = next(numbers)
        times = [now]
        for _ in range(plies - 1):
            step, at = next(numbers)
            now += step >> 1 if not step & 1 else -((step + 1) >> 1)
            times.append(now)
    except StopIteration:
        raise ValueError("a compact log is cut off") from None
    moves = tuple(data[at : at + plies])
    if len(data) != at + plies * (1 + _ID_BYTES) or max(moves) > LAST_MOVE:
        raise ValueError("a compact log is damaged")
    return Log(moves, tuple(times)), at + plies
