"""Literals of recorded steps as templates: the values of variables in them become ``{identifier}``.

A template holds for all samples or it is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from urllib.parse import quote

from shared.flows.selectors import fill_template
from shared.text.normal import fold

MIN_CHARS = 2
"""Of a value that is looked for within a longer text."""
MAX_VARIABLES = 8
"""Of one text."""


def common_template(texts: Sequence[str], rows: Sequence[Mapping[str, str]], *, in_address: bool = False) -> str | None:
    """Return the one template that gives each text with the values of its row, with as many variables as possible.

    None: there is none. ``rows``: values by identifier. ``in_address``: values stand there URL-encoded.
    """
    first, others = texts[0], list(zip(texts[1:], rows[1:], strict=True))
    found = [name for name, value in rows[0].items() if _occurs(_encoded(value, name, in_address=in_address), first)]
    names = sorted(found, key=lambda name: -len(rows[0][name]))[:MAX_VARIABLES]
    for size in range(len(names), -1, -1):
        for chosen in combinations(names, size):
            template = _template(first, rows[0], chosen, in_address=in_address)
            if template is not None and all(
                fill_template(template, _values(row, in_address=in_address)) == text for text, row in others
            ):
                return template
    return None


def _values(row: Mapping[str, str], *, in_address: bool) -> dict[str, str]:
    return {name: _encoded(value, name, in_address=in_address) for name, value in row.items()}


def _encoded(value: str, name: str, *, in_address: bool) -> str:
    """Return the value as it stands in an address; that of ``url`` is a whole address."""
    return value if not in_address or name == "url" else quote(value, safe="")


def _occurs(value: str, text: str) -> bool:
    if value == text:
        return bool(value)
    return len(value) >= MIN_CHARS and re.search(_whole(value), text) is not None


def _whole(value: str) -> str:
    """Return the pattern of the value as a whole word. An escape such as ``%20`` is no part of the word after it."""
    before = r"(?:(?<!\w)|(?<=%[0-9A-F]{2}))" if value[:1].isalnum() else ""
    after = r"(?!\w)" if value[-1:].isalnum() else ""
    return f"{before}{re.escape(value)}{after}"


def _template(text: str, row: Mapping[str, str], names: Sequence[str], *, in_address: bool) -> str | None:
    """Return the text with these values replaced, the longest first; None where one stands only within another."""
    pieces: list[tuple[str, bool]] = [(text, False)]
    for name in names:
        value = _encoded(row[name], name, in_address=in_address)
        pieces, replaced = _replace(pieces, value, name)
        if not replaced:
            return None
    return "".join(piece for piece, _ in pieces)


def _replace(pieces: list[tuple[str, bool]], value: str, name: str) -> tuple[list[tuple[str, bool]], bool]:
    """Return the pieces with the value replaced. True marks a placeholder."""
    found: list[tuple[str, bool]] = []
    replaced = False
    for text, is_placeholder in pieces:
        parts = [text] if is_placeholder else re.split(_whole(value), text)
        for at, part in enumerate(parts):
            if at:
                found.append((f"{{{name}}}", True))
                replaced = True
            if part or len(parts) == 1:
                found.append((part, is_placeholder))
    return found, replaced


# --- what values look like


def words_of(text: str) -> frozenset[str]:
    """Return the words of a name or a label, folded."""
    return frozenset(re.findall(r"\w+", fold(text.replace("_", " "))))
