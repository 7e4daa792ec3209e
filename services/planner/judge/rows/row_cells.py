"""One cell of a row: its typed value with its place on the page, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.judge.reported_values import shown_text
from services.planner.state.attempt_state import SampleProblem
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import CellValue, RowValue
from shared.field_types import nullable
from shared.pages.elements import cut_chars_in
from shared.pages.read.fields import told_open, value_source
from shared.task.output_field import OutputField
from shared.task.typed_values import as_shown, find_shown_problem, is_not_present, recorded_hints, typed_value
from shared.text.normal import Invalid, quoted
from shared.text.record_words import is_pending

MOST_PROBLEMS = 5


def cell_value(
    name: str, column: OutputField, raw: object, element: Element | None, page: PageObserved | None
) -> CellValue:
    """Return the cell with this text, as a value of its column. `element`: what shows it; None: nothing does."""
    shown = shown_text(raw, column, element)
    if shown.strip() and is_pending(shown):
        element = None  # it stands there until the value comes
    source = value_source(element, page, shown, column) if element is not None and page is not None else None
    cut_chars = cut_chars_in(shown, [element]) if element is not None else 0
    if not shown.strip() or is_not_present(shown, column):
        return CellValue(field=name, state="not_present", shown=shown, source=source, cut_chars=cut_chars)
    title, order = (source.title, recorded_hints(source)) if source is not None else (None, None)
    normal = typed_value(column, raw, title=title, order=order)
    wrong = isinstance(normal, Invalid) or find_shown_problem(column, shown)
    typed = None if wrong or isinstance(normal, Invalid) else normal.value
    return CellValue(field=name, state="value", value=typed, shown=shown, source=source, cut_chars=cut_chars)


def absent_cell(name: str, element: Element | None, page: PageObserved | None) -> CellValue:
    """Return the cell of a column in which the row has nothing. `element`: what shows that."""
    source = value_source(element, page) if element is not None and page is not None else None
    return CellValue(field=name, state="not_present", shown="", source=source)


def row_problems(name: str, field: OutputField, rows: tuple[RowValue, ...]) -> list[SampleProblem]:
    """Return what is wrong with rows, whatever page is shown now: no row of a sample that is done has such a cell."""
    found = [
        SampleProblem(problem.reason, f"row {number}, {problem.text}", name)
        for number, row in enumerate(rows, 1)
        for cell in row.cells
        for problem in _cell_problems(cell, field)
    ]
    more = len(found) - MOST_PROBLEMS
    extra = [SampleProblem(found[0].reason, f"and {more} more problems of this kind", name)] if more > 0 else []
    return [*found[:MOST_PROBLEMS], *extra]


def _cell_problems(cell: CellValue, field: OutputField) -> Iterator[SampleProblem]:
    column, name = field.columns.get(cell.field), cell.field
    if column is None:
        yield SampleProblem("invalid_values", f"{name}: the task has no such column")
    elif cell.candidates:
        texts = told_open([one.shown for one in cell.candidates])
        yield SampleProblem("ambiguous_value", f"{name}: pages say different things of one row: {texts}")
    elif cell.state == "not_found":
        yield SampleProblem("missing_fields", f"{name}: it is missing")
    elif cell.state == "not_present":
        if not nullable(column.type):
            said = quoted(cell.shown) if cell.shown else "nothing"
            yield SampleProblem("invalid_values", f"{name}: {said} is no value, and the task does not allow it")
        elif name in field.id_keys:
            yield SampleProblem("invalid_values", f"{name}: it tells rows apart, and has no value")
    elif cell.value is None:
        yield SampleProblem("invalid_values", f"{name}: {_type_problem(cell, column)}")
    elif cell.source is None:
        text = f"{name}: {quoted(as_shown(cell.shown))} is not shown by the page in one row with the others"
        yield SampleProblem("unconfirmed_values", text)


def _type_problem(cell: CellValue, column: OutputField) -> str:
    wrong = find_shown_problem(column, cell.shown or "")
    normal = typed_value(column, cell.shown)
    return wrong or (normal.message if isinstance(normal, Invalid) else f"{quoted(cell.shown or '')} leaves it open")
