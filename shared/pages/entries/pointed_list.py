"""Which list of a page somebody means who has pointed at two of its items: what its items show, and the keys of a
discovery task by which the page gives exactly this list. Each was tried on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import is_heading, text_of
from shared.pages.entries.list_choices import TITLE, AskedOfItem, asked_of_items, list_choices, lists_of_linked
from shared.pages.listing.list_reader import ListRead, read_list
from shared.pages.lists.lists import (
    NOISE,
    ListedRecord,
    RepeatedRecords,
    address_parts,
    is_in_noise,
    repeated_records,
    without_total,
)
from shared.pages.lists.paging import without_pagers
from shared.pages.read.fields import labels_of
from shared.task.listing import ListChoice
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.text.normal import fold, label_form, quoted
from shared.text.record_words import find_mention

URL = "url"
TEXT, MAY_BE_NONE = "string", "string | null"
MOST_TRIALS, MOST_LISTS, MOST_WAYS = 72, 3, 6
AREAS = {
    "navigation": "in a menu of the site",
    "banner": "in the head of the site",
    "contentinfo": "in the foot of the site",
    "complementary": "in a part beside the content",
    "pager": "in what turns the pages",
    "search": "in a search or a filter",
}
assert frozenset(AREAS) == NOISE, "each part that holds no list has its words"
ITEMS_OF_THE_LIST = "press two items of the list itself, such as the names of two records"


@dataclass(frozen=True)
class ListField:
    """What each item shows. ``called``: as the page calls it. ``entry``: its entry in ``output_schema``."""

    name: str
    called: str
    entry: Mapping[str, Any]

    @property
    def is_needed(self) -> bool:
        """Whether each item must have it."""
        return self.entry["type"] == TEXT

    @property
    def written(self) -> Any:
        """The entry as people write it: one that says its type alone is that type."""
        return self.entry["type"] if set(self.entry) == {"type"} else dict(self.entry)


@dataclass(frozen=True)
class PointedList:
    """The list that is meant. ``fields``: what an item shows, its own address last. ``choice``: the key ``list`` of the
    task. ``key``: the field that names an item; empty: none does on this page. ``read``: its items here. ``link``: what
    leads to an item, in words; empty: nothing does that is certain."""

    fields: tuple[ListField, ...]
    choice: Mapping[str, Any]
    key: str
    read: ListRead
    link: str = ""


@dataclass(frozen=True)
class NotOneList:
    """Why two elements give no list, and what to do. ``doubt``: what the page leaves open, where they do repeat."""

    told: str
    doubt: str = ""


def pointed_lists(page: PageObserved, first: int, second: int) -> tuple[PointedList, ...] | NotOneList:
    """Return the lists that have both elements, given by their refs, as two of their items, the largest first: one that
    stands under several headings may be meant as a whole, or the part under one of them. Else why there is none."""
    elements = {one.ref: one for one in page.elements}
    one, other = elements.get(first), elements.get(second)
    if one is None or other is None:
        return NotOneList("it is none of this page: press two items of the list")
    if first == second:
        return NotOneList("that is the same item twice: press another item of the list")
    for element in (one, other):
        if element.in_dialog or is_in_noise(element):
            where = "in what lies over the page" if element.in_dialog else AREAS[element.area]
            return NotOneList(f"{_told(element)} stands {where}, which is no list of records: {ITEMS_OF_THE_LIST}")
    content = without_pagers(page)
    if not {first, second} <= {element.ref for element in content.elements}:
        return NotOneList(f"that turns the page: {ITEMS_OF_THE_LIST}")
    places = {known.ref: at for at, known in enumerate(page.elements)}
    one, other = meant_by(page.elements, places[first]), meant_by(page.elements, places[second])
    repeated = repeated_records(content.elements)
    lists = [*map(without_total, repeated), *lists_of_linked(content.elements, one, other)]
    found = [(known, at) for known in lists if (at := _items_at(known, one, other)) is not None]
    both = [(known, at) for known, at in found if at[0] != at[1]]
    if not both:
        return _not_both(lists, found, one, other)
    return _read_lists(content, both, one, other)


def meant_by(elements: Sequence[Element], at: int) -> Element:
    """Return the element that is meant by the one at this place: of a heading that is one link, that link."""
    element = elements[at]
    inside = elements[at + 1] if is_heading(element) and at + 1 < len(elements) else element
    same = inside.role == "link" and fold(text_of(inside)) == fold(text_of(element))
    return inside if same else element


def _told(element: Element) -> str:
    return quoted(text_of(element) or element.name or element.title or element.role, 60)


def _items_at(known: RepeatedRecords, one: Element, other: Element) -> tuple[int, int] | None:
    """Return which items the elements are parts of; None if one is of none."""
    places = [
        next((at for at, record in enumerate(known.records) if element.ref in {part.ref for part in record.parts}), -1)
        for element in (one, other)
    ]
    return None if -1 in places else (places[0], places[1])


def _not_both(
    lists: Sequence[RepeatedRecords],
    found: Sequence[tuple[RepeatedRecords, tuple[int, int]]],
    one: Element,
    other: Element,
) -> NotOneList:
    if found:
        return NotOneList(f"{_told(one)} and {_told(other)} are of one item: press the same of another item")
    alone = [element for element in (one, other) if not any(_items_at(known, element, element) for known in lists)]
    if alone:
        told = f"nothing like {_told(alone[0])} repeats on the page: press the link or the row of an item"
        return NotOneList(told)
    return NotOneList(f"{_told(one)} and {_told(other)} are not of one list: press two items of the same one")


def _read_lists(
    page: PageObserved, both: Sequence[tuple[RepeatedRecords, tuple[int, int]]], one: Element, other: Element
) -> tuple[PointedList, ...] | NotOneList:
    """Return the lists that a task reads off the page without a doubt, and that have no other items than those that
    repeat with both."""

    def rank(known: tuple[RepeatedRecords, tuple[int, int]]) -> tuple[bool, bool, int]:
        heads = {record.head.ref for record in known[0].records}
        return (not known[0].is_table, not {one.ref, other.ref} <= heads, -len(known[0].records))

    doubt = ""
    for known, at in sorted(both, key=rank)[:MOST_LISTS]:
        meant = [known.records[number] for number in at]
        trials = product(list_choices(page, known, meant, (one, other)), asked_of_items(known))
        found, wrong = _certain(page, known, meant, islice(trials, MOST_TRIALS))
        doubt = doubt or wrong
        if found:
            return _by_size(found)
    repeats = f"{_told(one)} and {_told(other)} repeat, but it is not certain which list they are of"
    told = f"{repeats}: press the links or the names of two items, or write the task by hand"
    return NotOneList(told, doubt)


def _certain(
    page: PageObserved,
    known: RepeatedRecords,
    meant: Sequence[ListedRecord],
    trials: Iterable[tuple[dict[str, Any], tuple[AskedOfItem, ...]]],
) -> tuple[tuple[PointedList, ...], str]:
    """Return the lists that are read with no doubt: each with other items, or with another link for its own. And the
    first doubt about one that is not. What is read without more words of the task needs none."""
    heads, own = {record.head.ref for record in known.records}, {record.head.ref for record in meant}
    found, doubt = dict[tuple[tuple[int, ...], tuple[str, ...]], PointedList](), ""
    settled: set[tuple[Any, Any]] = set()
    for choice, asked in trials:
        under, link = choice.get("under"), choice.get("link")
        if settled & {(under, None), (under, link)}:
            continue
        read, fields = _tried(page, known, asked, choice)
        led = [address for address in read.addresses if address]
        if not read.doubt and own <= set(read.heads) <= heads and len(set(led)) == len(led):
            settled.add((under, link))
            found.setdefault((read.heads, read.addresses), _as_list(known, read, fields, asked, choice))
        else:
            doubt = doubt or read.doubt or read.lacks
    return tuple(found.values()), doubt


def _by_size(found: Sequence[PointedList]) -> tuple[PointedList, ...]:
    """Return the largest lists first, of those whose items have addresses where any has."""
    linked = [one for one in found if one.link] or list(found)
    return tuple(sorted(linked, key=lambda one: -len(one.read.items)))[:MOST_WAYS]


# --- what is tried


def _tried(
    page: PageObserved, known: RepeatedRecords, asked: Sequence[AskedOfItem], choice: Mapping[str, Any]
) -> tuple[ListRead, tuple[ListField, ...]]:
    """Return the list as a task with these fields reads it, and those of them that its items show."""
    drafted = [ListField(one.name, one.called, _entry(one, MAY_BE_NONE)) for one in asked]
    linked = ListField(URL, "its address", {"type": MAY_BE_NONE})
    seen = read_list(_task([*drafted, linked], _columns(asked), choice), page, known.place)
    if seen.doubt or not seen.items:
        return seen, ()
    fields: list[ListField] = []
    for one, field in [*zip(asked, drafted, strict=True), (AskedOfItem(URL, "its address"), linked)]:
        values = [item[field.name] for item in seen.items]
        if any(value is not None for value in values):
            kind = TEXT if field.name in (URL, TITLE) and None not in values else _kind_of(values)
            fields.append(ListField(field.name, field.called, _entry(one, kind)))
    kept = {one.name for one in fields}
    columns = {name: column for name, column in _columns(asked).items() if name in kept}
    return read_list(_task(fields, columns, choice), page), tuple(fields)


def _kind_of(values: Sequence[Any]) -> str:
    """Return the type of a field with these values. What is the same in several items names none of them, and may be
    missing on a later page."""
    different = {str(value).lower() for value in values if value is not None}
    return TEXT if len(different) == len(values) else MAY_BE_NONE


def _entry(one: AskedOfItem, kind: str) -> dict[str, Any]:
    return {"type": kind, "labels": [one.label]} if one.label and not _is_named(one.name, one.label) else {"type": kind}


def _columns(asked: Sequence[AskedOfItem]) -> dict[str, str]:
    """Return the headers of the columns that are not those of their fields' names."""
    return {one.name: one.column for one in asked if one.column and not _is_named(one.name, one.column)}


