"""What repeats on a page: rows of tables, cards under headings or links, links at one place. No site is known by name.

Header, footer, navigation, pagers, filters and sidebars are never a list.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import parse_qsl, unquote, urldefrag, urljoin, urlsplit

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.pages.boxes import is_on_one_line
from shared.pages.elements import is_header, is_heading
from shared.text.normal import label_form

NOISE = frozenset({"navigation", "banner", "contentinfo", "complementary", "pager", "search"})
MAX_CANDIDATES = 12
WITHIN_A_LINE_PX = 24
"""Two links this near are in one line of text; those of two cards are further apart."""
ROWS = "row"
"""The place of a list whose items are table rows, in logs of earlier versions: any table."""
_OF_AN_ITEM = re.compile(r"(?:^|>)(?:li|tr|article|dd|option)>")
_NEVER_HEADS = frozenset({"tab", "menuitem"})


@dataclass(frozen=True)
class ListedRecord:
    """One item of a list: its heading element, and all of its parts including that one."""

    head: Element
    parts: tuple[Element, ...]


@dataclass(frozen=True)
class RepeatedRecords:
    """Records of one structure. `columns`: headers of a table, in comparable form; empty where nothing names them.

    `place`: the columns of a table, or where in the markup the links stand that head the records.
    """

    place: str
    records: tuple[ListedRecord, ...]
    columns: tuple[str, ...] = ()
    is_table: bool = False


def repeated_records(elements: Sequence[Element], place: str = "") -> list[RepeatedRecords]:
    """Return all candidate lists among the elements of a page. `place`: only the list there, as on earlier pages."""
    own = under_column_headers([e for e in elements if not is_in_noise(e)])
    tables = [(table, part) for part in _tables(own) if (table := _table(part)) is not None]
    headed = {e.ref for table, part in tables if table.columns for e in part}
    found = [table for table, _ in tables]
    found = [table for table in found if place in ("", table.place) or (place == ROWS and table.columns)]
    groups: dict[str, list[Element]] = defaultdict(list)
    for element in own:
        outside = element.ref not in headed and not is_header(element)
        if outside and _is_head(element) and (not place or element.place == place):
            groups[f"{element.frame} {element.place}" if element.frame != "main" else element.place].append(element)
    by_size = sorted(groups.items(), key=lambda one: -len({e.url for e in one[1]}))[:MAX_CANDIDATES]
    for name, heads in by_size:
        if place or len({e.url for e in heads}) > 1 or _OF_AN_ITEM.search(name):
            found += [one for run in _runs(heads) for one in _by_kind(own, run)]
    return found


def _runs(heads: Sequence[Element]) -> list[list[Element]]:
    """Return the heads of each list: what begins higher up again, behind the last, stands in a column of its own."""
    runs: list[list[Element]] = []
    for head in heads:
        last = runs[-1][-1].box if runs else None
        higher = last is not None and head.box is not None and head.box.y < last.y - WITHIN_A_LINE_PX
        if not runs or (higher and head.url not in {one.url for one in runs[-1]}):
            runs.append([])
        runs[-1].append(head)
    return runs


def is_of_an_item(place: str) -> bool:
    """Return whether what stands there is, or is in, an item of a list by its markup."""
    return _OF_AN_ITEM.search(place) is not None


def _is_head(element: Element) -> bool:
    return element.url is not None and element.role == "link"


def is_in_noise(element: Element) -> bool:
    """Return whether the element is in a part of the page that holds no list."""
    return element.area in NOISE or element.in_dialog


# --- tables


def column_of(element: Element) -> str:
    """Return what names the element, in comparable form: see `under_column_headers`."""
    return label_form(element.header or "")


def under_column_headers(elements: Sequence[Element]) -> list[Element]:
    """Return the elements, those of tables with the header of their column as `header`, also row headers and what a
    row header names."""
    named: dict[int, Element] = {}
    for table in _tables(elements):
        names = {e.column: e.name for e in table if _is_column_header(e) and e.column is not None}
        for element in table:
            if element.column in names and not _is_column_header(element):
                named[element.ref] = replace(element, header=names[element.column])
    return [named.get(element.ref, element) for element in elements]


def table_rows(elements: Iterable[Element]) -> list[list[Element]]:
    """Return the cells of each table row, without column headers. A cell joined over rows is in each of them."""
    rows: dict[tuple[str, int], list[Element]] = {}
    for element in elements:
        if element.row is not None and not _is_column_header(element):
            rows.setdefault((element.frame, element.row), []).append(element)
    for element in [cell for row in rows.values() for cell in row if cell.rows > 1]:
        for below in spanned_rows(element)[1:]:
            if (element.frame, below) in rows:
                rows[element.frame, below].append(element)
    return list(rows.values())


def spanned_rows(element: Element) -> range:
    """Return the table rows that a cell stands in: a joined cell stands in several."""
    return range(element.row, element.row + max(1, element.rows)) if element.row is not None else range(0)


_TOTAL = re.compile(r"(?:grand |sub)?-?totals?|sum|summe|gesamt|total général|totale|totaal", re.I)


def says_total(text: str) -> bool:
    """Return whether a text is no more than the word for a total."""
    return _TOTAL.fullmatch(text.strip(" :")) is not None


def without_total(table: RepeatedRecords) -> RepeatedRecords:
    """Return the table without a last row that is its total: it says so, and has no link where all others have one."""
    *others, last = table.records
    first = next((part.name for part in last.parts if part.name.strip()), "")
    linked = bool(others) and all(any(part.url for part in record.parts) for record in others)
    is_total = table.is_table and linked and says_total(first) and not any(part.url for part in last.parts)
    return dataclasses.replace(table, records=tuple(others)) if is_total else table


def without_totals(table: RepeatedRecords) -> RepeatedRecords:
    """Return the table without a last row that is the total of a record's rows: it says so, and has nothing in a column
    in which all others have something."""
    table = without_total(table)
    *others, last = table.records
    first = next((part.name for part in last.parts if part.name.strip()), "")
    columns = [_written_columns(record) for record in others]
    empty = columns[0] - _written_columns(last) if columns else frozenset[int | None]()
    lacks = any(all(column in one for one in columns) for column in empty)
    is_total = table.is_table and lacks and says_total(first)
    return dataclasses.replace(table, records=tuple(others)) if is_total else table


def _written_columns(record: ListedRecord) -> frozenset[int | None]:
    return frozenset(part.column for part in record.parts if part.name.strip())


MOST_LINES = 3
"""Rows of a table that one item may take."""


def lines_of_an_item(table: RepeatedRecords) -> int:
    """Return how many rows each item seems to take: 2 where rows of two forms take turns in the whole table, else 1.

    A row that only lacks a value of the form is a row of this form."""
    forms = [frozenset((e.column, e.url is not None) for e in one.parts if e.name.strip()) for one in table.records]
    for lines in range(2, MOST_LINES + 1):
        even = len(forms) >= 2 * lines and len(forms) % lines == 0
        take_turns = even and all(forms[at] == forms[at % lines] for at in range(len(forms)))
        if take_turns and any(not _lacks_only(one, forms[0]) for one in forms[1:lines]):
            return lines
    return 1


def _lacks_only(form: frozenset[tuple[int | None, bool]], whole: frozenset[tuple[int | None, bool]]) -> bool:
    first = min(whole, key=lambda one: (one[0] or 0, one[1]), default=None)
    return form <= whole and (first is None or first in form)


def column_headers(elements: Iterable[Element]) -> list[Element]:
    """Return the headers of columns."""
    return [element for element in elements if element.row is not None and _is_column_header(element)]


def _is_column_header(element: Element) -> bool:
    return is_header(element) and element.role != "rowheader"


def _tables(elements: Iterable[Element]) -> list[list[Element]]:
    """Return the elements in the rows of each table. A table ends where something stands in no row, or where headers
    of columns begin another one. A row that can be pressed is told before its cells."""
    tables: list[list[Element]] = [[]]
    for element in elements:
        if element.role == "row":
            continue
        current = tables[-1]
        ends = element.row is None or (current and current[-1].frame != element.frame)
        if ends or (_is_column_header(element) and _has_records_above(current, element)):
            tables.append([])
        if element.row is not None:
            tables[-1].append(element)
    return [table for table in tables if table]


def _has_records_above(table: Sequence[Element], header: Element) -> bool:
    """Return whether rows of values stand above this header of a column."""
    if not table or table[-1].row == header.row:
        return False
    return not any(_is_column_header(e) for e in table if e.row == table[-1].row)


def _table(elements: Sequence[Element]) -> RepeatedRecords | None:
    """Return the records of a table: rows with more than one cell, where the table has several columns."""
    headers = {e.row for e in elements if _is_column_header(e)}
    rows = [row for row in table_rows(elements) if row[0].row not in headers and not row[0].in_foot]
    names = {label_form(e.name) for row in rows for e in row if e.role == "rowheader"}
    columns = tuple(dict.fromkeys(c for row in rows for e in row if (c := column_of(e)) and c not in names))
    if len(columns) > 1:
        rows = [row for row in rows if len({column_of(e) or str(e.ref) for e in row}) > 1]
    rows = [row for row in rows if columns or any(_is_head(e) for e in row)]
    if not rows:
        return None
    records = tuple(ListedRecord(row[0], tuple(row)) for row in rows)
    shown = [label_form(e.name) for e in elements if e.row in headers] or columns
    where = f"table: {', '.join(shown)}" if columns else f"rows at {rows[0][0].place}"
    return RepeatedRecords(where, records, columns, is_table=True)


def record_rows(elements: Iterable[Element]) -> list[tuple[ListedRecord, ...]]:
    """Return the rows of each table that may be records, wherever it stands and with or without headers: not those of
    heads and feet, titles over all columns, and a total below."""
    tables: list[tuple[ListedRecord, ...]] = []
    for part in _tables(elements):
        headers = {e.row for e in part if _is_column_header(e)}
        rows = [row for row in table_rows(part) if row[0].row not in headers and not row[0].in_foot]
        several = any(len({e.column for e in row}) > 1 for row in rows)
        rows = [row for row in rows if not several or len({e.column for e in row}) > 1]
        if rows:
            records = tuple(ListedRecord(row[0], tuple(row)) for row in rows)
            tables.append(without_totals(RepeatedRecords("", records, is_table=True)).records)
    return tables


# --- cards and links


def cards(elements: Sequence[Element]) -> list[list[Element]]:
    """Return a card for each heading, else for each link: all elements up to the next one. Cards without a link are
    left out."""
    headings = [at for at, e in enumerate(elements) if is_heading(e)]
    starts = headings or [at for at, e in enumerate(elements) if _opens(e)]
    return [card for card in _slices(elements, starts, len(elements)) if any(map(_opens, card))]


def _opens(element: Element) -> bool:
    return element.role == "link" and bool(element.name.strip())


def _slices(elements: Sequence[Element], starts: Sequence[int], end: int) -> list[list[Element]]:
    return [list(elements[a:b]) for a, b in zip(starts, [*starts[1:], end], strict=True)] if starts else []


def _by_kind(own: Sequence[Element], heads: Sequence[Element]) -> list[RepeatedRecords]:
    """Return the records that these links head: those of each kind, where several kinds take turns or stand beside each
    other in most items."""
    kept = _distinct_heads(heads)
    refs, addresses = {head.ref for head in kept}, {head.url for head in kept}
    beside = [head for head in heads if head.ref not in refs and head.url not in addresses]
    kinds = [*interleaved_kinds(kept), *([beside] if 2 * len(beside) >= len(kept) else [])]
    return [RepeatedRecords(heads[0].place, tuple(_from_each_link(own, kind))) for kind in kinds]


def records_of_links(elements: Sequence[Element], heads: Sequence[Element]) -> RepeatedRecords:
    """Return the records that these links head."""
    own = [e for e in elements if not is_in_noise(e)]
    kept = [head for head in heads if not is_in_noise(head)]
    unique = [kept[0]] if kept else []
    unique += [b for a, b in pairwise(kept) if same_address(a.url) != same_address(b.url)]
    return RepeatedRecords(heads[0].place, tuple(_from_each_link(own, unique)))


def _from_each_link(own: Sequence[Element], heads: Sequence[Element]) -> list[ListedRecord]:
    """Return each head with all elements up to the next one; the last gets as many as the longest of the others."""
    starts = [own.index(head) for head in heads]
    longest = max((b - a for a, b in pairwise(starts)), default=8)
    return [ListedRecord(part[0], tuple(part)) for part in _slices(own, starts, starts[-1] + longest)]


def _distinct_heads(heads: Sequence[Element]) -> list[Element]:
    """Return one head for each item.

    Two adjacent links to one address are one head. A link in the line of a head, to another kind of page, is a part of
    it, such as the pull request beside a commit.
    """
    kept: list[Element] = []
    for head in heads:
        if not kept or (kept[-1].url != head.url and not _is_beside(kept[-1], head)):
            kept.append(head)
    return kept


def _is_beside(head: Element, other: Element) -> bool:
    a, b = head.box, other.box
    if a is None or b is None or directory(head.url) == directory(other.url):
        return False
    return is_on_one_line(a, b) and b.x - (a.x + a.width) <= WITHIN_A_LINE_PX


# --- addresses of records


def is_address(name: str) -> bool:
    """Return whether a field of this name holds an address."""
    last = name.lower().replace("-", "_").rpartition("_")[2]
    return last in ("url", "link", "href", "uri") or name.lower().endswith("url")


def same_address(url: str | None) -> str:
    """Return the address in comparable form: without fragment and trailing slash."""
    return urldefrag(url or "")[0].rstrip("/")


def web_address(page_url: str, url: str | None) -> str:
    """Return the whole address of a link to another page; empty where it leads nowhere else, or is no web address, or
    has a user name or password."""
    try:
        whole = urljoin(page_url, url or "")
        parts = urlsplit(whole)
    except ValueError:
        return ""
    is_web = parts.scheme in ("http", "https") and "@" not in parts.netloc
    return whole if is_web and same_address(whole) != same_address(page_url) else ""


def path_segments(url: str) -> list[str]:
    """Return the segments of the address's path; empty if it is invalid."""
    try:
        return [unquote(part) for part in urlsplit(url).path.split("/") if part]
    except ValueError:
        return []


