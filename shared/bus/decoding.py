"""Decodes what travels on the bus. All messages are decoded here, so that bytes from anybody end in one of two ways: a
message, or InvalidMessage."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from shared.errors import InvalidMessage

MAX_NESTING = 200
"""Levels of lists and objects in a message. The deepest that we send has a value of 100 levels
(`services/workflows/execution/child/values.py`). What is let in here can be encoded again anywhere."""
_BRACKETS = b"[]{}"
_OTHER_BYTES = bytes(set(range(256)) - set(_BRACKETS))
_TEXT_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_STEP = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


def decode(data: bytes, type_: Any) -> Any:
    """Return the message. Raises InvalidMessage, naming the field that does not fit.

    ``type_``: a type, or a union of types.
    """
    name = getattr(type_, "__name__", "message of a known type")
    if is_nested_too_deep(data):
        raise InvalidMessage(f"not a {name}: it is nested more than {MAX_NESTING} levels deep")
    try:
        return msgspec.json.decode(data, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise InvalidMessage(f"not a {name}: {exc}") from exc


def decode_or_skip(data: bytes, type_: Any) -> Any:
    """As `decode`, but return None for what is no message. For readers of what others handle: it is refused there."""
    try:
        return decode(data, type_)
    except InvalidMessage:
        return None


def is_nested_too_deep(data: bytes) -> bool:
    """Return whether JSON has more than `MAX_NESTING` levels of lists and objects. It costs little for what is flat."""
    brackets = data.translate(None, _OTHER_BYTES)
    for _ in range(MAX_NESTING):
        if not brackets:
            return False
        # Each turn takes at least the innermost level away, unless brackets stand in texts.
        inner, brackets = brackets, brackets.replace(b"[]", b"").replace(b"{}", b"")
        if brackets == inner:
            break
    return _exceeds(data, MAX_NESTING)


def _exceeds(data: bytes, most: int) -> bool:
    """As `is_nested_too_deep`, read from the beginning. Brackets in texts do not count."""
    level = 0
    for found in _TEXT_OR_BRACKET.finditer(data):
        level += _STEP.get(found[0], 0)
        if level > most:
            return True
    return False
