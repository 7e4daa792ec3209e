"""Makes safe what goes to a model and what comes from it.

Text of pages, files and models is enclosed in a fence that the text itself cannot close. What a model's API answered
becomes JSON that can be sent and stored: Python's JSON parser accepts more than that (``NaN``, halves of surrogate
pairs, unlimited nesting).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import cast

FENCE = "untrusted_data"
MORE = " ..."

_UNSEEN = r"[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]*"
_NAME = _UNSEEN.join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in FENCE)
"""Also with full-width letters, and with invisible characters between them."""
_LOOKS_LIKE_ONE = re.compile(rf"[<\uff1c\ufe64](?=[\W_]{{0,20}}{_NAME})", re.I)


def fenced(text: str) -> str:
    """Return ``text`` within a fence. Anything in it that looks like the fence is broken up."""
    return f"<{FENCE}>\n{harmless(text)}\n</{FENCE}>"


def harmless(text: str) -> str:
    """Return ``text`` without anything that could be taken for the fence."""
    return _LOOKS_LIKE_ONE.sub("‹", text)


def clipped(text: str, most: int) -> str:
    """Return at most ``most`` characters, with ``MORE`` behind them where there were more."""
    return text if len(text) <= most else f"{text[:most]}{MORE}"


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
