"""Which parts of a page are one row each: rows of tables, stretches that begin alike, and texts that hold a whole row.

They tell whether the cells of a row that a driver reports stand in one row of the page, each in its own column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import urljoin

from services.planner.judge.reported_values import is_shown_in
from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import is_header, is_heading, text_of
from shared.pages.lists.lists import (
    column_of,
    is_address,
    is_of_an_item,
    record_rows,
    table_rows,
    under_column_headers,
)
from shared.pages.read.fields import labels_of
from shared.task.output_field import OutputField
from shared.task.typed_values import as_shown, is_not_present
from shared.text.normal import fold
from shared.text.written_dates import DateHints

MOST_COMPARED = 20_000
"""Rows of a page that are compared with rows of a report of which they show no text as it is."""
LONGEST_ROW = 40
"""Elements of a row that is no row of a table, where nothing ends it."""
Cells = Mapping[str, object]
"""The cells of one row as reported; those that are empty are left out."""


Spot = tuple[str, str, int]
"""What the columns of rows have in common that are no table: frame, place in the markup, and left edge."""


@dataclass(frozen=True)
class Unit:
    """The elements of one row of the page. `alike`: spots at which several different texts of it stand."""

    elements: tuple[Element, ...]
    alike: frozenset[Spot] = frozenset()

    @property
    def row(self) -> tuple[str, int | None]:
        """The row of the table. A cell that is joined over rows stands in several, behind those of the row itself."""
        return self.elements[0].frame, self.elements[0].row


@dataclass(frozen=True)
class Standing:
    """Where a reported row stands: the element of each cell that its row shows; and what the row shows for others."""

    unit: Unit
    cells: Mapping[str, Element] = field(default_factory=dict[str, Element])
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    says_none: Mapping[str, Element] = field(default_factory=dict[str, Element])


class RowFinder:
    """Finds reported rows on one page. Each row of the page is one row of the report at most."""

    def __init__(self, page: PageObserved, elements: Sequence[Element], rows: OutputField, hints: DateHints) -> None:
        self.page, self._rows, self._hints = page, rows, hints
        self._elements = under_column_headers(elements)
        self._labels = {name: labels_of(name, column) for name, column in rows.columns.items()}
        self._tables = [Unit(tuple(row)) for row in table_rows(self._elements) if row]
        keys = rows.id_keys
        self._columns = sorted(rows.columns.items(), key=lambda one: one[0] not in keys)
        self._forms = {element.ref: fold(text_of(element)) for element in self._elements}
        self._headers = {element.ref: column_of(element) for element in self._elements}
        self._used: set[int] = set()
        self._at: dict[str, int] = {}
        self._compared = 0

    def find(self, reported: Sequence[Cells], *, known: bool = False) -> list[Standing | None]:
        """Return for each reported row where it stands, or None. All are in rows of one kind. `known`: the texts
        are those of pages, so that a row that shows none of them as it is stands elsewhere."""
        self._at, self._compared = {}, MOST_COMPARED if known else 0
        if any(found := self._standings(reported, self._tables)):
            self._at = self._columns_in_common(reported, found)
            return self._standings(reported, self._tables)
        self._compared = MOST_COMPARED if known else 0
        if any(found := self._standings(reported, self._stretches(reported))):
            return found
        self._compared = 0
        return self._standings(reported, self._single_texts(reported))

    def _standings(self, reported: Sequence[Cells], units: Sequence[Unit]) -> list[Standing | None]:
        self._used = set()
        index: dict[str, list[int]] = {}
        for number, unit in enumerate(units):
            for form in {self._forms[element.ref] for element in unit.elements}:
                index.setdefault(form, []).append(number)
        return [self._standing(cells, units, index) for cells in reported]

    def _likely(self, cells: Cells, units: Sequence[Unit], index: Mapping[str, list[int]]) -> Sequence[int]:
        """Return the numbers of the rows that may be this one: those with its rarest text; else all, as long as not too
        many were compared in vain."""
        keys = [name for name in cells if name in self._rows.id_keys] or list(cells)
        found = [there for name in keys if (there := index.get(fold(as_shown(cells[name]))))]
        if found:
            return min(found, key=len)
        self._compared += len(units)
        return range(len(units)) if self._compared <= MOST_COMPARED else ()

    def _columns_in_common(self, reported: Sequence[Cells], found: Sequence[Standing | None]) -> dict[str, int]:
        """Return the one column of the table in which each column of the field stands: a cell that is shown in another
        column of its row is the cell of another column."""
        chosen: dict[str, int] = {}
        for name, _ in self._columns:
            options: Counter[int] = Counter()
            for cells, there in zip(reported, found, strict=True):
                if there is not None and name in cells:
                    options.update(self._columns_showing(name, cells[name], there.unit))
            free = Counter({column: times for column, times in options.items() if column not in chosen.values()})
            if free or options:
                most = max((free or options).values())
                chosen[name] = min(column for column, times in (free or options).items() if times == most)
        return chosen

    def _columns_showing(self, name: str, raw: object, unit: Unit) -> set[int]:
        there = [e for e in unit.elements if not self._is_bound(e, name) and e.column is not None]
        return {e.column for e in there if e.column is not None and self._showing(name, raw, [e], unit) is not None}

    def unreported(self, found: Iterable[Standing | None], read: frozenset[int] = frozenset()) -> list[Element]:
        """Return what begins the rows of the same tables, or of the same stretches, that are none of these. `read`: the
        elements from which rows were read before."""
        units = [one.unit for one in found if one is not None]
        rows = {unit.row for unit in units}
        heads: list[Element] = []
        for records in record_rows(self._elements):
            if any((one.head.frame, one.head.row) in rows for one in records):
                own = [one for one in records if (one.head.frame, one.head.row) not in rows]
                heads += [one.head for one in own if not any(e.ref in read for e in one.parts if e.row == one.head.row)]
        elsewhere = self._unreported_elsewhere([unit for unit in units if unit.row[1] is None])
        return heads + [element for element in elsewhere if element.ref not in read]

    def _unreported_elsewhere(self, units: Sequence[Unit]) -> list[Element]:
        used = {element.ref for unit in units for element in unit.elements}
        places = {_spot(unit.elements[0]) for unit in units}
        others = [e for e in self._elements if _spot(e) in places and e.ref not in used and text_of(e)]
        # Of texts that are no items of a list, only those between the reported ones are surely of their kind.
        is_list = any(len(unit.elements) > 1 for unit in units)
        return [e for e in others if is_list or is_of_an_item(e.place) or min(used) < e.ref < max(used)]

    # --- one row

    def _standing(self, cells: Cells, units: Sequence[Unit], index: Mapping[str, list[int]]) -> Standing | None:
        best: tuple[int, Standing] | None = None
        for number in self._likely(cells, units, index):
            if number in self._used:
                continue
            unit = units[number]
            told = self._told(cells, unit)
            if told is None:
                continue
            if not told.others:
                self._used.add(number)
                return told
            if best is None or len(told.cells) > len(best[1].cells):
                best = (number, told)
        if best is not None:
            self._used.add(best[0])
        return best[1] if best is not None else None

    def _told(self, cells: Cells, unit: Unit) -> Standing | None:
        """Return what the row shows of the cells; None if it is another: a key differs, or without keys any cell."""
        shown: dict[str, Element] = {}
        others: dict[str, str] = {}
        none: dict[str, Element] = {}
        for name, column in self._columns:
            own = [e for e in unit.elements if self._headers[e.ref] in self._labels[name]]
            at = self._at.get(name)
            there = own or [e for e in unit.elements if not self._is_bound(e, name) and at in (None, e.column)]
            if name not in cells:
                texts = [text_of(e) for e in own]
                if own and all(not text or is_not_present(text, column) for text in texts):
                    none[name] = own[0]
                elif own:
                    others[name] = next(text for text in texts if text and not is_not_present(text, column))
                continue
            element = self._showing(name, cells[name], there, unit)
            if element is not None:
                shown[name] = element
            elif name in self._rows.id_keys or not self._rows.id_keys:
                return None
            else:
                others[name] = next((text_of(e) for e in own if text_of(e)), "")
        return Standing(unit, shown, others, none) if shown else None

    def _is_bound(self, element: Element, name: str) -> bool:
        column = self._headers[element.ref]
        return any(column in labels for other, labels in self._labels.items() if other != name)

    def _showing(self, name: str, raw: object, elements: Sequence[Element], unit: Unit) -> Element | None:
        if is_address(name):
            links = [e for e in unit.elements if e.url and urljoin(self.page.url, e.url) == as_shown(raw)]
            return next(iter(links), None)
        column = self._rows.columns[name]
        form = fold(as_shown(raw))
        exact = [e for e in elements if self._forms[e.ref] == form and form]
        shown = exact or [
            e for e in elements if text_of(e) and is_shown_in(raw, column, text_of(e), title=e.title, order=self._hints)
        ]
        return next((e for e in shown if _spot(e) not in unit.alike), None)

    # --- rows that are no rows of a table

    def _stretches(self, reported: Sequence[Cells]) -> list[Unit]:
        """Return the stretches of the page that begin with elements at one place: where the first cell of a row is."""
        own = [e for e in self._elements if e.row is None and not is_header(e) and text_of(e)]
        first: Element | None = None
        for name in self._rows.columns:
            texts = {fold(as_shown(cells[name])) for cells in reported if name in cells}
            there = [e for e in own if fold(text_of(e)) in texts and e.place]
            if there and (first is None or there[0].ref < first.ref):
                first = there[0]
        if first is None:
            return []
        starts = [at for at, e in enumerate(own) if _spot(e) == _spot(first)]
        longest = max((b - a for a, b in pairwise(starts)), default=LONGEST_ROW)
        heads = [at for at, e in enumerate(own) if is_heading(e) and at > starts[-1]]
        ends = [*starts[1:], min(starts[-1] + longest, *heads[:1], len(own))]
        return [_stretch(own[a:b]) for a, b in zip(starts, ends, strict=True)]

    def _single_texts(self, reported: Sequence[Cells]) -> list[Unit]:
        """Return the elements whose text holds all cells of some row, the shortest first."""
        words = [[fold(as_shown(raw)) for raw in cells.values()] for cells in reported if len(cells) > 1]
        holding = [e for e in self._elements if any(self._holds(e, each) for each in words)]
        return [Unit((e,)) for e in sorted(holding, key=lambda e: (len(text_of(e)), e.ref))]

    def _holds(self, element: Element, words: Sequence[str]) -> bool:
        text = self._forms[element.ref]
        return bool(text) and all(word in text for word in words)


def _spot(element: Element) -> Spot:
    return element.frame, element.place, round(element.box.x) if element.box is not None else 0


def _stretch(elements: Sequence[Element]) -> Unit:
    texts: dict[Spot, set[str]] = {}
    for element in elements:
        texts.setdefault(_spot(element), set()).add(fold(text_of(element)))
    return Unit(tuple(elements), frozenset(spot for spot, said in texts.items() if len(said) > 1))
