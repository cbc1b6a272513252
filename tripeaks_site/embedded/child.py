"""Become a server process that cannot outlive its parent, then exec it.

Run as a script: `python -I -S child.py PARENT_PID MODE -- PROGRAM ARG...`, MODE one of

* `plain`  change nothing;
* `userns` (root only) a user namespace in which root is `nobody`, because PostgreSQL refuses to run as root:
  no file's owner or mode is touched;
* `nobody` (root only) the user `nobody` for real, keeping the capability to read the data directory and
  the program wherever they are; the data must belong to `nobody`.

`child.py 0 probe` exits 0 where `userns` works. A script of its own, not `preexec_fn`: that is unsafe in a
process with threads, and the supervisor restarts servers from one.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

NOBODY = 65534
_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG = 1
_PR_SET_KEEPCAPS = 8
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_RAISE = 2
_CAP_DAC_OVERRIDE = 1
_CAPABILITY_VERSION_3 = 0x20080522


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def enter_user_namespace() -> None:
    """Root outside is `nobody` inside; raises OSError where the system forbids it."""
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.geteuid(), os.getegid()
    _check(libc.unshare(_CLONE_NEWUSER), "unshare")
    with contextlib.suppress(FileNotFoundError), open("/proc/self/setgroups", "w") as file:
        file.write("deny")
    for name, outside in (("uid_map", uid), ("gid_map", gid)):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(f"{NOBODY} {outside} 1")


def become_nobody() -> None:
    """Give up root, but keep the right to pass directories that only root may enter (an ambient capability)."""
    libc = ctypes.CDLL(None, use_errno=True)
    os.setgroups([])
    os.setgid(NOBODY)
    _check(libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0), "prctl")
    os.setuid(NOBODY)
    bit = 1 << _CAP_DAC_OVERRIDE
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    # two records of (effective, permitted, inheritable), low and high 32 bits
    sets = (ctypes.c_uint32 * 6)(bit, bit, bit, 0, 0, 0)
    # A container may have taken the capability away; then the ordinary file modes must suffice.
    if libc.capset(header, sets) == 0:
        libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, _CAP_DAC_OVERRIDE, 0, 0)


def die_with_parent(parent: int) -> None:
    """Linux: SIGINT to this process when the thread that started it ends, also by kill -9."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)
    if os.getppid() != parent:  # it died before the call above
        sys.exit(1)


def main(arguments: list[str]) -> None:
    parent, mode = int(arguments[0]), arguments[1]
    if mode == "probe":
        enter_user_namespace()
        return
    command = arguments[arguments.index("--") + 1 :]
    if mode == "userns":
        enter_user_namespace()
    elif mode == "nobody":
        become_nobody()
    die_with_parent(parent)  # last: a change of user clears it
    os.execv(command[0], command)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as error:
        sys.exit(f"cannot start the server: {error}")
