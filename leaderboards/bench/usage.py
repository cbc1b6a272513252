"""CPU seconds, waits for a core, and memory of processes with all their children (Linux: /proc)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

_TICK: Final = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """The process and its descendants that live now."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
    return found


def cpu_seconds(pids: Iterable[int]) -> float:
    """CPU of these processes, their descendants, and those descendants that have ended; user and system."""
    total = 0
    for pid in pids:
        for one in tree(pid):
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{one}/stat").read_text().rpartition(") ")[2].split()
                total += sum(int(field) for field in fields[11:15])
    return total / _TICK


def waited_seconds(pids: Iterable[int]) -> float:
    """How long threads of these processes and their descendants were ready to run while others had the cores."""
    total = 0
    for pid in pids:
        for one in tree(pid):
            with contextlib.suppress(OSError):
                for task in Path(f"/proc/{one}/task").iterdir():
                    total += int((task / "schedstat").read_text().split()[1])
    return total / 1e9


def memory_mb(pids: Iterable[int]) -> float:
    """Memory of these processes and their descendants; a page that several share counts once in all."""
    total = 0
    for pid in pids:
        for one in tree(pid):
            with contextlib.suppress(OSError):
                for line in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        total += int(line.split()[1])
    return total / 1024


def by_kind(measure: Callable[[Iterable[int]], float], pids: Mapping[str, Iterable[int]]) -> dict[str, float]:
    """One of the measures above, of each kind of process."""
    return {kind: measure(each) for kind, each in pids.items()}
