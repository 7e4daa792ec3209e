"""Pure: cells as lines of CSV that no spreadsheet runs and every reader cuts where we did."""

from __future__ import annotations

import re
from collections.abc import Iterable

_UNSEEN = (
    r"\x00-\x20\x7f"
    "\x85\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
)
RISKY = rf"^(?:[\t\r\n]|[{_UNSEEN}]*[=+\-@" "\uff1d\uff0b\uff0d\uff20])"
"""What a spreadsheet may take for a formula: also behind spaces and signs nobody sees, and in wide letters. Answers to
SQL are guarded by these same two patterns: they are written so that Python and the database read them alike."""
NUMBER = r"[+-]?[0-9]+([.][0-9]+)?"
"""All of a text that is risky by its sign alone, and stays as it is."""
_RISKY, _NUMBER = re.compile(RISKY), re.compile(NUMBER)
_QUOTED = re.compile(r'[,"\r\n]')


def guarded(text: str) -> str:
    """``text``, with an apostrophe before it where a spreadsheet might run it; plain numbers stay numbers.

    >>> guarded("=1+1"), guarded("-5"), guarded("Ann")
    ("'=1+1", '-5', 'Ann')
    """
    return f"'{text}" if is_risky(text) else text


def is_risky(text: str) -> bool:
    """Whether a spreadsheet might run it."""
    return not text[:1].isalnum() and _RISKY.match(text) is not None and _NUMBER.fullmatch(text) is None


def csv_line(cells: Iterable[str]) -> str:
    """One row with its line break. A lone carriage return is quoted too, which Python's own writer forgets; NUL, at
    which many readers stop, becomes U+FFFD."""
    line = ",".join([_quoted(cell) if _QUOTED.search(cell) else cell for cell in cells])
    return f"{line.replace(chr(0), chr(0xFFFD))}\n" if line else '""\n'


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'