def is_link_meant(element: Element, words: frozenset[str]) -> bool:
    """Return whether a task's words choose this link: by its column, its name, or a segment of its address."""
    said = {label_form(element.header or ""), label_form(element.name)}
    return bool(words & said) or bool(words & {label_form(part) for part in path_segments(element.url or "")})


def last_segment(url: str) -> str:
    """Return the last segment of the address's path."""
    return (path_segments(url) or [""])[-1]


def address_parts(url: str) -> frozenset[str]:
    """Return the segments of the path and the values of the query."""
    try:
        query = parse_qsl(urlsplit(url).query)
    except ValueError:
        query = []
    return frozenset((*path_segments(url), *(value for _, value in query)))


def directory(url: str | None) -> str:
    """Return the address without its last segment."""
    return (url or "").rpartition("/")[0]


def interleaved_kinds(heads: Sequence[Element]) -> list[list[Element]]:
    """Return the links by the kind of page that they lead to, where the kinds take turns, as a ticket and its author
    do: between two of the first kind is one of each other kind at most, and mostly one. Else all of them are one kind.
    """
    kinds = [_kind_of_page(head.url) for head in heads]
    starts = [at for at, kind in enumerate(kinds) if kind == kinds[0]]
    spans = [kinds[a + 1 : b] for a, b in zip(starts, [*starts[1:], len(kinds)], strict=True)]
    take_turns = all(len(span) == len(set(span)) for span in spans) and 2 * sum(map(bool, spans)) >= len(spans)
    if len(starts) < 2 or not take_turns:
        return [list(heads)] if heads else []
    return [[h for h, kind in zip(heads, kinds, strict=True) if kind == one] for one in dict.fromkeys(kinds)]


_NUMBER = re.compile(r"\d+")


def _kind_of_page(url: str | None) -> str:
    """Return the directory with numbers left open: `/t/1/edit` and `/t/2/edit` are of one kind."""
    return _NUMBER.sub("0", directory(same_address(url)))