def _is_named(name: str, shown: str) -> bool:
    return label_form(shown) in labels_of(name, OutputField(type=TEXT))


def _task(fields: Sequence[ListField], columns: Mapping[str, str], choice: Mapping[str, Any]) -> TaskSpec:
    """Return a task of the list, unchecked."""
    schema = {one.name: OutputField.model_validate(dict(one.entry)) for one in fields}
    return TaskSpec.model_construct(
        task_id="pointed",
        goal="",
        phase="discovery",
        output_schema=schema,
        required_fields=[one.name for one in fields if one.is_needed],
        list_=ListChoice(columns=dict(columns), **choice),
    )


# --- what came of it


def _as_list(
    known: RepeatedRecords,
    read: ListRead,
    fields: tuple[ListField, ...],
    asked: Sequence[AskedOfItem],
    choice: Mapping[str, Any],
) -> PointedList:
    named = {one.name for one in fields}
    columns = {name: at for name, at in _columns(asked).items() if name in named}
    written = {**choice, "columns": columns} if columns else dict(choice)
    return PointedList(fields, written, key_of(read, fields), read, _link_words(known, read, choice))


def key_of(read: ListRead, fields: Sequence[ListField]) -> str:
    """Return the field that names an item: each item has it, and no two have the same. One that stands in the item's
    address comes first, then one with a number, then the first."""
    ranked: list[tuple[int, int, str]] = []
    for at, field in enumerate(fields):
        values = [str(item[field.name] or "") for item in read.items]
        if field.name == URL or not all(values) or len({value.lower() for value in values}) < len(values):
            continue
        in_address = all(
            any(find_mention(part, value.lstrip("#@")) for part in address_parts(address))
            for value, address in zip(values, read.addresses, strict=True)
        )
        numbered = all(any(map(str.isdigit, value)) for value in values)
        ranked.append((0 if in_address else 1 if numbered else 2, at, field.name))
    return min(ranked)[2] if ranked else ""


def _link_words(known: RepeatedRecords, read: ListRead, choice: Mapping[str, Any]) -> str:
    """Return which link of an item leads to its own page, in words of the page."""
    if not all(read.addresses):
        return ""
    if said := choice.get("link"):
        return f"the link {quoted(said)}"
    if not known.is_table:
        return "the link that is its title"
    return "the one link of it that leads to a page of its own"
