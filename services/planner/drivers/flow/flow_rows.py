"""Rows that a flow reads by what it has learned: each cell is looked for on the page like that of a report, and the
reader that goes by the labels of the columns must not read others. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from msgspec.structs import replace as replace_part

from services.planner.drivers.rules import row_pages
from services.planner.drivers.rules.row_fields import RowsRead, read_rows, read_told_rows
from services.planner.judge.rows.merging import row_key
from services.planner.judge.rows.reported import problems_of_rows, reported_rows
from services.planner.state.attempt_state import Act, ObserveAgain, SampleView
from shared.contracts.browser_pool import PageObserved
from shared.contracts.planner import BY_FLOW
from shared.contracts.steps import FieldValue, Note, RowValue, plain_note
from shared.contracts.workflows.flows import FlowAnswer, ReadList
from shared.field_types import is_rows
from shared.flows.reading import flow_error
from shared.pages.identity.identity import read_page
from shared.recordings.recording import row_texts
from shared.task.typed_values import as_shown
from shared.text.normal import fold

DIFFERS = "what the flow has learned and the labels of the columns give different rows"
NOTHING = "no rows are found, and the page does not say that there are none"


@dataclass(frozen=True)
class RowsAnswered:
    """The answer to a call that reads rows, with the field's value where they are rows of the task. ``first``: what
    brings more of them, or another look, before that is the answer."""

    answer: FlowAnswer
    seen: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()
    first: Act | ObserveAgain | None = None


def answer_rows(call: ReadList, learned: FlowAnswer, view: SampleView, page: PageObserved) -> RowsAnswered:
    """Return the rows of a field of the task. ``learned``: what the rules of the flow say of this page.

    Rows count that both ways read, or those of one way where the other finds none; of different rows none counts. They
    go on over their pages by the pager that stands at them, as without a flow. That there may be more is no error: it
    stays with the value, and a sample with such a value is not done."""
    name, field = call.name, view.spec.output_schema.get(call.name)
    if field is None or not is_rows(field.type) or learned.error is not None:
        return RowsAnswered(learned)
    read = read_rows(view, page)[name]
    labelled = read.value
    if row_pages.has_begun(view):
        proof = read_page(view.spec, view.sample, page).proof
        if proof.state == "mismatch":
            return RowsAnswered(_uncertain(page, name, f"what leads on from them has come to {proof.wrong}"))
        if learned.value and not read.last and not read.doubt:
            read = read_told_rows(name, field, learned.value, view, page)
            return _going_on(read, read.value, view, page, read.notes)
        own = [row_texts(row) for row in labelled.rows if _page_of(row) == page.sha256]
        if learned.value and any(not any(_has_texts(row, one) for row in learned.value) for one in own):
            return RowsAnswered(_uncertain(page, name, DIFFERS))
        return _going_on(read, labelled, view, page)
    if not learned.value:
        if labelled.state == "not_found":
            return RowsAnswered(_uncertain(page, name, labelled.lacking or NOTHING))
        note = plain_note("what the flow has learned of its rows finds none; the labels of its columns do", name)
        told = _going_on(read, labelled, view, page)
        return replace(told, notes=(*told.notes, *((note,) if labelled.rows else ())))
    told = reported_rows(name, field, learned.value, None, view)
    wrong = [*told.problems, *(one for one in problems_of_rows(told.value, field) if one.text != told.value.lacking)]
    if wrong:
        return RowsAnswered(_uncertain(page, name, "; ".join(one.text for one in wrong)))
    if labelled.state == "not_present" or not _same_rows(labelled, told.value):
        return RowsAnswered(_uncertain(page, name, DIFFERS))
    if labelled.state == "not_found":
        read = read_told_rows(name, field, learned.value, view, page)
    return _going_on(read, told.value, view, page, told.notes)


def _going_on(
    read: RowsRead, value: FieldValue, view: SampleView, page: PageObserved, notes: tuple[Note, ...] = ()
) -> RowsAnswered:
    """Return the answer with these rows, and what brings more of them where there may be some."""
    answer = FlowAnswer(value=[row_texts(row) for row in value.rows])
    more = read.value.state == "value" and bool(value.lacking)
    first = row_pages.next_action(view, page, {value.field: read}, ()) if more else None
    return RowsAnswered(answer, (replace_part(value, read_by=BY_FLOW),), notes, first)


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
