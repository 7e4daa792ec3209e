"""Names as people write them, as Python identifiers. Imports the standard library only."""

from __future__ import annotations

import keyword
import re
import unicodedata

_NO_WORD = re.compile(r"\W+")


def to_identifier(name: str) -> str:
    """Return the identifier of a variable's name: ``Medical License`` is ``medical_license``."""
    words = _NO_WORD.sub("_", unicodedata.normalize("NFKC", name).lower()).strip("_") or "value"
    if not words.isidentifier():  # it begins with a digit
        words = f"value_{words}"
    return f"{words}_" if keyword.iskeyword(words) else words
