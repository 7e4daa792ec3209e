"""Literals of recorded steps as templates: the values of variables in them become ``{identifier}``.

A template holds for all samples or it is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal
from urllib.parse import quote

from shared.pages.locate.selectors import fill_template
from shared.text.normal import fold

MIN_CHARS = 2
"""Of a value that is looked for within a longer text. In an address, one is enough for a segment or a query value."""
MAX_VARIABLES = 8
"""Of one text."""
MAX_BASES = 5
"""Texts that a template is made from in turn: in one of them a short value may stand for something else too."""
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*", re.I)
Kind = Literal["text", "origin", "placeholder"]


def common_template(texts: Sequence[str], rows: Sequence[Mapping[str, str]], *, in_address: bool = False) -> str | None:
    """Return the one template that gives each text with the values of its row, with as many variables as possible.

    None: there is none. ``rows``: values by identifier. ``in_address``: values stand there URL-encoded.
    """
    pairs = [(text, _values(row, in_address=in_address)) for text, row in zip(texts, rows, strict=True)]
    bases = dict(zip(texts, pairs, strict=True)).values()
    found = (_template_of(base, pairs, in_address=in_address) for base in list(bases)[:MAX_BASES])
    return next((one for one in found if one is not None), None)


def _template_of(
    base: tuple[str, Mapping[str, str]], pairs: Sequence[tuple[str, Mapping[str, str]]], *, in_address: bool
) -> str | None:
    text, row = base
    varying = {name for name in row if len({values.get(name) for _, values in pairs}) > 1}
    occurring = [
        name
        for name, value in row.items()
        # One character that is the same everywhere is more likely the site's, such as the number of a page.
        if (len(value) >= MIN_CHARS or name in varying or value == text)
        and _occurs(value, text, in_address=in_address and name != "url")
    ]
    names = sorted(occurring, key=lambda name: -len(row[name]))[:MAX_VARIABLES]
    for size in range(len(names), -1, -1):
        for chosen in combinations(names, size):
            template = _template(text, row, chosen, in_address=in_address)
            if template is not None and all(fill_template(template, values) == other for other, values in pairs):
                return template
    return None


def _values(row: Mapping[str, str], *, in_address: bool) -> dict[str, str]:
    return {name: _encoded(value, name, in_address=in_address) for name, value in row.items()}


def _encoded(value: str, name: str, *, in_address: bool) -> str:
    """Return the value as it stands in an address; that of ``url`` is a whole address."""
    return value if not in_address or name == "url" else quote(value, safe="")


def _occurs(value: str, text: str, *, in_address: bool) -> bool:
    if value == text:
        return bool(value)
    return (len(value) >= MIN_CHARS or (in_address and value != "")) and re.search(
        _whole(value, in_address=in_address), text
    ) is not None


def _whole(value: str, *, in_address: bool) -> str:
    """Return the pattern of the value as a whole word. An escape such as ``%20`` is no part of the word after it.

    One character in an address is a whole segment of its path, or a whole value of its query."""
    if in_address and len(value) < MIN_CHARS:
        return rf"(?<=[/=]){re.escape(value)}(?=[/?&#;]|$)"
    before = r"(?:(?<!\w)|(?<=%[0-9A-F]{2}))" if value[:1].isalnum() else ""
    after = r"(?!\w)" if value[-1:].isalnum() else ""
    return f"{before}{re.escape(value)}{after}"


def _template(text: str, row: Mapping[str, str], names: Sequence[str], *, in_address: bool) -> str | None:
    """Return the text with these values replaced, the longest first; None where one stands only within another."""
    origin = _ORIGIN.match(text) if in_address else None
    pieces: list[tuple[str, Kind]] = [(text, "text")]
    if origin is not None:
        pieces = [(origin[0], "origin"), *([(text[origin.end() :], "text")] if origin.end() < len(text) else [])]
    for name in names:
        value = row[name]
        # A number in a host or a port is no record's.
        left_out: tuple[Kind, ...] = ("placeholder", "origin") if value.isdigit() else ("placeholder",)
        if name == "url":
            pieces = _joined(pieces)
        pieces, replaced = _replace(pieces, _whole(value, in_address=in_address and name != "url"), name, left_out)
        if not replaced:
            return None
    return "".join(piece for piece, _ in pieces)


def _joined(pieces: Sequence[tuple[str, Kind]]) -> list[tuple[str, Kind]]:
    """Return the pieces with the origin joined to what follows it: a whole address is looked for."""
    first = pieces[0]
    if first[1] != "origin" or (len(pieces) > 1 and pieces[1][1] != "text"):
        return list(pieces)
    return [("".join(text for text, _ in pieces[:2]), "text"), *pieces[2:]]


def _replace(
    pieces: Sequence[tuple[str, Kind]], pattern: str, name: str, left_out: tuple[Kind, ...]
) -> tuple[list[tuple[str, Kind]], bool]:
    """Return the pieces with the value replaced."""
    found: list[tuple[str, Kind]] = []
    replaced = False
    for text, kind in pieces:
        parts = [text] if kind in left_out else re.split(pattern, text)
        for at, part in enumerate(parts):
            if at:
                found.append((f"{{{name}}}", "placeholder"))
                replaced = True
            if part or len(parts) == 1:
                found.append((part, kind))
    return found, replaced


# --- what values look like


def words_of(text: str) -> frozenset[str]:
    """Return the words of a name or a label, folded."""
    return frozenset(re.findall(r"\w+", fold(text.replace("_", " "))))
