"""Output in which text from elsewhere is only text: no terminal obeys it.

Cells of an input, texts of pages and messages of the bus may hold the beginning of an escape sequence, with which a
terminal moves its cursor, writes over lines or fills the clipboard.
"""

from __future__ import annotations

import re
import sys

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""All control characters but tab and line feed, with those that change the direction of what follows."""


def inert(text: str) -> str:
    """Return the text with the escape (``\\x1b``) of each character that a terminal obeys, except tab and line feed."""
    return _OBEYED.sub(lambda found: ascii(found[0])[1:-1], text)


def print_out(text: str) -> None:
    """Write a text for people to standard output, as it is but for what a terminal obeys."""
    sys.stdout.write(inert(text))
    sys.stdout.flush()


def print_err(text: str) -> None:
    """As `print_out`, to standard error."""
    sys.stderr.write(inert(text))
    sys.stderr.flush()
