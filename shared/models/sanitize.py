"""Pure: turns what a model's API answered into JSON that can be sent and stored.

Python's JSON parser accepts more than that: ``NaN``, halves of surrogate pairs, unlimited nesting.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

MAX_DEPTH = 32
"""Deeper values become None; no tool has arguments a quarter as deep."""


def to_json_value(written: object, depth: int = 0) -> object:
    """Return a value of strings, numbers, lists and objects that any JSON parser accepts.

    NaN and infinities become strings, so that they are rejected where a number is expected.
    """
    if isinstance(written, str):
        return valid_unicode(written)
    if isinstance(written, float) and not math.isfinite(written):
        return str(written)
    if isinstance(written, Mapping):
        pairs = cast("Mapping[object, object]", written).items()
        return (
            {valid_unicode(str(key)): to_json_value(value, depth + 1) for key, value in pairs}
            if depth < MAX_DEPTH
            else None
        )
    if isinstance(written, list | tuple):
        items = cast("Sequence[object]", written)
        return [to_json_value(item, depth + 1) for item in items] if depth < MAX_DEPTH else None
    return written


def valid_unicode(text: str) -> str:
    """Return ``text`` with a question mark for each half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")
