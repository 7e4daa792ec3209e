"""Cells and lines of CSV. No spreadsheet runs a cell as a formula, and every reader splits the lines alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

_INVISIBLE = (
    r"\x00-\x20\x7f"
    "\x85\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
)
RISKY = rf"^(?:[\t\r\n]|[{_INVISIBLE}]*[=+\-@" "\uff1d\uff0b\uff0d\uff20])"
"""What a spreadsheet may run as a formula, also after spaces and invisible characters, and in full-width letters. This
and `NUMBER` are used by Python and by DuckDB, in a syntax that both read alike."""
NUMBER = r"[+-]?[0-9]+([.][0-9]+)?"
"""A text that begins like a formula by its sign alone. It stays as it is."""
_RISKY, _NUMBER = re.compile(RISKY), re.compile(NUMBER)
_QUOTED = re.compile(r'[,"\r\n]')


def without_formula(text: str) -> str:
    """Return the text, with an apostrophe before it if a spreadsheet might run it. Plain numbers stay numbers.

    >>> without_formula("=1+1"), without_formula("-5"), without_formula("Ann")
    ("'=1+1", '-5', 'Ann')
    """
    return f"'{text}" if is_risky(text) else text


def is_risky(text: str) -> bool:
    """Whether a spreadsheet might run the text as a formula."""
    return not text[:1].isalnum() and _RISKY.match(text) is not None and _NUMBER.fullmatch(text) is None


def csv_line(cells: Iterable[str]) -> str:
    """Return one row with its line break. A lone carriage return is quoted too, which Python's csv writer does not do;
    NUL, at which many readers stop, becomes U+FFFD."""
    line = ",".join([_quoted(cell) if _QUOTED.search(cell) else cell for cell in cells])
    return f"{line.replace(chr(0), chr(0xFFFD))}\n" if line else '""\n'


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'
