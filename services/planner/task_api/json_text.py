"""Reads a JSON text that nobody vouches for, exactly: numbers keep their characters, and what could be read in two ways
is refused.

    read_json(body, charset)    -> JsonText | str      the reason why it is none
    find(text, pointer)         -> the value, or ABSENT (RFC 6901)
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

MAX_DEPTH = 100
"""Arrays and objects within each other; no API that is asked for one record needs more."""
MAX_BYTES = 2_000_000
MAX_NUMBER_CHARS = 100
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


class Absent:
    """There is nothing at the pointer; null is something else."""


ABSENT: Final = Absent()


@dataclass(frozen=True)
class JsonNumber:
    """A number as it is written. It is not converted, so that no digit is lost."""

    text: str


@dataclass(frozen=True)
class JsonText:
    """A JSON text. ``value``: objects as dict, arrays as list, numbers as JsonNumber."""

    value: Any


class _Unusable(ValueError):
    """The JSON text could be read in two ways."""


def read_json(body: bytes, charset: str = "") -> JsonText | str:
    """Return the JSON text of a body, or why it cannot be used. ``charset``: as the response declares it, if at all.

    JSON is UTF-8 (RFC 8259). A name that an object has twice is refused: parsers differ in which of the two counts.
    """
    if charset.strip().strip("\"'").lower() not in ("", "utf-8", "utf8", "us-ascii"):
        return f"its charset is {charset[:40]!r}, and JSON is UTF-8"
    if len(body) > MAX_BYTES:
        return f"it has more than {MAX_BYTES} bytes"
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        return f"it is not UTF-8 (byte {exc.start})"
    if _depth(text) > MAX_DEPTH:
        return f"it is nested more than {MAX_DEPTH} levels deep"
    try:
        value = json.loads(
            text, parse_int=_number, parse_float=_number, parse_constant=_constant, object_pairs_hook=_object
        )
    except json.JSONDecodeError as exc:
        return f"it is not JSON: {exc.msg} (line {exc.lineno}, column {exc.colno})"
    except _Unusable as exc:
        return str(exc)
    return JsonText(value)


def find(text: JsonText, pointer: str) -> Any:
    """Return the value at the pointer, or ABSENT."""
    at = text.value
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(at, dict):
            at = cast("dict[str, Any]", at).get(key, ABSENT)
        elif isinstance(at, list) and _INDEX.fullmatch(key):
            at = _item(cast("list[Any]", at), int(key))
        else:
            return ABSENT
        if isinstance(at, Absent):
            return ABSENT
    return at


def _item(items: Sequence[Any], index: int) -> Any:
    return items[index] if index < len(items) else ABSENT


def _depth(text: str) -> int:
    """Return how deep brackets stand within each other, without a parser that could run out of stack."""
    deepest = depth = 0
    for found in _PARTS.finditer(text):
        first = text[found.start()]
        depth += 1 if first in "[{" else -1 if first in "]}" else 0
        deepest = max(deepest, depth)
    return deepest


def _number(text: str) -> JsonNumber:
    if len(text) > MAX_NUMBER_CHARS:
        raise _Unusable(f"it has a number of more than {MAX_NUMBER_CHARS} characters")
    return JsonNumber(text)


def _constant(name: str) -> Any:
    raise _Unusable(f"it is not JSON: {name} is no number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Unusable(f"an object has the name {name[:60]!a} twice")
        found[name] = value
    return found
