"""Fields of rows in a re-performance."""

from __future__ import annotations

from msgspec.structs import replace

from services.planner.drivers.rules.row_fields import read_rows
from services.planner.reperform.reread_rows import row_verdicts, values_to_extract
from services.planner.state.attempt_state import AttemptState
from tests.unit.planner.planner_pages import view
from tests.unit.planner.rows_pages import KEYED, shows

SEEN = shows([("A-1", "2", "20.00"), ("B-2", "1", "4.50")])
LINES = read_rows(view(SEEN, AttemptState(proven=True), spec=KEYED), SEEN)["lines"].value


def test_each_cell_is_extracted_as_a_value_of_its_column():
    asked = values_to_extract([LINES], KEYED.output_schema)
    assert [(value.field, value.value, field.type) for value, field in asked] == [
        ("lines[1].sku", "A-1", "string"),
        ("lines[1].qty", 2, "number"),
        ("lines[1].amount", "20.00", "decimal"),
        ("lines[2].sku", "B-2", "string"),
        ("lines[2].qty", 1, "number"),
        ("lines[2].amount", "4.50", "decimal"),
    ]
    assert all(value.source is not None for value, _ in asked)


def test_rows_that_were_changed_without_their_cells_differ():
    assert row_verdicts([LINES]) == []
    changed = replace(LINES, value=[LINES.value[0], {**LINES.value[1], "amount": "9.99"}])
    (verdict,) = row_verdicts([changed])
    assert (verdict.field, verdict.verdict, verdict.found_value) == ("lines", "differs", LINES.value)
    assert row_verdicts([replace(LINES, value=LINES.value[:1])])
