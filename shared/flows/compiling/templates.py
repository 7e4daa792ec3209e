"""Literals of recorded steps as templates: the values of variables in them become ``{identifier}``.

A template holds for all samples or it is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal
from urllib.parse import quote

from shared.pages.locate.selectors import fill_template, placeholders_of
from shared.text.normal import fold

MIN_CHARS = 2
"""Of a value that is looked for within a longer text. In an address, one is enough for a segment or a query value."""
MAX_VARIABLES = 8
"""Of one text."""
MAX_BASES = 5
"""Texts that a template is made from in turn: in one of them a short value may stand for something else too."""
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*", re.I)
Kind = Literal["text", "origin", "placeholder"]


@dataclass(frozen=True)
class _TextPlace:
    """Where the texts stand. ``address``: values are URL-encoded there. ``name``: of an element, found in any case."""

    address: bool = False
    name: bool = False

    def of(self, variable: str) -> _TextPlace:
        """Return the place of one variable: the value of ``url`` is a whole address."""
        return _TextPlace(name=self.name) if variable == "url" else self

    def is_same(self, text: str, other: str) -> bool:
        return text == other or (self.name and fold(text) == fold(other))


def common_template(texts: Sequence[str], rows: Sequence[Mapping[str, str]], *, in_address: bool = False) -> str | None:
    """Return the one template that gives each text with the values of its row, with as many variables as possible.

    None: there is none. ``rows``: values by identifier. ``in_address``: values stand there URL-encoded.
    """
    return _common(texts, rows, _TextPlace(address=in_address))


def common_name(names: Sequence[str], rows: Sequence[Mapping[str, str]]) -> str | None:
    """Return the one template of the names or labels of an element, as `common_template` does.

    A site may write a value in another case, as a title or in capitals; elements are found by their names in any case.
    """
    exact, in_any_case = common_template(names, rows), _common(names, rows, _TextPlace(name=True))
    if in_any_case is None or (exact is not None and len(placeholders_of(exact)) >= len(placeholders_of(in_any_case))):
        return exact
    return in_any_case


def _common(texts: Sequence[str], rows: Sequence[Mapping[str, str]], place: _TextPlace) -> str | None:
    pairs = [(text, _values(row, place)) for text, row in zip(texts, rows, strict=True)]
    bases = dict(zip(texts, pairs, strict=True)).values()
    found = (_template_of(base, pairs, place) for base in list(bases)[:MAX_BASES])
    return next((one for one in found if one is not None), None)


def _template_of(
    base: tuple[str, Mapping[str, str]], pairs: Sequence[tuple[str, Mapping[str, str]]], place: _TextPlace
) -> str | None:
    text, row = base
    varying = {name for name in row if len({values.get(name) for _, values in pairs}) > 1}
    occurring = [
        name
        for name, value in row.items()
        # One character that is the same everywhere is more likely the site's, such as the number of a page.
        if (len(value) >= MIN_CHARS or name in varying or value == text)
        and _occurs(value, text, place.of(name))
        and (not place.name or value in text or name in varying or _is_telling(value))
    ]
    names = sorted(occurring, key=lambda name: -len(row[name]))[:MAX_VARIABLES]
    for size in range(len(names), -1, -1):
        for chosen in combinations(names, size):
            template = _template(text, row, chosen, place)
            if template is not None and all(place.is_same(fill_template(template, row), one) for one, row in pairs):
                return template
    return None


def _is_telling(value: str) -> bool:
    """Return whether a value in another case is hardly a word of the site's own, as "Open" on a button is."""
    return any(one.isdigit() or one.isspace() for one in value)


def _values(row: Mapping[str, str], place: _TextPlace) -> dict[str, str]:
    """Return the values as they stand there."""
    return {name: quote(value, safe="") if place.of(name).address else value for name, value in row.items()}


def _occurs(value: str, text: str, place: _TextPlace) -> bool:
    if place.is_same(value, text):
        return bool(value)
    return (len(value) >= MIN_CHARS or (place.address and value != "")) and _whole(value, place).search(
        text
    ) is not None


def _whole(value: str, place: _TextPlace) -> re.Pattern[str]:
    """Return the pattern of the value as a whole word. An escape such as ``%20`` is no part of the word after it.

    One character in an address is a whole segment of its path, or a whole value of its query."""
    case = re.IGNORECASE if place.name else re.NOFLAG
    if place.address and len(value) < MIN_CHARS:
        return re.compile(rf"(?<=[/=]){re.escape(value)}(?=[/?&#;]|$)")
    before = r"(?:(?<!\w)|(?<=%[0-9A-F]{2}))" if value[:1].isalnum() else ""
    after = r"(?!\w)" if value[-1:].isalnum() else ""
    return re.compile(f"{before}{re.escape(value)}{after}", case)


def _template(text: str, row: Mapping[str, str], names: Sequence[str], place: _TextPlace) -> str | None:
    """Return the text with these values replaced, the longest first; None where one stands only within another."""
    origin = _ORIGIN.match(text) if place.address else None
    pieces: list[tuple[str, Kind]] = [(text, "text")]
    if origin is not None:
        pieces = [(origin[0], "origin"), *([(text[origin.end() :], "text")] if origin.end() < len(text) else [])]
    for name in names:
        value = row[name]
        # A number in a host or a port is no record's.
        left_out: tuple[Kind, ...] = ("placeholder", "origin") if value.isdigit() else ("placeholder",)
        if name == "url":
            pieces = _joined(pieces)
        pieces, replaced = _replace(pieces, _whole(value, place.of(name)), name, left_out)
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
    pieces: Sequence[tuple[str, Kind]], pattern: re.Pattern[str], name: str, left_out: tuple[Kind, ...]
) -> tuple[list[tuple[str, Kind]], bool]:
    """Return the pieces with the value replaced."""
    found: list[tuple[str, Kind]] = []
    replaced = False
    for text, kind in pieces:
        parts = [text] if kind in left_out else pattern.split(text)
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
