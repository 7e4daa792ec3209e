"""Values of JSON, strictly: what workflow code may take, pass and return. Both sides of the border use this."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, cast

MAX_DEPTH = 100
"""Lists and objects inside each other."""
_LEAST, _MOST = -(2**63), 2**63 - 1
_MAX_PATH = 200


class BadValueError(TypeError):
    """A value is no value of JSON. ``problem``: what it is; ``path``: where, outermost first."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path: list[object] = []

    def __str__(self) -> str:
        path = "".join(f"[{step!r}]" for step in reversed(self.path))
        return f"{self.problem} at {path[:_MAX_PATH]}" if path else self.problem


def to_plain(value: object, depth: int = 0) -> Any:
    """Return the value as None, bool, int, float, str, list and dict; tuples become lists. Raises BadValueError."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _plain_text(value)
    if isinstance(value, int):
        number = int.__index__(value)  # and not what a class of its own makes of it
        if not _LEAST <= number <= _MOST:
            raise BadValueError("an integer beyond 64 bits")
        return number
    if isinstance(value, float):
        real = float.__float__(value)
        if not math.isfinite(real):
            raise BadValueError(f"the number {real}")
        return real
    if depth >= MAX_DEPTH:
        raise BadValueError(f"a value that is nested more than {MAX_DEPTH} times")
    if isinstance(value, list | tuple):
        return _plain_list(cast("list[object]", value), depth + 1)
    if isinstance(value, Mapping):
        return _plain_object(cast("Mapping[object, object]", value), depth + 1)
    raise BadValueError(_kind(value))


def to_json(value: Any) -> bytes:
    """Return a plain value as JSON in UTF-8, without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def from_json(data: bytes) -> Any:
    """Return the value. Raises ValueError (BadValueError is a TypeError) for what is not strict JSON."""
    try:
        return to_plain(json.loads(data, parse_constant=_refuse))
    except RecursionError as exc:
        raise BadValueError(f"a value that is nested more than {MAX_DEPTH} times") from exc


def _plain_text(value: str) -> str:
    text = str.__str__(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as exc:
            raise BadValueError("a string with half a surrogate pair") from exc
    return text


def _plain_list(value: list[object], depth: int) -> list[Any]:
    plain: list[Any] = []
    try:
        for item in value:
            plain.append(to_plain(item, depth))
    except BadValueError as exc:
        exc.path.append(len(plain))
        raise
    return plain


def _plain_object(value: Mapping[object, object], depth: int) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    key: object = None
    for key, item in value.items():
        if not isinstance(key, str):
            raise BadValueError(f"{_kind(key)} as a key")
        try:
            plain[_plain_text(key)] = to_plain(item, depth)
        except BadValueError as exc:
            exc.path.append(key)
            raise
    return plain


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _refuse(constant: str) -> Any:
    raise BadValueError(f"the number {constant}")
