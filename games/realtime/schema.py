"""Typed messages: one dataclass per frame gives its parser, its encoder and its JSON Schema.

A field's type says all: `Annotated[str, Text(...)]` and `Annotated[int, Whole(...)]` for what clients send; plain
types, `Literal`, unions with None, lists and TypedDicts for what the server sends. A field whose default is None is
left out of the frame while it is None.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeVar

from games.engine.errors import EngineError
from games.errors import BadInput, GameError

Schema = dict[str, Any]


class Message(Protocol):
    """A frame: a frozen dataclass with a TYPE, the frame's `type`."""

    TYPE: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


M = TypeVar("M", bound=Message)


@dataclasses.dataclass(frozen=True)
class Text:
    """A string that matches `pattern` wholly; `read` then makes the field's value of it.

    `exact`: the narrower pattern of what `read` takes, for the description.
    """

    pattern: str
    read: Callable[[str], Any] | None = None
    exact: str | None = None

    def check(self, name: str, value: Any) -> Any:
        if type(value) is not str or not re.fullmatch(self.pattern, value, re.ASCII):
            raise bad_field(name, "must be a string that matches " + self.pattern)
        return value if self.read is None else self.read(value)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^(?:{self.exact or self.pattern})$"}


@dataclasses.dataclass(frozen=True)
class Whole:
    """A whole number from `low` to `high`; 3.0, true and "3" are none."""

    low: int
    high: int

    def check(self, name: str, value: Any) -> int:
        if type(value) is not int or not self.low <= value <= self.high:
            raise bad_field(name, f"must be a whole number from {self.low} to {self.high}")
        return value

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


def bad_field(name: str, must: str) -> BadInput:
    """The error for a field that is missing or of the wrong kind."""
    return BadInput("bad_field", f"The field {name} {must}.", field=name)


class FrameRefused(Exception):
    """A frame that is no message. `error` says why; `move_id` is the frame's own, where it could be read."""

    def __init__(self, error: GameError | EngineError, move_id: str | None = None) -> None:
        super().__init__(error.code)
        self.error = error
        self.move_id = move_id


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode  # ASCII only: no lone surrogate can break it


class Parser:
    """Reads the frames a client may send on one socket."""

    def __init__(self, *messages: type[Message]) -> None:
        self._fields = {message.TYPE: (message, _checks(message)) for message in messages}

    def parse(self, frame: str) -> Any:
        """The typed message of a text frame. Unknown fields are ignored; raises FrameRefused for anything else.

        Codes: `malformed_json` (also NaN, too deep, too many digits), `bad_frame` (no object, no type), `unknown_type`,
        `bad_field`, and those of the field's own reader.
        """
        try:
            body = _decode(frame)
        except (ValueError, RecursionError):
            raise FrameRefused(BadInput("malformed_json", "The frame is not JSON.")) from None
        if type(body) is not dict or type(body.get("type")) is not str:
            raise FrameRefused(BadInput("bad_frame", "A frame is a JSON object with a type."))
        known = self._fields.get(body["type"])
        if known is None:
            raise FrameRefused(BadInput("unknown_type", "No message has this type.", known=sorted(self._fields)))
        message, checks = known
        try:
            return message(**{name: check(name, body.get(name)) for name, check in checks})
        except (GameError, EngineError) as error:
            move_id = body.get("move_id")
            echo = move_id if type(move_id) is str and re.fullmatch(MOVE_ID, move_id, re.ASCII) else None
            raise FrameRefused(error, echo) from error


MOVE_ID = r"[A-Za-z0-9_-]{1,64}"


def _checks(message: type[Message]) -> list[tuple[str, Callable[[str, Any], Any]]]:
    hints = typing.get_type_hints(message, include_extras=True)
    return [(field.name, _check(hints[field.name], field)) for field in dataclasses.fields(message)]


def _check(hint: Any, field: dataclasses.Field[Any]) -> Callable[[str, Any], Any]:
    (rule,) = [extra for extra in typing.get_args(_without_none(hint))[1:] if isinstance(extra, Text | Whole)]
    if field.default is dataclasses.MISSING:
        return rule.check
    default = field.default
    return lambda name, value: default if value is None else rule.check(name, value)


def encode(message: Message) -> str:
    """The text frame of a message; `type` comes first."""
    body: dict[str, Any] = {"type": message.TYPE}
    for name, omit in _names(type(message)):
        value = getattr(message, name)
        if value is not None or not omit:
            body[name] = value
    return _encode(body)


@functools.cache
def _names(message: type[Message]) -> tuple[tuple[str, bool], ...]:
    return tuple((field.name, field.default is None) for field in dataclasses.fields(message))


# --- JSON Schema ---------------------------------------------------------------------------------------------------


def message_schema(message: type[Message], *, closed: bool) -> Schema:
    """The JSON Schema of a frame. `closed`: it has no other fields than these (frames of the server)."""
    hints = typing.get_type_hints(message, include_extras=True)
    properties: Schema = {"type": {"const": message.TYPE}}
    required = ["type"]
    for field in dataclasses.fields(message):
        optional = field.default is not dataclasses.MISSING
        properties[field.name] = type_schema(_without_none(hints[field.name]) if optional else hints[field.name])
        if not optional:
            required.append(field.name)
    schema: Schema = {"type": "object", "properties": properties, "required": required}
    return {**schema, "additionalProperties": False} if closed else schema


def type_schema(hint: Any) -> Schema:
    """The JSON Schema of a type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    simple = {str: "string", int: "integer", bool: "boolean", type(None): "null"}
    if hint in simple:
        return {"type": simple[hint]}
    if hint is Any:
        return {}
    if origin is Annotated:
        for extra in arguments[1:]:
            if isinstance(extra, Text | Whole):
                return extra.schema()
        return type_schema(arguments[0])
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in {typing.Union, types.UnionType}:
        return {"anyOf": [type_schema(argument) for argument in arguments]}
    if origin in {list, tuple}:
        return {"type": "array", "items": type_schema(arguments[0])}
    if origin is dict:
        return {"type": "object"}
    if typing.is_typeddict(hint):
        return _typed_dict_schema(hint)
    raise TypeError(f"no JSON Schema for {hint}")


def _typed_dict_schema(hint: Any) -> Schema:
    hints: Mapping[str, Any] = typing.get_type_hints(hint, include_extras=True)
    properties = {name: type_schema(_without_required(kind)) for name, kind in hints.items()}
    # Annotations are strings here, so TypedDict's own __required_keys__ cannot know about NotRequired.
    required = [name for name, kind in hints.items() if typing.get_origin(kind) is not typing.NotRequired]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _without_required(hint: Any) -> Any:
    return typing.get_args(hint)[0] if typing.get_origin(hint) in {typing.NotRequired, typing.Required} else hint


def _without_none(hint: Any) -> Any:
    if typing.get_origin(hint) in {typing.Union, types.UnionType}:
        (only,) = [argument for argument in typing.get_args(hint) if argument is not type(None)]
        return only
    return hint
