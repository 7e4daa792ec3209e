"""The views of the comparison with a register, and their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import UNSET

from services.evidence.sql.row_values import Row, text_of
from services.evidence.sql.view_types import RUN_COLUMNS, TEXT, TEXTS, VARIES, WHOLE, SqlView, column
from shared.evidence_format.files.reconciliation import (
    FIELD_VERDICTS,
    RECORD_VERDICTS,
    FieldDifference,
    ReconciledRecord,
)

_ONE_OF = ", ".join(f"`{verdict}` ({meaning})" for verdict, meaning in RECORD_VERDICTS.items())
_FIELD_ONE_OF = ", ".join(f"`{verdict}` ({meaning})" for verdict, meaning in FIELD_VERDICTS.items())

RECONCILIATION = SqlView(
    "reconciliation",
    "record of a run and of the register that it was compared with",
    (
        *RUN_COLUMNS,
        column("verdict", TEXT, f"One of {_ONE_OF}."),
        column("key", TEXT, "Its key: of the sample; of a record that is missing here, of the register."),
        column("key_there", TEXT, "The key of the register, where it is written in another form; else NULL."),
        column(
            "near", TEXT, "A key without a partner on the other side that differs only in form; NULL: there is none."
        ),
        column("sample_id", TEXT, "The sample; NULL if there is none, or more than one."),
        column("sample_ids", TEXTS, "All samples with this key."),
        column("row", WHOLE, "The row of the register, from 1; NULL if there is none, or more than one."),
        column("rows", "INTEGER[]", "All rows of the register with this key."),
        column("status", TEXT, "How the sample ended."),
        *(
            column(f"fields_{verdict}", WHOLE, f"Fields of the verdict `{verdict}` of `differences`.")
            for verdict in FIELD_VERDICTS
        ),
    ),
    "Each sample and each row of the register is in exactly one of them. There are no rows for a run that was compared "
    "with nothing, or is not finished. [reconciling.md](reconciling.md) says how records are compared.",
)

DIFFERENCES = SqlView(
    "differences",
    "field that is not the same in a sample and in its row of the register",
    (
        *RUN_COLUMNS,
        column("sample_id", TEXT, "The sample."),
        column("key", TEXT, "Its key."),
        column("row", WHOLE, "The row of the register, from 1."),
        column("field", TEXT, "Name of the field."),
        column("verdict", TEXT, f"One of {_FIELD_ONE_OF}."),
        column("value_here", TEXT, "The value of the run as text; NULL where there is none."),
        column("shown_here", TEXT, "Its text on the page, before normalisation."),
        column("text_there", TEXT, "The cell of the register as it is written; NULL if it is empty."),
        column(
            "value_there", VARIES, "What the cell was read as, in the type of the field; NULL if it has no such value."
        ),
        column("why", TEXT, "Why it could not be compared, in words."),
    ),
)


def reconciliation_rows(
    run_id: str, task_id: str | None, records: Iterable[ReconciledRecord]
) -> Iterator[tuple[str, Row]]:
    """Yield every row of a comparison with the name of its table."""
    ids = {"run_id": run_id, "task_id": task_id}
    for record in records:
        yield RECONCILIATION.name, {**ids, **_record(record)}
        yield from ((DIFFERENCES.name, {**ids, **_difference(record, one)}) for one in record.fields)


def _record(record: ReconciledRecord) -> Row:
    fields = Counter(str(one.verdict) for one in record.fields)
    return {
        "verdict": record.verdict,
        "key": record.key or None,
        "key_there": record.key_there or None,
        "near": record.near or None,
        "sample_id": _only(record.samples),
        "sample_ids": record.samples,
        "row": _only(record.rows),
        "rows": record.rows,
        "status": record.status or None,
        **{f"fields_{verdict}": fields[verdict] for verdict in FIELD_VERDICTS},
    }


def _only(found: tuple[str, ...] | tuple[int, ...]) -> str | int | None:
    return found[0] if len(found) == 1 else None


def _difference(record: ReconciledRecord, one: FieldDifference) -> Row:
    return {
        "sample_id": _only(record.samples),
        "key": record.key,
        "row": _only(record.rows),
        "field": one.field,
        "verdict": one.verdict,
        "value_here": text_of(one.here),
        "shown_here": one.shown,
        "text_there": one.there or None,
        "value_there": None if one.read_there is UNSET else one.read_there,
        "why": one.why or None,
    }
