"""Names as people write them, as Python identifiers. Imports the standard library only."""

from __future__ import annotations

import keyword
import re
import unicodedata

from shared.flows.code import functions

FLOW_NAMES = frozenset({*functions.__all__} - {"FlowStopped"} | {"run", "main"} | {"found", "mappings", "quote"})
"""Names that the code of a flow has already: its own, and those of `exhibit.flow`."""
_NO_WORD = re.compile(r"\W+")


def to_identifier(name: str) -> str:
    """Return the identifier of a variable's name: ``Medical License`` is ``medical_license``."""
    words = _NO_WORD.sub("_", unicodedata.normalize("NFKC", name).lower()).strip("_") or "value"
    if not words.isidentifier():  # it begins with a digit
        words = f"value_{words}"
    return f"{words}_" if keyword.iskeyword(words) or words in FLOW_NAMES else words
