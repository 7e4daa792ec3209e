"""Pure: encloses text of pages, files and models in a fence that the text itself cannot close."""

from __future__ import annotations

import re

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
