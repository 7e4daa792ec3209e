"""Fields of rows, read without a model: the list of the page whose columns are those of the field.

The reader of lists reads it. What it reads is then checked like a report: each cell in its row and column, and whether
these are all rows. A page that leaves open which list is meant gives none, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from msgspec.structs import replace as replace_part

from services.planner.deciders.listing.list_reader import read_list
from services.planner.judge.rows.reported import problems_of_rows, reported_rows, rows_absent
from services.planner.page.fields import labels_of
from services.planner.page.list_signs.list_states import empty_words
from services.planner.page.lists import column_headers
from services.planner.page.paging import without_pagers
from services.planner.page.record.scope import find_list
from services.planner.page.text import is_heading
from services.planner.state.attempt_state import SampleView
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import FieldValue
from shared.field_types import is_rows, nullable
from shared.task.listing import ListChoice
from shared.task.output_field import OutputField
from shared.task.route import words
from shared.task.row_values import fill_known, template_values
from shared.task.spec import TaskSpec
from shared.text.normal import label_form, quoted


def row_readings(view: SampleView, page: PageObserved) -> tuple[FieldValue, ...]:
    """Return a reading of each field of rows."""
    fields = {name: field for name, field in view.spec.output_schema.items() if is_rows(field.type)}
    return tuple(_reading(name, field, view, page) for name, field in fields.items())


def _reading(name: str, field: OutputField, view: SampleView, page: PageObserved) -> FieldValue:
    row = template_values(view.sample)
    under = [fill_known(word, row) for word in words(field.under)]
    part = find_list(page, under) or ()
    read = read_list(_as_list(view.spec, field, under), without_pagers(page), of_record=True)
    # Each look at the page is read anew: rows of a page that was drawn again are no rows of another page.
    seen = {other: value for other, value in view.state.seen.items() if other != name}
    alone = replace(view, page=page, state=replace(view.state, seen=seen, on_other_record=False))
    if read.doubt:
        return _none_read(name, read.doubt if _has_such_columns(field, page) or under else "")
    said = _is_no_row(read.texts[0], page) if len(read.texts) == 1 else ""
    if not read.texts or said:
        said = said or _says_none(field, page, part)
        if said and nullable(field.type):
            return rows_absent(name, said, page)
        return _none_read(name, f"the page says {quoted(said)}" if said else "")
    told = reported_rows(name, field, [dict(texts) for texts in read.texts], None, alone)
    doubts = [problem.text for problem in (*told.problems, *problems_of_rows(told.value, field))]
    if told.problems or told.value.state != "value" or doubts != [told.value.lacking] * bool(told.value.lacking):
        return _none_read(name, doubts[0] if doubts else "")
    return told.value


def _none_read(name: str, why: str) -> FieldValue:
    return FieldValue(field=name, state="not_found", lacking=why)


def _as_list(spec: TaskSpec, field: OutputField, under: list[str]) -> TaskSpec:
    """Return the rows as the list of a task that asks for each of their columns."""
    asked = {"output_schema": dict(field.columns), "required_fields": list(field.columns)}
    return spec.model_copy(update={**asked, "list_": ListChoice(under=under or None)})


def _has_such_columns(field: OutputField, page: PageObserved) -> bool:
    """Return whether a table of the page has a column of the field. Another table says nothing of it."""
    return bool(_labels(field) & {label_form(one.name) for one in column_headers(page.elements)})


def _labels(field: OutputField) -> frozenset[str]:
    return frozenset(label for name, column in field.columns.items() for label in labels_of(name, column))


def _says_none(field: OutputField, page: PageObserved, part: Sequence[Element]) -> str:
    """Return the words by which the page says that a table with all columns of the field has no rows; empty if it does
    not say so below the head of the table and above the next heading."""
    heads = [one for one in column_headers(part) if label_form(one.name) in _labels(field)]
    named = {label_form(one.name) for one in heads}
    if not heads or not all(labels_of(name, column) & named for name, column in field.columns.items()):
        return ""
    behind = [element for element in part if element.ref > heads[-1].ref]
    own = tuple(takewhile(lambda element: not is_heading(element), behind))
    return empty_words(replace_part(page, elements=own))


def _is_no_row(texts: Mapping[str, str], page: PageObserved) -> str:
    """Return the words by which the only row of a list says that there is none; empty: it is a row."""
    said = [element for element in page.elements if element.name and element.name in texts.values()]
    return empty_words(replace_part(page, elements=tuple(said))) if len(texts) == 1 else ""
