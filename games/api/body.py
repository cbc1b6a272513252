"""Reading request bodies: one JSON object, field by field, each with its type; everything else is a coded refusal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.http.request import UnreadablePostError
from rest_framework.request import Request

from games.errors import BadInput, GameError

_MISSING: Any = object()


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


class Body:
    """A JSON object from a request. Unknown fields (a "player", say) are ignored: the credential says who acts.

    Readers raise BadInput `bad_field`, data.field naming it, for one missing without a default or of another type.
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    @classmethod
    def of(cls, request: Request | HttpRequest) -> Body:
        """Read and parse the body; an empty one is an empty object.

        Raises GameError `too_large` (413), `unsupported_media_type` (415: also keeps out forms of foreign pages),
        BadInput `malformed_json` (also for NaN, other encodings than UTF-8, and nesting or numbers without end) and
        `not_an_object`.
        """
        try:
            raw: bytes = request.body
        except RequestDataTooBig:
            raise GameError("too_large", 413, "The body is too large.") from None
        except UnreadablePostError:
            raise BadInput("malformed_json", "The body cannot be read.") from None
        if not raw:
            return cls({})
        media_type = request.META.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise GameError("unsupported_media_type", 415, "Send the body as application/json.")
        try:
            fields = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise BadInput("malformed_json", "The body is not JSON.") from None
        if not isinstance(fields, dict):
            raise BadInput("not_an_object", "The body must be a JSON object.")
        return cls(fields)

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.fields.get(name) is not None

    def _value(self, name: str, default: Any) -> Any:
        value = self.fields.get(name)
        if value is None:
            if default is _MISSING:
                raise BadInput("bad_field", f"The field {name} is missing.", field=name)
            return default
        return value

    def text(self, name: str, *, longest: int, shortest: int = 1, default: str = _MISSING) -> str:
        """A string of `shortest` to `longest` characters without NUL and lone surrogates."""
        if default is not _MISSING and not self.has(name):
            return default
        value = self._value(name, default)
        if not isinstance(value, str):
            raise BadInput("bad_field", f"{name} must be a string.", field=name)
        return _plain(name, value, shortest, longest)

    def choice(self, name: str, choices: Sequence[str], *, default: str = _MISSING) -> str:
        """One of `choices`."""
        value = self._value(name, default)
        if not isinstance(value, str) or value not in choices:
            raise BadInput("bad_field", f"{name} must be one of: {', '.join(choices)}.", field=name)
        return value

    def texts(self, name: str, choices: Sequence[str], *, default: Sequence[str] = _MISSING) -> list[str]:
        """A list of strings, each one of `choices`; at least one."""
        value = self._value(name, default)
        if (
            not isinstance(value, list | tuple)
            or not value
            or any(not isinstance(item, str) or item not in choices for item in value)
        ):
            raise BadInput("bad_field", f"{name} must be a list of: {', '.join(choices)}.", field=name)
        return list(value)

    def integer(self, name: str, *, low: int, high: int, default: int = _MISSING) -> int:
        """A whole number from `low` to `high`; true and 1.0 are none."""
        value = self._value(name, default)
        if type(value) is not int or not low <= value <= high:
            raise BadInput("bad_field", f"{name} must be a whole number from {low} to {high}.", field=name)
        return value

    def text_or_integer(self, name: str, *, longest: int = 64) -> str | int:
        """A string or a whole number, for numbers that people also type."""
        value = self._value(name, _MISSING)
        if type(value) is int:
            return value
        if not isinstance(value, str):
            raise BadInput("bad_field", f"{name} must be a string or a whole number.", field=name)
        return _plain(name, value, 1, longest)

    def flag(self, name: str, *, default: bool = _MISSING) -> bool:
        """true or false."""
        value = self._value(name, default)
        if not isinstance(value, bool):
            raise BadInput("bad_field", f"{name} must be true or false.", field=name)
        return value


def _plain(name: str, value: str, shortest: int, longest: int) -> str:
    if not shortest <= len(value) <= longest:
        raise BadInput(
            "bad_field",
            f"{name} must have {shortest} to {longest} characters.",
            field=name,
            shortest=shortest,
            longest=longest,
        )
    if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise BadInput("bad_field", f"{name} holds characters that are no text.", field=name)
    return value
