"""Reports of faults to a Sentry-compatible service, where TRIPEAKS_SENTRY_DSN names one: what broke and where, no values.

The frames of our locals hold cards and tokens, so no local variables are sent; nor requests, users, breadcrumbs, the
extras of log records, or their parameters. What texts remain pass through `redact`. Only errors that are logged with
ERROR or above are reported: Django logs its 500s, the worker its failed tasks, the sockets their broken background work,
`faults` what ends a command or a thread.
"""

from __future__ import annotations

import atexit
import logging
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from games.request_ids import request_id

from .redaction import redact

if TYPE_CHECKING:
    from sentry_sdk.types import Event, Hint

_KEPT: Final = frozenset(
    {"event_id", "timestamp", "platform", "level", "logger", "release", "environment", "sdk", "exception", "logentry"}
)
_KEPT_FRAME: Final = frozenset(
    {"filename", "abs_path", "module", "function", "lineno", "in_app", "context_line", "pre_context", "post_context"}
)


def start_reporting(dsn: str) -> None:
    """Begin to report; called once when Django is set up. What is to be sent when the process ends is sent first."""
    import sentry_sdk  # costs a tenth of a second, so only where it is wanted
    from sentry_sdk.integrations.logging import LoggingIntegration

    sentry_sdk.init(
        dsn=dsn,
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[LoggingIntegration(level=None, event_level=logging.ERROR)],
        include_local_variables=False,
        send_default_pii=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        send_client_reports=False,
        auto_session_tracking=False,
        before_send=only_what_is_safe,
    )
    atexit.register(finish_reporting)  # after `faults` has logged what ends it; os._exit needs a call of its own


def finish_reporting() -> None:
    """Give what is still to be sent two seconds, before the process ends."""
    import sentry_sdk

    sentry_sdk.flush(timeout=2)


def dsn_well_formed(dsn: str) -> bool:
    """Whether it looks like `https://key@host/number`."""
    try:
        parts = urlsplit(dsn)
        port_known = parts.port is None or parts.port > 0
    except ValueError:
        return False
    project = parts.path.rpartition("/")[2]
    return (
        parts.scheme in {"http", "https"}
        and bool(parts.username and parts.hostname and port_known)
        and project.isdigit()
    )


def only_what_is_safe(event: Event, hint: Hint) -> Event | None:
    """The event cut down to a list of what may leave; whatever a later version of the library adds stays here."""
    del hint
    safe: dict[str, Any] = {name: value for name, value in event.items() if name in _KEPT}
    entry = safe.pop("logentry", None)
    if isinstance(entry, dict):
        # Never `message` alone: it is the pattern that groups, `formatted` what was said. No parameters.
        safe["logentry"] = {"message": redact(str(entry.get("formatted") or entry.get("message") or ""))}
    for problem in (safe.get("exception") or {}).get("values", ()):
        problem["value"] = redact(str(problem.get("value") or ""))
        problem.pop("mechanism", None)
        frames = (problem.get("stacktrace") or {}).get("frames", ())
        problem["stacktrace"] = {"frames": [{k: v for k, v in frame.items() if k in _KEPT_FRAME} for frame in frames]}
    if request_id.get():
        safe["tags"] = {"request_id": request_id.get()}
    return safe  # type: ignore[return-value]
