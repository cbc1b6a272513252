"""A long or broken line between the browser and the server: the proxy of the client's tests, in front of a site."""

from __future__ import annotations

from tests.client.cutting_proxy import CuttingProxy
from tests.processes import ServerProcess

FAR = 0.3
"""Seconds of added delay each way that the issue asks the page to bear."""


def far_line(site: ServerProcess) -> CuttingProxy:
    """`with far_line(site) as line: page.goto(line.url)`: everything takes 300 ms longer each way."""
    return CuttingProxy(site.port, delay=FAR)


def near_line(site: ServerProcess) -> CuttingProxy:
    """A line without delay that can be cut, made to swallow what is said, and restored."""
    return CuttingProxy(site.port)
