"""Which parts of a page are one row each: rows of tables, stretches that begin alike, and texts that hold a whole row.

They tell whether the cells of a row that a decider reports stand in one row of the page, each in its own column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import urljoin

from services.planner.judge.reported_values import is_shown_in
from services.planner.page.fields import labels_of
from services.planner.page.lists import (
    column_of,
    is_address,
    repeated_records,
    table_rows,
    under_column_headers,
    without_totals,
)
from services.planner.page.text import is_header
from shared.contracts.browser_pool import Element, PageObserved
from shared.flows.page_elements import text_of
from shared.task.output_field import OutputField
from shared.task.typed_values import as_shown, is_not_present
from shared.text.normal import fold
from shared.text.written_dates import DateHints

LONGEST_ROW = 40
"""Elements of a row that is no row of a table, where nothing ends it."""
Cells = Mapping[str, object]
"""The cells of one row as reported; those that are empty are left out."""


@dataclass(frozen=True)
class Unit:
    """The elements of one row of the page. `alike`: places that several different texts of it have."""

    elements: tuple[Element, ...]
    alike: frozenset[str] = frozenset()


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
        self._used: set[int] = set()

    def find(self, reported: Sequence[Cells]) -> list[Standing | None]:
        """Return for each reported row where it stands, or None. All of them are in rows of one kind."""
        for units in (self._tables, self._stretches(reported), self._single_texts(reported)):
            self._used = set()
            found = [self._standing(cells, units) for cells in reported]
            if any(found):
                return found
        return [None] * len(reported)

    def unreported(self, found: Iterable[Standing | None]) -> list[Element]:
        """Return what begins the rows of the same tables, or of the same stretches, that are none of these."""
        standing = [one for one in found if one is not None]
        used = {element.ref for one in standing for element in one.unit.elements}
        heads: list[Element] = []
        for table in map(without_totals, repeated_records(self._elements)):
            refs = [{part.ref for part in record.parts} for record in table.records]
            if table.is_table and any(one & used for one in refs):
                heads += [r.head for r, own in zip(table.records, refs, strict=True) if not own & used]
        in_table = any(element.row is not None for one in standing for element in one.unit.elements)
        if standing and not in_table:
            places = {one.unit.elements[0].place for one in standing}
            heads += [e for e in self._elements if e.place in places and e.ref not in used and text_of(e)]
        return heads

    # --- one row

    def _standing(self, cells: Cells, units: Sequence[Unit]) -> Standing | None:
        best: tuple[int, Standing] | None = None
        for number, unit in enumerate(units):
            if number in self._used:
                continue
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
            own = [e for e in unit.elements if column_of(e) in self._labels[name]]
            there = own or [e for e in unit.elements if not self._is_bound(e, name)]
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
        column = column_of(element)
        return any(column in labels for other, labels in self._labels.items() if other != name)

    def _showing(self, name: str, raw: object, elements: Sequence[Element], unit: Unit) -> Element | None:
        if is_address(name):
            links = [e for e in unit.elements if e.url and urljoin(self.page.url, e.url) == as_shown(raw)]
            return next(iter(links), None)
        column = self._rows.columns[name]
        exact = [e for e in elements if fold(text_of(e)) == fold(as_shown(raw)) and text_of(e)]
        shown = exact or [
            e for e in elements if text_of(e) and is_shown_in(raw, column, text_of(e), title=e.title, order=self._hints)
        ]
        return next((e for e in shown if e.place not in unit.alike), None)

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
        starts = [at for at, e in enumerate(own) if e.place == first.place and e.frame == first.frame]
        longest = max((b - a for a, b in pairwise(starts)), default=LONGEST_ROW)
        ends = [*starts[1:], starts[-1] + longest]
        return [_stretch(own[a:b]) for a, b in zip(starts, ends, strict=True)]

    def _single_texts(self, reported: Sequence[Cells]) -> list[Unit]:
        """Return the elements whose text holds all cells of some row, the shortest first."""
        holding = [e for e in self._elements if text_of(e) and any(self._holds(e, cells) for cells in reported)]
        return [Unit((e,)) for e in sorted(holding, key=lambda e: (len(text_of(e)), e.ref))]

    def _holds(self, element: Element, cells: Cells) -> bool:
        columns = self._rows.columns
        return len(cells) > 1 and all(is_shown_in(raw, columns[n], text_of(element)) for n, raw in cells.items())


def _stretch(elements: Sequence[Element]) -> Unit:
    texts: dict[str, set[str]] = {}
    for element in elements:
        texts.setdefault(element.place, set()).add(fold(text_of(element)))
    return Unit(tuple(elements), frozenset(place for place, said in texts.items() if len(said) > 1))
