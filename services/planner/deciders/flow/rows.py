"""Rows that a flow reads by what it has learned: each cell is looked for on the page like that of a report, and the
reader that goes by the labels of the columns must not read others. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from msgspec.structs import replace as replace_part

from services.planner.deciders.rules.row_fields import row_readings
from services.planner.judge.rows.merging import row_key
from services.planner.judge.rows.reported import problems_of_rows, reported_rows
from services.planner.state.attempt_state import SampleView
from shared.contracts.browser_pool import PageObserved
from shared.contracts.planner import BY_FLOW
from shared.contracts.steps import FieldValue, Note, RowValue, plain_note
from shared.contracts.workflows.flows import FlowAnswer, ReadList
from shared.field_types import is_rows
from shared.flows.compiling.recording import row_texts
from shared.flows.reading import flow_error
from shared.task.typed_values import as_shown
from shared.text.normal import fold

DIFFERS = "what the flow has learned and the labels of the columns give different rows"
NOTHING = "no rows are found, and the page does not say that there are none"


@dataclass(frozen=True)
class RowsRead:
    """The answer to a call that reads rows, with the field's value where they are rows of the task."""

    answer: FlowAnswer
    seen: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()


def read_rows(call: ReadList, learned: FlowAnswer, view: SampleView, page: PageObserved) -> RowsRead:
    """Return the rows of a field of the task. ``learned``: what the rules of the flow say of this page.

    Rows count that both ways read, or those of one way where the other finds none; of different rows none counts. That
    rows go on elsewhere is no error: it stays with the value, and a sample with such a value is not done."""
    field = view.spec.output_schema.get(call.name)
    if field is None or not is_rows(field.type) or learned.error is not None:
        return RowsRead(learned)
    labelled = next(one for one in row_readings(view, page) if one.field == call.name)
    if not learned.value:
        if labelled.state == "not_found":
            return RowsRead(_uncertain(page, call.name, labelled.lacking or NOTHING))
        note = plain_note("what the flow has learned of its rows finds none; the labels of its columns do", call.name)
        return _answered(labelled, (note,) if labelled.rows else ())
    told = reported_rows(call.name, field, learned.value, None, view)
    wrong = [*told.problems, *(one for one in problems_of_rows(told.value, field) if one.text != told.value.lacking)]
    if wrong:
        return RowsRead(_uncertain(page, call.name, "; ".join(one.text for one in wrong)))
    if labelled.state == "not_present" or not _same_rows(labelled, told.value):
        return RowsRead(_uncertain(page, call.name, DIFFERS))
    return _answered(told.value, told.notes)


def is_as_read(value: object, before: FieldValue) -> bool:
    """Return whether a flow has returned the rows as they were read."""
    if before.state != "value":
        return value is None or value == []
    if not isinstance(value, list):
        return False
    given = cast("list[object]", value)
    then = [row_texts(row) for row in before.rows]
    return len(given) == len(then) and all(map(_has_texts, given, then))


def _has_texts(row: object, texts: Mapping[str, str | None]) -> bool:
    if not isinstance(row, dict):
        return False
    cells = cast("dict[str, object]", row)
    return cells.keys() == texts.keys() and all(
        fold(as_shown(cells[name] or "")) == fold(text or "") for name, text in texts.items()
    )


def _answered(value: FieldValue, notes: tuple[Note, ...]) -> RowsRead:
    answer = FlowAnswer(value=[row_texts(row) for row in value.rows])
    return RowsRead(answer, (replace_part(value, read_by=BY_FLOW),), notes)


def _same_rows(labelled: FieldValue, told: FieldValue) -> bool:
    """Return whether the labels tell the same rows, or none. Rows of earlier pages are in both."""
    if labelled.state != "value":
        return True
    here = {_page_of(row) for row in labelled.rows}
    own = {row_key(row, ()) for row in told.rows if _page_of(row) in here}
    return own == {row_key(row, ()) for row in labelled.rows}


def _page_of(row: RowValue) -> str:
    return next((cell.source.observation_sha256 for cell in row.cells if cell.source is not None), "")


def _uncertain(page: PageObserved, name: str, why: str) -> FlowAnswer:
    return flow_error("value_uncertain", f"{page.url} does not say for certain which rows {name} has: {why}")
