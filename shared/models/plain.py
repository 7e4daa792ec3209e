"""Pure: what a model's API answered, as it can be sent on and stored. JSON as Python reads it allows more than that:
``NaN``, halves of surrogate pairs, lists within lists without end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

MOST_DEPTH = 32
"""What lies deeper is left out; no tool of ours has arguments a quarter as deep."""


def sendable(written: object, depth: int = 0) -> object:
    """Strings, numbers, lists and objects with nothing in them that could not be told another process. A number that is
    none becomes its word, so that whoever wants a number refuses it."""
    if isinstance(written, str):
        return whole(written)
    if isinstance(written, float) and not math.isfinite(written):
        return str(written)
    if isinstance(written, Mapping):
        pairs = cast("Mapping[object, object]", written).items()
        return {whole(str(key)): sendable(value, depth + 1) for key, value in pairs} if depth < MOST_DEPTH else None
    if isinstance(written, list | tuple):
        items = cast("Sequence[object]", written)
        return [sendable(item, depth + 1) for item in items] if depth < MOST_DEPTH else None
    return written


def whole(text: str) -> str:
    """``text`` as valid Unicode; half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
