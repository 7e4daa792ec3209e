"""What may be said of a list in a discovery task, from its repeated items on a page: which fields an item has, which
part of the page the list is in, which link of an item is its own. Each is tried on the page before it counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import PRESSED_ROLES, is_icon, is_input
from shared.pages.entries.value_places import MAX_NAME_CHARS, field_name_of, parts_around
from shared.pages.lists.lists import (
    ListedRecord,
    RepeatedRecords,
    column_of,
    is_link_meant,
    last_segment,
    path_segments,
    records_of_links,
    under_column_headers,
)
from shared.text.normal import label_form, tidy

TITLE = "title"
MOST_PARTS, MOST_COLUMNS = 3, 20
MAX_LABEL_CHARS = 40
SHARE_LABELLED = 0.5
"""A label that fewer of the items have is no field of the list."""


@dataclass(frozen=True)
class AskedOfItem:
    """A field that may be asked of each item. ``column``: the header of its column, or its label; empty: neither."""

    name: str
    called: str
    column: str = ""
    label: str = ""


def asked_of_items(known: RepeatedRecords) -> Iterator[tuple[AskedOfItem, ...]]:
    """Yield the fields that may be asked of an item, most of them first."""
    if known.columns:
        yield tuple(_of_columns(known))
        return
    named = [AskedOfItem(TITLE, "the text of its link")]
    ends = [last_segment(record.head.url or "") for record in known.records]
    numbered = len(set(ends)) == len(ends) and all(any(map(str.isdigit, end)) for end in ends)
    own = [AskedOfItem("id", "the end of its address")] if numbered and not known.is_table else []
    labelled = list(_labelled(known, {one.name: one for one in (*named, *own)}))
    yield (*named, *own, *labelled)
    if labelled:
        yield (*named, *own)
    if own:
        yield tuple(own)


def _of_columns(known: RepeatedRecords) -> Iterator[AskedOfItem]:
    taken: set[str] = set()
    for column in known.columns[:MOST_COLUMNS]:
        cells = [e for record in known.records for e in record.parts if column_of(e) == column]
        if all(is_input(e) or e.role in PRESSED_ROLES or is_icon(e) for e in cells):
            continue  # what is done with an item
        shown = tidy(cells[0].header or "")
        name = field_name_of(shown if any(map(str.isalnum, shown)) else "number", taken)
        taken.add(name)
        yield AskedOfItem(name, shown, column=shown)


def _labelled(known: RepeatedRecords, taken: Mapping[str, object]) -> Iterator[AskedOfItem]:
    """Yield what most items show beside a label: "Owner: Ann", or a value under a header."""
    names, counts = dict[str, str](), dict[str, int]()
    for record in known.records:
        forms: dict[str, str] = {}
        for part in record.parts:
            label, colon, _ = part.name.partition(": ")
            said = part.header if part.header and part.role != "rowheader" else label if colon else ""
            if said and len(said) <= MAX_LABEL_CHARS and label_form(said):
                forms[label_form(said)] = tidy(said).rstrip(":")
        for form, said in forms.items():
            names.setdefault(form, said)
            counts[form] = counts.get(form, 0) + 1
    used = set(taken)
    for form, said in list(names.items())[:MOST_COLUMNS]:
        if counts[form] >= SHARE_LABELLED * len(known.records):
            name = field_name_of(said, used)
            used.add(name)
            yield AskedOfItem(name, said, label=said)


def list_choices(
    page: PageObserved, known: RepeatedRecords, meant: Sequence[ListedRecord], pointed: Sequence[Element]
) -> Iterator[dict[str, Any]]:
    """Yield what may be said of the list: nothing, the part of the page that it is in, which link of an item is its
    own."""
    parts = [_parts_of(page.elements, record.head) for record in meant]
    common = [part for part in parts[0] if part in parts[1]][:MOST_PARTS]
    links = list(dict.fromkeys(_own_link_words(known, pointed)))
    for under in (None, *common):
        for link in (None, *links):
            yield {key: value for key, value in (("under", under), ("link", link)) if value is not None}


def _parts_of(elements: Sequence[Element], element: Element) -> list[str]:
    named = under_column_headers(elements)
    at = next(one for one in named if one.ref == element.ref)
    return [one for one in parts_around(named, at) if len(one) <= MAX_NAME_CHARS]


def _own_link_words(known: RepeatedRecords, pointed: Sequence[Element]) -> Iterator[str]:
    """Yield words that may choose the own link of an item: those of the links that were pointed at, else of each kind
    of link that the items have."""
    parts = {part.ref: part for record in known.records for part in record.parts}
    own = [parts[one.ref] for one in pointed if one.ref in parts and one.url]
    if len(own) == len(pointed):
        yield from (tidy(one.header) for one in own if one.header)
        if len({label_form(one.name) for one in own}) == 1:
            yield tidy(own[0].name)
        others = [path_segments(one.url or "") for one in own[1:]]
        yield from (part for part in path_segments(own[0].url or "") if all(part in path for path in others))
        return
    first, *others = ([part for part in record.parts if part.url] for record in known.records)
    names = [{label_form(part.name) for part in record} for record in others]
    yield from (tidy(part.header) for part in first if part.header)
    yield from (
        tidy(part.name) for part in first if part.name.strip() and all(label_form(part.name) in one for one in names)
    )


def lists_of_linked(elements: Sequence[Element], one: Element, other: Element) -> Iterator[RepeatedRecords]:
    """Yield the lists that the links at one place head whose addresses have a word that those of both have: cards that
    stand in rows beside each other are no column."""
    if one.place != other.place or not {one.role, other.role} <= {"link"}:
        return
    theirs = frozenset(map(label_form, path_segments(other.url or "")))
    for word in [form for part in path_segments(one.url or "") if (form := label_form(part)) in theirs]:
        meant = frozenset({word})
        heads = [e for e in elements if e.role == "link" and e.place == one.place and is_link_meant(e, meant)]
        yield records_of_links(elements, heads)
