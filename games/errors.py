"""Errors as the outside sees them: a stable code, a sentence, data, and an HTTP status; one JSON shape everywhere."""

from __future__ import annotations

from typing import Any


class GameError(Exception):
    """A refusal with a stable `code`, shown alike on REST (with `status`) and in socket frames.

    Raised by services and selectors; views and consumers only serialise it. `data` must be JSON-able and free of
    hidden cards (R10.1).
    """

    def __init__(self, code: str, status: int, message: str, **data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message
        self.data = data

    def __repr__(self) -> str:
        return f"GameError({self.code!r}, {self.status}, {self.message!r})"

    def as_json(self) -> dict[str, Any]:
        """The one error shape: `{"error": {"code", "message", "data"}}`."""
        return {"error": {"code": self.code, "message": self.message, "data": self.data}}


class BadInput(GameError):
    """400: the request itself makes no sense."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(code, 400, message, **data)


class NotSignedIn(GameError):
    """401: no credential, or one that is unknown, ended or expired (never said which)."""

    def __init__(self, message: str = "Sign in, or start as a guest, first.", **data: Any) -> None:
        super().__init__("not_signed_in", 401, message, **data)


class Forbidden(GameError):
    """403: known who asks, and they may not."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(code, 403, message, **data)


class NotFound(GameError):
    """404: unknown, or not the asker's; the body is the same for both (case C22)."""

    def __init__(self, message: str = "There is nothing here.", **data: Any) -> None:
        super().__init__("not_found", 404, message, **data)


class Conflict(GameError):
    """409: right in itself, but not in the present state."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(code, 409, message, **data)


class MoveRefused(GameError):
    """422: the move reached the engine and the rules refuse it (R2.4); nothing changed."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(code, 422, message, **data)


class TooMany(GameError):
    """429: a throttle. `limit` names which one, `retry_after` says in how many seconds to come back."""

    def __init__(self, limit: str, retry_after: int, message: str = "Too many at once. Please wait a moment.") -> None:
        super().__init__("throttled", 429, message, limit=limit, retry_after=retry_after)


class Unavailable(GameError):
    """503: the database is away for a moment; nothing was lost, the same request may be repeated."""

    def __init__(
        self, message: str = "The server is catching its breath. Repeat the same request in a moment."
    ) -> None:
        super().__init__("unavailable", 503, message)


class Busy(GameError):
    """503: all the threads that may compute are computing; the same request may be repeated."""

    def __init__(self, message: str = "The solver is busy. Try again in a moment.") -> None:
        super().__init__("busy", 503, message, retry_after=1)
