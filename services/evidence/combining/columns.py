"""Pure: which columns the table of a run has, in their order, each with its type and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from shared.statuses import STATUSES, population_order
from shared.task_spec import TYPE_EXPRESSION, base_type

Kind = Literal["text", "number", "whole", "decimal", "boolean", "date", "date-time", "array", "names", "notes"]
"""``whole``: an integer; ``array``: a list that a page shows; ``names`` and ``notes``: lists of our own."""
_KINDS: Mapping[str, Kind] = {
    "number": "number",
    "decimal": "decimal",
    "boolean": "boolean",
    "date": "date",
    "date-time": "date-time",
    "array": "array",
}


@dataclass(frozen=True)
class Column:
    """``field``: one that the task asks for, and not one that every table has."""

    name: str
    kind: Kind
    meaning: str
    field: bool = False


_STATUSES = sorted(STATUSES, key=population_order)
BEFORE = (
    Column("sample_id", "text", "name of the sample, and of its folder"),
    Column("row", "whole", "row of the input, from 1"),
    Column("status", "text", f"{', '.join(_STATUSES[:-1])} or {_STATUSES[-1]}"),
    Column("reason", "text", "why it is not done, as a stable code; empty for done"),
)
JUDGED = (
    Column("judgment", "text", "answer to the task's question"),
    Column("judgment_confidence", "number", "of the judgment, from 0 to 1"),
    Column("judgment_reasoning", "text", "why the judgment is as it is"),
)
"""Only where the task asks for a judgment; so are `JUDGED_AFTER`."""
AFTER = (
    Column("not_present", "names", "fields of which the page says that there is nothing"),
    Column("not_found", "names", "fields that were looked for and not found"),
    Column("flagged", "boolean", "there is a remark that a person should read"),
    Column("attempt", "whole", "which attempt at the sample this is, from 1"),
    Column("llm_calls", "whole", "calls of a language model"),
    Column("artifacts", "names", "screenshots and downloads in the sample's folder"),
    Column("message", "text", "what a person should know of how it ended"),
    Column("notes", "notes", "what a reviewer should know"),
    Column("fault", "text", "why it is not done: record (the sample itself), site, or us"),
    Column("inferred", "names", "fields that a model worked out or read from a picture: no page shows their words"),
    Column("wrong_type", "names", "fields whose value is not of the field's type; it stands in the table as text"),
    Column("decided_by", "text", "who decided: rules, operator, replay or the name of a model"),
    Column("cost_usd", "decimal", "price of the model calls, in US dollars"),
    Column("sample_key", "text", "what the input calls the sample"),
    Column("record_url", "text", "address of the page that the values were read from"),
    Column("started_at", "date-time", "start of the attempt, UTC"),
    Column("finished_at", "date-time", "end of the attempt, UTC"),
)
JUDGED_AFTER = (
    Column("judgment_evidence", "names", "files in the sample's folder that the judgment rests on"),
    Column("judgment_by", "text", "who judged"),
)


def columns_of(spec: Mapping[str, Any]) -> tuple[Column, ...]:
    """All columns of a run of this task. A run that is older than one of our columns may have a field of its name: the
    field has it then, and the column is left out."""
    judged = bool(spec.get("judgment_required"))
    fields = tuple(_field(name, written) for name, written in spec["output_schema"].items())
    taken = {column.name.lower() for column in fields}
    before = (*BEFORE, *fields, *(JUDGED if judged else ()))
    after = (*AFTER, *(JUDGED_AFTER if judged else ()))
    return (*before, *(column for column in after if column.name not in taken))


def _field(name: str, written: object) -> Column:
    long = cast("Mapping[str, Any]", written) if isinstance(written, Mapping) else {"type": written}
    expression = str(long.get("type"))
    known = TYPE_EXPRESSION.match(expression) is not None
    kind = _KINDS.get(base_type(expression), "text") if known else "text"
    return Column(name, kind, str(long.get("description") or ""), field=True)
