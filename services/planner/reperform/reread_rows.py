"""Fields of rows in a re-performance: each cell is a value of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shared.contracts.reperform import ValueReperformed
from shared.contracts.steps import FieldValue
from shared.evidence_format.cells import plain_rows, with_cells
from shared.task.output_field import OutputField


def values_to_extract(
    values: Iterable[FieldValue], schema: Mapping[str, OutputField]
) -> list[tuple[FieldValue, OutputField]]:
    """Return the values with what the task says of them; of a field of rows its cells instead, as `lines[2].amount`."""
    found: list[tuple[FieldValue, OutputField]] = []
    for value in values:
        field = schema.get(value.field)
        if field is None:
            continue
        if not value.rows:
            found.append((value, field))
            continue
        columns = [cell.field for row in value.rows for cell in row.cells]
        cells = zip(with_cells(value)[1:], columns, strict=True)
        found += [(cell, field.columns[column]) for cell, column in cells if column in field.columns]
    return found


def row_verdicts(values: Iterable[FieldValue]) -> list[ValueReperformed]:
    """Return a verdict for each field whose rows, as tables have them, are not those of its cells."""
    words = "the rows of the result are not those of its cells"
    return [
        ValueReperformed(
            field=value.field, verdict="differs", state=value.state, recorded_value=value.value,
            found_value=plain_rows(value.rows), message=words,
        )
        for value in values
        if value.rows and plain_rows(value.rows) != value.value
    ]  # fmt: skip
