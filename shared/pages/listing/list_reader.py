"""Finds the list on a page that a task means, and reads its items. No site is known by name.

The items come from one repeated structure whose columns or links fit the fields. Where the page leaves open which list
is meant, or which link of an item is its own, the read list has a doubt, and the task must say it in its `list`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import Box
from shared.pages.elements import is_header
from shared.pages.identity.scope import find_list
from shared.pages.listing.item_values import ItemReader
from shared.pages.listing.own_links import own_links
from shared.pages.lists.lists import (
    ListedRecord,
    RepeatedRecords,
    column_of,
    is_address,
    is_in_noise,
    is_link_meant,
    lines_of_an_item,
    records_of_links,
    repeated_records,
    same_address,
    web_address,
    without_total,
    without_totals,
)
from shared.pages.read.dates import date_hints
from shared.task.route import words
from shared.task.spec import TaskSpec
from shared.text.normal import label_form, quoted
from shared.text.written_dates import Order


@dataclass(frozen=True)
class ListRead:
    """A list as read. `place`: of the links that head its items, or the columns of a table. `last`: the ref of its last
    element. `end_px`: where its last item begins. `scroller`: the part around it that scrolls by itself. `doubt`: why
    it may not be the list that is meant, or not read right, and what to write in the spec; empty if it is certain."""

    items: tuple[dict[str, Any], ...]
    place: str
    last: int
    end_px: float
    doubt: str = ""
    scroller: int = 0
    lacks: str = ""
    """What repeats on the page, and why it was not read, where no item was."""
    texts: tuple[dict[str, str], ...] = ()
    """Each item as it is shown."""
    first: int = 0
    """The ref of its first element."""
    boxes: tuple[Box | None, ...] = ()
    """Where each of `texts` begins."""
    addresses: tuple[str, ...] = ()
    """The own address of each item, empty where it is not certain."""
    heads: tuple[int, ...] = ()
    """The ref of the first element of each of `texts`."""


@dataclass(frozen=True)
class SpecKeys:
    """The keys of a spec that say which list is meant."""

    under: str
    columns: str
    which: str


KEYS_OF_LIST = SpecKeys("list.under", "list.columns", "list.under or list.link")
KEYS_OF_ROWS = SpecKeys("`under` of the field", "`labels` of its columns", "`under` of the field")
LEAST_REPEATED = 5
NOTHING = ListRead((), "", 0, 0.0)


@dataclass(frozen=True)
class _Fit:
    """A candidate as read. `whole`: the items that have all required fields. `doubt`: about its links."""

    candidate: RepeatedRecords
    items: tuple[dict[str, Any], ...]
    whole: tuple[dict[str, Any], ...]
    strong: bool
    doubt: str
    texts: tuple[dict[str, str], ...] = ()
    """Each of `whole` as it is shown."""
    boxes: tuple[Box | None, ...] = ()
    """Where the head of each of `whole` is drawn."""
    addresses: tuple[str, ...] = ()
    """The own address of each of `whole`."""
    heads: tuple[int, ...] = ()
    """The ref of the head of each of `whole`."""


def read_list(spec: TaskSpec, page: PageObserved, place: str = "", *, of_record: bool = False) -> ListRead:
    """Return the list on this page. `place`: where earlier pages had it, so that no other list is taken for it.
    `of_record`: it is one of the rows of a record, whose last row may be their total."""
    keys = KEYS_OF_ROWS if of_record else KEYS_OF_LIST
    within = find_list(page, words(spec.list_.under))
    if within is None:
        doubt = f"no heading, region or caption is {_named(spec)}, or several are: see {keys.under}"
        return replace(NOTHING, doubt=doubt)
    candidates = _of_chosen_links(spec, within, repeated_records(within, place))
    candidates = [without_totals(one) if of_record else without_total(one) for one in candidates]
    order = date_hints(page) if of_record else None
    read = [_read(spec, page, one, order) for one in candidates]
    chosen, doubt = _choose([fit for fit in read if fit.whole], candidates, keys, settled=bool(place))
    if chosen is None or doubt:
        doubt = doubt or next((fit.doubt for fit in read if fit.doubt), "")
        return replace(NOTHING, doubt=doubt, lacks=_what_repeats(spec, within, read))
    return _result(chosen, () if chosen.doubt else chosen.whole)


def _result(fit: _Fit, items: tuple[dict[str, Any], ...]) -> ListRead:
    records = fit.candidate.records
    end_px = max((r.head.box.y for r in records if r.head.box is not None), default=0.0)
    misfits = len(fit.items) - len(fit.whole)
    lacking = f"{misfits} of {len(fit.items)} items do not show every required field in its type and pattern"
    doubt = fit.doubt or (lacking if misfits else "")
    last = max(records[-1].parts, key=lambda part: part.ref)
    texts, boxes, addresses = (fit.texts, fit.boxes, fit.addresses) if items else ((), (), ())
    heads = fit.heads if items else ()
    first, scroller = min(part.ref for part in records[0].parts), records[-1].head.scroller
    return ListRead(
        items, fit.candidate.place, last.ref, end_px, doubt, scroller, texts=texts, first=first, boxes=boxes,
        addresses=addresses, heads=heads,
    )  # fmt: skip


def _what_repeats(spec: TaskSpec, elements: Sequence[Element], read: Sequence[_Fit]) -> str:
    """Return what repeats without being an item, and what it lacks; empty if nothing does."""
    fit = max(read, key=lambda one: len(one.items), default=None)
    if fit is not None and len(fit.items) >= LEAST_REPEATED:
        none = [name for name in spec.required_fields if all(item.get(name) is None for item in fit.items)]
        first = quoted(fit.candidate.records[0].head.name, 40)
        lacking = f"none shows {', '.join(none)}" if none else "none shows all required fields"
        return f"{len(fit.items)} things repeat, from {first} on, and {lacking}"
    places: dict[tuple[str, str], list[Element]] = {}
    for element in elements:
        if not is_in_noise(element) and element.name.strip() and element.row is None and not is_header(element):
            places.setdefault((element.place, element.role), []).append(element)
    most = max(places.values(), key=len, default=list[Element]())
    if len(most) < LEAST_REPEATED or not most[0].place:
        return ""
    return f"{len(most)} things repeat, from {quoted(most[0].name, 40)} on, and none is a link or a row of a table"


# --- where to look


def _named(spec: TaskSpec) -> str:
    return " or ".join(quoted(name) for name in words(spec.list_.under))


def _of_chosen_links(
    spec: TaskSpec, elements: Sequence[Element], candidates: list[RepeatedRecords]
) -> list[RepeatedRecords]:
    """Return the candidates; of those without rows only the links that the task chooses by `list.link`."""
    chosen = frozenset(label_form(text) for text in words(spec.list_.link))
    if not chosen:
        return candidates
    kept: list[RepeatedRecords] = []
    for one in candidates:
        heads = [e for e in elements if e.place == one.place and e.role == "link" and is_link_meant(e, chosen)]
        if one.is_table:
            kept.append(one)
        elif heads:
            kept.append(records_of_links(elements, heads))
    return kept


# --- one candidate


def _read(spec: TaskSpec, page: PageObserved, candidate: RepeatedRecords, order: Order) -> _Fit:
    reader = ItemReader(spec, page, candidate, order)
    links, doubt = _links(spec, reader)
    own = _own_addresses(spec, reader, links)
    items = tuple(reader.item(record, link) for record, link in zip(candidate.records, links, strict=True))
    kept = [
        at
        for at, (item, record) in enumerate(zip(items, candidate.records, strict=True))
        if all(item.get(name) is not None or reader.says_none(name, record) for name in spec.required_fields)
    ]
    whole = tuple(items[at] for at in kept)
    texts = tuple(reader.texts(candidate.records[at], links[at]) for at in kept)
    asked = [name for name in spec.required_fields or spec.output_schema if not is_address(name)]
    strong = bool(candidate.columns) and bool(asked) and all(map(reader.is_bound, asked))
    doubt = doubt or reader.order_doubt() or _lines_doubt(candidate)
    boxes = tuple(candidate.records[at].head.box for at in kept)
    heads = tuple(candidate.records[at].head.ref for at in kept)
    return _Fit(candidate, items, whole, strong, doubt, texts, boxes, tuple(own[at] for at in kept), heads)


def _lines_doubt(candidate: RepeatedRecords) -> str:
    lines = lines_of_an_item(candidate) if candidate.is_table else 1
    if lines == 1:
        return ""
    first = quoted(candidate.records[0].head.name, 40)
    return f"rows of {lines} forms take turns from {first} on, so that each item may be {lines} rows of the table"


def _links(spec: TaskSpec, reader: ItemReader) -> tuple[Sequence[Element | None], str]:
    records = reader.candidate.records
    if not reader.candidate.is_table:
        return [record.head for record in records], reader.title_doubt()
    chosen = frozenset(label_form(text) for text in words(spec.list_.link))
    values = [reader.values_in_address(record) for record in records]
    if unlinked := _unlinked(reader):
        return [None] * len(records), unlinked
    found = own_links([record.parts for record in records], values, reader.titles(), reader.bound(), chosen)
    return found.links, found.doubt if reader.needs_own_link() else ""


def _own_addresses(spec: TaskSpec, reader: ItemReader, links: Sequence[Element | None]) -> list[str]:
    """Return the own address of each record; empty texts where it is left open which link that is."""
    records = reader.candidate.records
    nothing = [""] * len(records)
    if reader.candidate.is_table:
        chosen = frozenset(label_form(text) for text in words(spec.list_.link))
        values = [reader.values_in_address(record) for record in records]
        found = own_links([record.parts for record in records], values, reader.titles(), reader.bound(), chosen)
        if found.doubt:
            return nothing
        links = found.links
    elif reader.title_doubt():
        return nothing
    return [web_address(reader.page.url, link.url) if link is not None else "" for link in links]


def _unlinked(reader: ItemReader) -> str:
    """Return the doubt about rows whose text in a column that is asked for is no link, where all others are links."""
    records = reader.candidate.records
    for column in sorted(reader.bound()):
        cells = [[e for e in record.parts if column_of(e) == column and e.name] for record in records]
        written = [cell for cell in cells if cell]
        lacking = [cell for cell in written if not any(e.url for e in cell)]
        if 0 < 2 * len(lacking) <= len(written) - len(lacking):
            first = quoted(lacking[0][0].name, 40)
            return f"{len(lacking)} of {len(written)} rows have no link where all others have one, such as {first}"
    return ""


# --- which candidate


def _choose(
    fits: Sequence[_Fit], candidates: Sequence[RepeatedRecords], keys: SpecKeys, *, settled: bool
) -> tuple[_Fit | None, str]:
    """Return the list that is meant, or what leaves it open."""
    tables = [one for one in candidates if one.columns and len(one.columns) > 1]
    strong = [fit for fit in fits if fit.strong]
    pool = _largest_only(strong or _without_parts(fits))
    if not pool:
        return None, _no_fit(tables, keys)
    if len(pool) > 1:
        told = "; ".join(_told(fit) for fit in pool[:4])
        return (
            None,
            f"{len(pool)} lists of the page fit the fields ({told}); say in {keys.which} which is meant",
        )
    if not strong and not settled and not pool[0].candidate.columns and tables:
        return None, _no_fit(tables, keys)
    return pool[0], ""


def _no_fit(tables: Sequence[RepeatedRecords], keys: SpecKeys) -> str:
    if not tables:
        return ""
    shown = ", ".join(quoted(name, 60) for name in tables[0].columns[:8])
    return f"no list of the page has all required fields; its table has the columns {shown}: see {keys.columns}"


def _told(fit: _Fit) -> str:
    first = next((str(value) for value in fit.whole[0].values() if value is not None), "")
    return f"{len(fit.whole)} items from {quoted(first, 40)}"


def _largest_only(fits: Sequence[_Fit]) -> list[_Fit]:
    """Leave out lists that show the same items as another."""
    kept: list[_Fit] = []
    for fit in sorted(fits, key=lambda one: -len(one.whole)):
        if not any(all(item in other.whole for item in fit.whole) for other in kept):
            kept.append(fit)
    return kept


def _without_parts(fits: Sequence[_Fit]) -> list[_Fit]:
    """Leave out links that are parts of the items of another list: all of them stand in its rows, or under its
    headings."""
    tables = [fit for fit in fits if fit.candidate.is_table]
    inside = {e.ref for fit in tables for record in fit.candidate.records for e in record.parts}
    outside = [fit for fit in fits if fit in tables or not _heads(fit.candidate) <= inside]
    named = [fit for fit in outside if not _is_pictured(fit)]
    outside = [fit for fit in outside if fit in named or not _are_signs(fit)] if named else outside
    return [fit for fit in outside if not any(_is_part(fit, other) for other in outside if other is not fit)]


def _heads(candidate: RepeatedRecords) -> set[int]:
    return {record.head.ref for record in candidate.records}


def _is_part(fit: _Fit, other: _Fit) -> bool:
    """Return whether the links of one list only repeat those of the other, or stand under its headings in most of its
    items."""
    if fit.candidate.is_table or other.candidate.is_table:
        return False
    own, others = _addresses(fit.candidate.records), _addresses(other.candidate.records)
    if own < others or (own == others and _is_pictured(fit) and not _is_pictured(other)):
        return True
    under = [record for record in other.candidate.records if _heads(fit.candidate) & {e.ref for e in record.parts}]
    headed = ">h" in other.candidate.place and ">h" not in fit.candidate.place
    return headed and 2 * len(under) > len(other.candidate.records) and _first(other) < _first(fit)


def _are_signs(fit: _Fit) -> bool:
    """Return whether its links are signs that do something with the list, such as sort it: they lead to this page."""
    return _is_pictured(fit) and all(record.head.url and "?" in record.head.url for record in fit.candidate.records)


def _is_pictured(fit: _Fit) -> bool:
    """Return whether the links that head its items are pictures, as covers are: no text of the page names them."""
    return all(record.head.unwritten for record in fit.candidate.records)


def _first(fit: _Fit) -> int:
    return fit.candidate.records[0].head.ref


def _addresses(records: Sequence[ListedRecord]) -> set[str]:
    return {same_address(record.head.url) for record in records}
