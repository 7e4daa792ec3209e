"""Pure: text of others, made safe for a terminal."""

from __future__ import annotations


def printable(text: str, stand_in: str | None = None, *, keep: str = "") -> str:
    """Return the text without anything that a terminal would obey, such as the start of an escape sequence.

    Characters that cannot be printed become ``stand_in``, or their escape (``\\x1b``) where it is None; those in
    ``keep`` stay. Line breaks cannot be printed either: keep ``"\\n"`` to keep the lines.
    """
    return "".join(one if one.isprintable() or one in keep else _escape(one, stand_in) for one in text)


def _escape(letter: str, stand_in: str | None) -> str:
    return ascii(letter)[1:-1] if stand_in is None else stand_in
