"""The columns of the combined table, in order: name, type, meaning, and how the cell of a sample is selected.

A column that every table has is one entry here. The tables, the check of a table against the results, and the names
that no output field may have follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

import msgspec

from shared.contracts.steps import note_text
from shared.evidence_format.facts import FOR_PEOPLE, ResultFacts, TaskFacts, TaskField
from shared.statuses import STATUSES, population_order

Kind = Literal["text", "number", "whole", "decimal", "boolean", "date", "date-time", "array", "rows", "names", "notes"]
"""``whole``: an integer; ``array``: a list that a page shows; ``rows``: a list of objects, from column to value;
``names`` and ``notes``: lists that we make."""
_KINDS: Mapping[str, Kind] = {
    "number": "number",
    "decimal": "decimal",
    "boolean": "boolean",
    "date": "date",
    "date-time": "date-time",
    "array": "array",
    "rows": "rows",
}


@dataclass(frozen=True)
class TableColumn:
    """``cell`` selects the value of a sample. It is None for an output field of the task. ``own_name``: what other
    tables call it, where it has another name because a field of the task has that one."""

    name: str
    kind: Kind
    meaning: str
    cell: Callable[[ResultFacts], Any] | None = field(default=None, compare=False)
    field: bool = False
    own_name: str = ""
    columns: tuple[TableColumn, ...] = ()
    """Of rows: what each of them has."""

    @property
    def common_name(self) -> str:
        """The name by which programs know a column of every table; empty for a field."""
        return "" if self.field else self.own_name or self.name

    def value(self, facts: ResultFacts) -> Any:
        return facts.value(self.name) if self.cell is None else self.cell(facts)


def _listed(names: Sequence[str]) -> list[str] | None:
    return list(names) or None


def _as_json(values: Mapping[str, str]) -> str | None:
    return msgspec.json.encode(values, order="sorted").decode() if values else None


def _moment(at: datetime | None) -> str | None:
    return None if at is None else msgspec.to_builtins(at)


def _dollars(facts: ResultFacts) -> str | None:
    """Return the price in US dollars as a decimal, to a millionth."""
    return None if facts.usage is None else f"{facts.usage.cost_usd:.6f}".rstrip("0").rstrip(".")


def _judged(name: str) -> Callable[[ResultFacts], Any]:
    return lambda facts: getattr(facts.judgment, name) if facts.judgment is not None else None


_STATUSES = sorted(STATUSES, key=population_order)
BEFORE = (
    TableColumn("sample_id", "text", "name of the sample, and of its folder", lambda facts: facts.sample_id),
    TableColumn("row", "whole", "row of the input, from 1", lambda facts: facts.row),
    TableColumn("status", "text", f"{', '.join(_STATUSES[:-1])} or {_STATUSES[-1]}", lambda facts: facts.status),
    TableColumn(
        "reason",
        "text",
        "why it is not done, as a stable code; empty for done",
        lambda facts: facts.reason or None,
    ),
)
JUDGED = (
    TableColumn("judgment", "text", "answer to the task's question", _judged("answer")),
    TableColumn("judgment_confidence", "number", "of the judgment, from 0 to 1", _judged("confidence")),
    TableColumn("judgment_reasoning", "text", "why the judgment is as it is", _judged("reasoning")),
)
"""In the table only if the task asks for a judgment; so are `JUDGED_AFTER`."""
WRONG_TYPE = "wrong_type"
AFTER = (
    TableColumn(
        "not_present",
        "names",
        "fields of which the page says that there is nothing",
        lambda facts: _listed(facts.named("not_present")),
    ),
    TableColumn(
        "not_found",
        "names",
        "fields that were looked for and not found",
        lambda facts: _listed(facts.named("not_found")),
    ),
    TableColumn("flagged", "boolean", "there is a remark that a person should read", lambda facts: facts.flagged),
    TableColumn("attempt", "whole", "which attempt at the sample this is, from 1", lambda facts: facts.attempt),
    TableColumn("llm_calls", "whole", "calls of a language model", lambda facts: facts.llm_calls),
    TableColumn(
        "artifacts",
        "names",
        "screenshots and downloads in the sample's folder",
        lambda facts: _listed(facts.files(FOR_PEOPLE)),
    ),
    TableColumn("message", "text", "what a person should know of how it ended", lambda facts: facts.message or None),
    TableColumn("notes", "notes", "what a reviewer should know", lambda facts: _listed([*map(note_text, facts.notes)])),
    TableColumn(
        "fault",
        "text",
        "why it is not done: record (the sample itself), site, or us",
        lambda facts: facts.fault or None,
    ),
    TableColumn(
        "inferred",
        "names",
        "fields that a model worked out or read from a picture, or a person gave: no page shows their words",
        lambda facts: _listed(facts.inferred),
    ),
    TableColumn(
        "from_api",
        "names",
        "fields that the API of the task gave: its stored response shows them, and no page",
        lambda facts: _listed(facts.from_api),
    ),
    TableColumn(
        WRONG_TYPE,
        "names",
        "fields whose value is not of the field's type; it stands in the table as text",
        lambda _: None,  # it follows from the cells of the other columns: see `RowMaker`
    ),
    TableColumn(
        "decided_by",
        "text",
        "who decided: rules, operator, replay, api, the name of a model, or person:NAME who settled it",
        lambda facts: facts.decided_by or None,
    ),
    TableColumn("cost_usd", "decimal", "price of the model calls, in US dollars", _dollars),
    TableColumn("sample_key", "text", "what the input calls the sample", lambda facts: facts.key),
    TableColumn(
        "record_url", "text", "address of the page that the values were read from", lambda facts: facts.record_url
    ),
    TableColumn("started_at", "date-time", "start of the attempt, UTC", lambda facts: _moment(facts.started_at)),
    TableColumn("finished_at", "date-time", "end of the attempt, UTC", lambda facts: _moment(facts.finished_at)),
)
JUDGED_AFTER = (
    TableColumn(
        "judgment_evidence",
        "names",
        "files in the sample's folder that the judgment rests on",
        lambda facts: _listed(facts.judgment.evidence_refs) if facts.judgment is not None else None,
    ),
    TableColumn(
        "judgment_by",
        "text",
        "who judged",
        lambda facts: (facts.judgment.decided_by or None) if facts.judgment is not None else None,
    ),
)

REVIEWED = (
    TableColumn(
        "decision",
        "text",
        "what people have decided of it: accept, correct, reject or not_applicable",
        lambda facts: (facts.review.decision or None) if facts.review is not None else None,
    ),
    TableColumn(
        "reviewed_value",
        "text",
        "the corrected values by field, as JSON; what the run has read stands in the field",
        lambda facts: _as_json(facts.review.corrected) if facts.review is not None else None,
    ),
    TableColumn(
        "reviewed_by",
        "names",
        "who decided so",
        lambda facts: _listed(facts.review.people) if facts.review is not None else None,
    ),
    TableColumn(
        "signed_off_at",
        "date-time",
        "when the review was signed off, UTC; empty where the sample has changed since",
        lambda facts: _moment(facts.signed_off_at),
    ),
)
"""In the table only if the review of the run is signed off."""

OWN_COLUMNS = frozenset(column.name for column in (*BEFORE, *JUDGED, *AFTER, *JUDGED_AFTER, *REVIEWED))
"""Names of all common columns."""
RESERVED_COLUMNS = frozenset({"sample_id"})
"""No output field may have one of these names: rows are found by them."""
PREFIX = "sample_"
"""Begins the name of a common column where a field of the task has its name: `sample_status` beside the field
`status`."""


def columns_of(task: TaskFacts) -> tuple[TableColumn, ...]:
    """Return all columns for a task. A field keeps its name; a common column of that name is renamed."""
    fields = tuple(map(_field_column, task.fields))
    taken = {column.name.lower() for column in fields}
    before = (*BEFORE, *fields, *(JUDGED if task.judged else ()))
    after = (*AFTER, *(JUDGED_AFTER if task.judged else ()), *(REVIEWED if task.reviewed else ()))
    return tuple(column if column.field else _renamed(column, taken) for column in (*before, *after))


def _renamed(column: TableColumn, taken: set[str]) -> TableColumn:
    name = column.name
    while name in taken or (name != column.name and name in OWN_COLUMNS):
        name = f"{PREFIX}{name}"
    return column if name == column.name else replace(column, name=name, own_name=column.name)


def _field_column(field_: TaskField) -> TableColumn:
    kind = _KINDS.get(field_.base_type, "text")
    parts = tuple(map(_field_column, field_.columns))
    return TableColumn(field_.name, kind, field_.description, field=True, columns=parts)
