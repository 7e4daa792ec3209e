"""Pages with a table of line items, and a task that asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.planner.judge.field_values import values_to_save
from services.planner.judge.gates import Ending, judge_done
from services.planner.state.attempt_state import AttemptState
from services.planner.state.transitions import with_readings
from shared.contracts.actions import Done, SaveProgress
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import FieldValue, Note
from tests.unit.planner.planner_pages import cell, el, heading, page, spec, view

HEADS = ("SKU", "Qty", "Amount")
NAMES = ("sku", "qty", "amount")
COLUMNS = {"sku": "string", "qty": "number", "amount": "decimal"}
Rows = Sequence[Sequence[str]]


def rows_spec(columns: dict[str, Any] | None = None, **field: Any) -> Any:
    asked = {"type": "rows", "columns": columns or COLUMNS, **field}
    fields = {"ticket_number": "string", "lines": asked}
    return spec(output_schema=fields, required_fields=["lines"], required_artifacts=[])


KEYED = rows_spec(id_keys=["sku"])
UNKEYED = rows_spec()


def table(rows: Rows, heads: Sequence[str] = HEADS) -> tuple[Element, ...]:
    head = [el("columnheader", name, tag="th", row=1, column=at) for at, name in enumerate(heads)]
    cells = [cell(heads[at], text, number, at) for number, each in enumerate(rows, 2) for at, text in enumerate(each)]
    return (*head, *cells)


def shows(rows: Rows, *behind: Element, heads: Sequence[str] = HEADS, **changes: Any) -> PageObserved:
    return page(heading("TCK-1001"), heading("Line items", 2), *table(rows, heads), *behind, **changes)


def objects(rows: Rows, names: Sequence[str] = NAMES) -> list[dict[str, Any]]:
    return [dict(zip(names, each, strict=True)) for each in rows]


def save(
    rows: Any, seen: PageObserved, state: AttemptState | None = None, task: Any = KEYED
) -> tuple[AttemptState, frozenset[str], tuple[Note, ...]]:
    state = state or AttemptState(proven=True)
    told, notes, unconfirmed = values_to_save(view(seen, state, spec=task), SaveProgress(values={"lines": rows}))
    state = with_readings(state, told)
    return (
        AttemptState(proven=True, seen=state.seen, unconfirmed=unconfirmed, history=state.history),
        unconfirmed,
        notes,
    )


def ended(rows: Any, seen: PageObserved, state: AttemptState, task: Any = KEYED) -> Any:
    values = {"ticket_number": "TCK-1001", **({} if rows is None else {"lines": rows})}
    return judge_done(view(seen, state, spec=task), Done(values=values, refs={"ticket_number": 1}))[0]


def lines(ending: Any) -> FieldValue:
    assert isinstance(ending, Ending), ending
    return next(one for one in ending.values if one.field == "lines")
