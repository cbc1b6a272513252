"""Hosts of a trial: network namespaces joined by a bridge, with links that can be cut; else addresses of the loopback.

The namespaces have no names and no way out: a bridge in one of them is all the wire there is, nothing is added to the
machine's own network, and the kernel takes all of it away when the last process in it (ours included) has ended, also
after `kill -9`. Making them needs root; without it every host is an address of its own on the loopback and no link can be cut.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

_NEWNET = 0x40000000  # CLONE_NEWNET
_NET = "10.77.0"


class NoNamespaces(Exception):
    """Network namespaces cannot be made here; the text says why."""


@dataclass(frozen=True)
class Host:
    """One host: its address, and its network namespace as an open descriptor (None: this machine's own)."""

    name: str
    address: str
    namespace: int | None = None

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """This thread, and the processes and threads that it starts meanwhile, belong to the host."""
        if self.namespace is None:
            yield
            return
        home = _current()
        try:
            _enter(self.namespace)
            yield
        finally:
            _enter(home)
            os.close(home)


@dataclass
class Network:
    """A front host, where the clients are too, and so many others: make one with `network()`."""

    front: Host
    others: list[Host]
    why_not: str = ""
    """Why these are no namespaces; empty when they are."""

    @property
    def separate(self) -> bool:
        """Whether links can be cut."""
        return self.front.namespace is not None

    def cut(self, host: Host) -> None:
        """Every packet to and from this host is lost from now on; nobody is told. Raises NoNamespaces."""
        self._link(host, "down")

    def mend(self, host: Host) -> None:
        """The opposite of `cut`."""
        self._link(host, "up")

    def _link(self, host: Host, state: str) -> None:
        if not self.separate:
            raise NoNamespaces(self.why_not)
        with self.front.inside():
            _ip("link", "set", f"to-{host.name}", state)

    def close(self) -> None:
        """Let go of the namespaces; those without processes end."""
        for host in (self.front, *self.others):
            if host.namespace is not None:
                os.close(host.namespace)


def network(names: list[str], *, namespaces: bool = True) -> Network:
    """A front host and one host a name. `namespaces`: where they can be made (`why_not` says why they could not)."""
    why_not = "not asked for"
    if namespaces:
        try:
            return _namespaces(names)
        except NoNamespaces as problem:
            why_not = str(problem)
    others = [
        Host(name, f"127.0.0.{place}" if sys.platform == "linux" else "127.0.0.1") for place, name in _places(names)
    ]
    return Network(Host("front", "127.0.0.1"), others, why_not)


def _places(names: list[str]) -> list[tuple[int, str]]:
    return list(enumerate(names, start=11))


def _namespaces(names: list[str]) -> Network:
    if sys.platform != "linux":
        raise NoNamespaces("network namespaces are Linux's")
    if not _find_ip():
        raise NoNamespaces("the program `ip` is not installed")
    with contextlib.ExitStack() as made:
        front = Host("front", f"{_NET}.1", _new(made))
        others = [Host(name, f"{_NET}.{place}", _new(made)) for place, name in _places(names)]
        with front.inside():
            _ip("link", "add", "wire", "type", "bridge")
            _ip("addr", "add", f"{front.address}/24", "dev", "wire")
            _ip("link", "set", "wire", "up")
        for host in others:
            with front.inside():
                there = f"/proc/{os.getpid()}/fd/{host.namespace}"
                _ip("link", "add", f"to-{host.name}", "type", "veth", "peer", "name", "wire", "netns", there)
                _ip("link", "set", f"to-{host.name}", "master", "wire", "up")
            with host.inside():
                _ip("addr", "add", f"{host.address}/24", "dev", "wire")
                _ip("link", "set", "wire", "up")
        made.pop_all()
    return Network(front, others)


def _new(made: contextlib.ExitStack) -> int:
    """A fresh network namespace, held by its descriptor alone."""
    home = _current()
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(_NEWNET) != 0:
            raise NoNamespaces(f"network namespaces cannot be made here ({os.strerror(ctypes.get_errno())})")
        try:
            namespace = _current()
            made.callback(os.close, namespace)
            _ip("link", "set", "lo", "up")
        finally:
            _enter(home)
    finally:
        os.close(home)
    return namespace


def _current() -> int:
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def _enter(namespace: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)  # os.setns comes with Python 3.12
    if libc.setns(namespace, _NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"setns: {os.strerror(number)}")


def _find_ip() -> str | None:
    return shutil.which("ip", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def _ip(*arguments: str) -> None:
    done = subprocess.run([_find_ip() or "ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoNamespaces(f"`ip {' '.join(arguments)}` failed: {done.stderr.strip()}")
