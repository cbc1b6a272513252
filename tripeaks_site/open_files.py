"""Every spectator is an open file."""

from __future__ import annotations

import contextlib
import resource

WANTED = 65536


def allow_many_sockets() -> None:
    """Raise the soft limit; the usual 1,024 is for programs of another kind."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
