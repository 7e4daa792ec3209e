"""Pure: what comes from a page, a file or a model stands in a fence that it cannot close."""

from __future__ import annotations

import re

FENCE = "untrusted_data"
MORE = " ..."

_UNSEEN = r"[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]*"
_NAME = _UNSEEN.join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in FENCE)
"""However wide its letters are, and with what nobody sees between them."""
_LOOKS_LIKE_ONE = re.compile(rf"[<\uff1c\ufe64](?=[\W_]{{0,20}}{_NAME})", re.I)


def fenced(text: str) -> str:
    """``text`` as data. Anything in it that looks like our fence is broken up."""
    return f"<{FENCE}>\n{harmless(text)}\n</{FENCE}>"


def harmless(text: str) -> str:
    """``text`` without anything that could be taken for our fence."""
    return _LOOKS_LIKE_ONE.sub("‹", text)


def clipped(text: str, most: int) -> str:
    """At most ``most`` characters, and a sign where there were more."""
    return text if len(text) <= most else f"{text[:most]}{MORE}"
