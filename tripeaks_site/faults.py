"""What nobody has caught: told like every other fault, in the form of the log, redacted and reported.

Python itself would write it to standard error as it is, with the values of rows that PostgreSQL adds to its errors.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from types import TracebackType

from .redaction import redact

_what = ""


def tell_faults(what: str) -> None:
    """From now on, what ends this process or one of its threads is logged. `what` is running: "manage.py worker"."""
    global _what
    _what = what
    sys.excepthook = _process_ended
    threading.excepthook = _thread_ended


def _process_ended(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
    """The exit code stays Python's own: 1, or that of a SIGINT after Ctrl-C."""
    problem = problem.with_traceback(trace)
    if _is_fault(problem):
        # Above every TRIPEAKS_LOG_LEVEL: a process must not end without a word.
        _tell(logging.CRITICAL, f"{_what} was ended by an error.", problem)
    else:
        _write(problem)


def _thread_ended(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is None or isinstance(ended.exc_value, SystemExit):
        return
    name = ended.thread.name if ended.thread is not None else "that is gone"
    _tell(logging.ERROR, f"The thread {name} was ended by an error.", ended.exc_value)


def _is_fault(problem: BaseException) -> bool:
    """Not Ctrl-C; nor what a command says to who called it, whose stack was asked for by --traceback."""
    from django.core.management.base import CommandError

    return not isinstance(problem, KeyboardInterrupt | CommandError)


def _tell(level: int, line: str, problem: BaseException) -> None:
    if logging.getLogger().handlers:
        logging.getLogger().log(level, line, exc_info=problem)
    else:
        _write(problem)  # it is too early for a log: the settings are wrong, or not read yet


def _write(problem: BaseException) -> None:
    told = traceback.TracebackException.from_exception(problem, capture_locals=False)
    sys.stderr.write(redact("".join(told.format())))
