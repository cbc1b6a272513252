"""Compiles the kernels with numba where it is installed, and says whether it is."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _numba() -> Any:
    try:
        return import_module("numba")
    except ImportError:  # not on every platform; `games.solver.plain` answers then
        return None


_found: Final = _numba()
COMPILED: Final[bool] = _found is not None
"""Whether numba is there. Without it the same questions go to numpy alone (`games.solver.plain`), slower."""


def kernel(function: _Function) -> _Function:
    """Compile at the first call; kept on disk, beside the source or in the user's cache (NUMBA_CACHE_DIR moves it).

    The GIL is released while a kernel runs, so that the server's other threads go on.
    """
    if _found is None:
        return function
    try:
        compiled: _Function = _found.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no writable place for the cache: compile once in each process
        compiled = _found.njit(nogil=True)(function)
    return compiled
