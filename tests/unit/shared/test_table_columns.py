from __future__ import annotations

import pytest

from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.table.columns import AFTER, BEFORE, JUDGED, JUDGED_AFTER, OWN_COLUMNS, columns_of
from shared.task.spec import check_spec


def test_the_names_no_field_can_bear_are_the_columns_every_table_has():
    assert {column.name for column in (*BEFORE, *AFTER, *JUDGED, *JUDGED_AFTER)} == OWN_COLUMNS
    judged = TaskFacts.of({"output_schema": {}, "judgment_required": True})
    assert {column.name for column in columns_of(judged)} == OWN_COLUMNS


@pytest.mark.parametrize("name", sorted(OWN_COLUMNS))
def test_a_task_cannot_have_a_field_of_such_a_name(name: str):
    spec = {"task_id": "t", "goal": "g", "start_url": "http://x", "sample_id": "{a}", "output_schema": {name: "string"}}
    _, problems = check_spec(spec)
    assert any("the table has a column of this name already" in problem.message for problem in problems)
