"""Rows that a driver reports: each cell is looked for in one row of the page, and what earlier pages gave is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from services.planner.judge.rows.merging import merged_rows, row_key
from services.planner.judge.rows.proof import what_goes_on, what_is_lacking
from services.planner.judge.rows.row_cells import MOST_PROBLEMS, absent_cell, cell_value, row_problems
from services.planner.judge.rows.units import Cells, RowFinder, Standing
from services.planner.state.attempt_state import SampleProblem, SampleView
from shared.contracts.browser_pool import PageObserved
from shared.contracts.codes import Reason
from shared.contracts.steps import CellValue, FieldValue, Note, RowValue, plain_note
from shared.evidence_format.cells import plain_rows
from shared.field_types import nullable
from shared.pages.elements import text_of
from shared.pages.identity.scope import find_list
from shared.pages.lists.lists import repeated_records, says_total
from shared.pages.read.dates import date_hints
from shared.pages.read.fields import labels_of, value_source
from shared.task.output_field import OutputField
from shared.task.route import words
from shared.task.row_values import fill_known, template_values
from shared.task.typed_values import as_shown
from shared.text.normal import fold, quoted


@dataclass(frozen=True)
class ReportedRows:
    """A field of rows after a report. `problems`: what the page that is shown says against the report. `here`: the rows
    as they were reported of this page."""

    value: FieldValue
    problems: tuple[SampleProblem, ...] = ()
    notes: tuple[Note, ...] = ()
    here: tuple[RowValue, ...] = ()


def reported_rows(name: str, field: OutputField, raw: object, said_none: str | None, view: SampleView) -> ReportedRows:
    """Return the rows of this report and of those before it. `said_none`: the words by which the page says that there
    are none. Rows that a page has shown are never dropped."""
    before = view.state.seen.get(name)
    saved = before.rows if before is not None else ()
    if (raw is None and said_none is None) or (raw == [] and saved):
        return ReportedRows(before or FieldValue(field=name, state="not_found"))
    if said_none is not None or raw == []:
        if saved:
            text = f"it was reported that there are none, and {len(saved)} rows were saved before"
            return ReportedRows(before or FieldValue(field=name, state="not_found"), (_against(name, text),))
        absent = rows_absent(name, said_none or "", view.page)
        return ReportedRows(absent, tuple(_against(name, text) for text in _against_none(field, said_none or "", view)))
    given, wrong = _as_cells(name, field, raw)
    if wrong:
        kept = before or FieldValue(field=name, state="not_found")
        return ReportedRows(kept, tuple(SampleProblem("invalid_values", text, name) for text in wrong))
    fresh, standing, finder, problems = _placed(name, field, given, view)
    kept = _of_report(saved, fresh, field)
    rows = merged_rows(kept, fresh, field.id_keys)
    lacking, left = (before.lacking if before is not None else ""), ""
    if any(standing) and finder is not None:
        there = [*standing, *finder.find([finder_cells(row) for row in kept], known=True)]
        here = {e.ref for one in there if one is not None for e in one.unit.elements}
        lacking = what_is_lacking(view, name, field, rows, here, finder.unreported(there, _refs_read(kept, view)))
        left = what_goes_on(view, name, field, rows, here)
    value = FieldValue(field=name, state="value", value=plain_rows(rows), rows=rows, lacking=lacking)
    value = _as_before(value, before)
    against = (*problems, *_disputes(name, saved, fresh, field))
    only_first = plain_note(f"the task asks for the first page of this list, which goes on: {left}", name)
    notes = (*_equal_rows(name, fresh, standing), *((only_first,) if left else ()))
    return ReportedRows(value, against, notes, tuple(fresh))


def rows_absent(name: str, said: str, page: PageObserved | None) -> FieldValue:
    """Return the field as one of which the page says that there are none. `said`: its words."""
    elements = page.elements if page is not None and said.strip() else ()
    element = next((one for one in elements if fold(said) in fold(text_of(one))), None)
    source = value_source(element, page) if element is not None and page is not None else None
    return FieldValue(field=name, state="not_present", shown=said, source=source)


def problems_of_rows(value: FieldValue, field: OutputField) -> list[SampleProblem]:
    """Return why a sample with these rows is not done, whatever page is shown now."""
    if value.state == "not_present" and not nullable(field.type):
        return [SampleProblem("invalid_values", "no rows are no value, and the task does not allow it", value.field)]
    reason: Reason = "uncertain_list" if value.state == "not_found" else "incomplete_list"
    lacking = [SampleProblem(reason, value.lacking, value.field)] if value.lacking else []
    return [*row_problems(value.field, field, value.rows), *_total_of_rows(value), *lacking]


def _total_of_rows(value: FieldValue) -> list[SampleProblem]:
    """Return that the last row may be the total of those above it."""
    cell = next((cell for row in value.rows[1:][-1:] for cell in row.cells if cell.shown), None)
    if cell is None or not says_total(cell.shown or ""):
        return []
    text = f"the last row says {quoted(cell.shown or '')}, and may be the total of those above it"
    return [SampleProblem("uncertain_list", text, value.field)]


def _against_none(field: OutputField, said: str, view: SampleView) -> list[str]:
    """Return what the page says against a report that there are no rows."""
    page = view.page
    if page is None:
        return []
    labels = [labels_of(name, column) for name, column in field.columns.items()]
    tables = [one for one in repeated_records(page.elements) if one.is_table]
    full = [one for one in tables if all(own & set(one.columns) for own in labels)]
    shown = not said.strip() or any(fold(said) in fold(text_of(element)) for element in page.elements)
    told = (
        [f"it was reported that there are none, and a table of these columns has {len(full[0].records)}"]
        if full
        else []
    )
    return told + ([] if shown else [f"{quoted(said)} is not shown by the page"])


# --- what was written


def _as_cells(name: str, field: OutputField, raw: object) -> tuple[list[Cells], list[str]]:
    """Return the cells of each reported row, and what is wrong with how they are written."""
    if not isinstance(raw, list | tuple):
        return [], ["rows are a list of objects, one for each row"]
    rows: list[Cells] = []
    wrong: list[str] = []
    for number, one in enumerate(cast("Sequence[object]", raw), 1):
        if not isinstance(one, Mapping):
            wrong.append(f"row {number} is no object from column to text")
            continue
        row = cast("Mapping[str, object]", one)
        unknown = [key for key in row if key not in field.columns]
        nested = [key for key, cell in row.items() if isinstance(cell, list | tuple | Mapping)]
        if unknown:
            wrong.append(f"row {number}: there is no column {quoted(unknown[0])}; there are {', '.join(field.columns)}")
        elif nested:
            wrong.append(f"row {number}, {nested[0]}: a cell is one text")
        else:
            rows.append({key: cell for key, cell in row.items() if as_shown(cell).strip()})
    if not rows and not wrong:
        wrong.append("no row was reported")
    return rows, wrong[:MOST_PROBLEMS]


def finder_cells(row: RowValue) -> Cells:
    """Return the cells of a row that is known, as they are looked for on another page."""
    return {cell.field: cell.shown for cell in row.cells if cell.state == "value" and cell.shown}


# --- where it stands


def _placed(
    name: str, field: OutputField, given: Sequence[Cells], view: SampleView
) -> tuple[list[RowValue], list[Standing | None], RowFinder | None, list[SampleProblem]]:
    """Return the reported rows with the place of each cell, and what the page says against them. On the page of another
    record nothing is looked for."""
    page = view.page
    finder = None
    standing: list[Standing | None] = [None] * len(given)
    if page is not None and not view.state.on_other_record:
        row = template_values(view.sample)
        asked = [fill_known(word, row) for word in words(field.under)]
        part = find_list(page, asked) or ()
        finder = RowFinder(page, part, field, date_hints(page))
        standing = finder.find(given)
    own = {element.ref: element for element in page.elements} if page is not None else {}
    problems: list[SampleProblem] = []
    fresh: list[RowValue] = []
    for number, (cells, there) in enumerate(zip(given, standing, strict=True), 1):
        made: list[CellValue] = []
        for column, of in field.columns.items():
            found = there.cells.get(column) if there is not None else None
            element = own.get(found.ref) if found is not None else None
            shown = there.others.get(column) if there is not None else None
            if column in cells:
                made.append(cell_value(column, of, cells[column], element, page))
            elif shown is not None or not nullable(of.type):
                made.append(CellValue(field=column, state="not_found"))
            else:
                none = there.says_none.get(column) if there is not None else None
                made.append(absent_cell(column, own.get(none.ref) if none is not None else None, page))
            if shown is not None and shown:
                said = quoted(as_shown(cells[column])) if column in cells else "nothing"
                text = f"row {number}, {column}: you reported {said}, and its row of the page shows {quoted(shown)}"
                problems.append(_against(name, text))
        fresh.append(RowValue(cells=tuple(made)))
    return fresh, standing, finder, problems[:MOST_PROBLEMS]


def _against(name: str, text: str) -> SampleProblem:
    return SampleProblem("contradicted_values", text, name)


# --- with what was saved before


def _refs_read(saved: Sequence[RowValue], view: SampleView) -> frozenset[int]:
    """Return the elements of the page that is shown from which rows were saved."""
    sources = [cell.source for row in saved for cell in row.cells if cell.source is not None]
    page = view.page
    return frozenset(one.ref for one in sources if page is not None and one.observation_sha256 == page.sha256)


def _of_report(saved: Sequence[RowValue], fresh: Sequence[RowValue], field: OutputField) -> list[RowValue]:
    """Return the saved rows that stay: those that a page has shown, and those that are reported again."""
    again = {row_key(row, field.id_keys) for row in fresh}
    return [row for row in saved if any(map(_has_source, row.cells)) or row_key(row, field.id_keys) in again]


def _has_source(cell: CellValue) -> bool:
    return cell.source is not None or bool(cell.candidates)


def _disputes(
    name: str, saved: Sequence[RowValue], fresh: Sequence[RowValue], field: OutputField
) -> list[SampleProblem]:
    """Return where a row is reported otherwise than an earlier page has shown it, and no page shows that."""
    known = {row_key(row, field.id_keys): row for row in saved}
    found: list[SampleProblem] = []
    for row in fresh:
        before = known.get(row_key(row, field.id_keys))
        for old, new in zip(before.cells if before is not None else (), row.cells, strict=before is not None):
            if old.source is not None and new.source is None and new.state == "value" and old.shown != new.shown:
                if old.value is not None and old.value == new.value:
                    continue
                said = f"{new.field}: you reported {quoted(new.shown or '')}"
                found.append(_against(name, f"{said}, and a page has shown {quoted(old.shown or '')} for that row"))
    return found[:MOST_PROBLEMS]


def _equal_rows(name: str, fresh: Sequence[RowValue], standing: Sequence[Standing | None]) -> tuple[Note, ...]:
    """Return a note where one page has equal rows, which count once: a reviewer may miss one."""
    units: dict[tuple[str, ...], set[int]] = {}
    for row, there in zip(fresh, standing, strict=True):
        if there is not None:
            units.setdefault(row_key(row, ()), set()).add(there.unit.elements[0].ref)
    twice = sum(len(refs) - 1 for refs in units.values())
    text = f"{twice} more rows of the page are equal to others in all columns, and count once"
    return (plain_note(text, name),) if twice else ()


def _as_before(value: FieldValue, before: FieldValue | None) -> FieldValue:
    """Return the earlier value where the report says nothing new."""
    same = before is not None and (before.rows, before.lacking) == (value.rows, value.lacking)
    return before if same and before is not None else value
