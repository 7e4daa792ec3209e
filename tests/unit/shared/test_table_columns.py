from __future__ import annotations

from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.table.columns import (
    AFTER,
    BEFORE,
    JUDGED,
    JUDGED_AFTER,
    OWN_COLUMNS,
    RESERVED_COLUMNS,
    REVIEWED,
    columns_of,
)
from shared.task.spec import check_spec
from tests.cases import cases


def test_the_names_no_field_can_bear_are_the_columns_every_table_has():
    assert {column.name for column in (*BEFORE, *AFTER, *JUDGED, *JUDGED_AFTER, *REVIEWED)} == OWN_COLUMNS
    judged = TaskFacts.of({"output_schema": {}, "judgment_required": True}, reviewed=True)
    assert {column.name for column in columns_of(judged)} == OWN_COLUMNS


@cases("name", sorted(OWN_COLUMNS - RESERVED_COLUMNS))
def test_a_field_keeps_its_name_and_the_column_of_every_table_is_renamed(name: str):
    spec = {"task_id": "t", "goal": "g", "output_schema": {name: "string"}, "judgment_required": True}
    assert check_spec({**spec, "judgment_question": "q"})[1] == ()
    columns = columns_of(TaskFacts.of(spec, reviewed=True))
    assert [column.field for column in columns if column.name == name] == [True]
    assert {column.common_name for column in columns if not column.field} == OWN_COLUMNS
    assert len({column.name for column in columns}) == len(columns)


def test_a_renamed_column_takes_no_name_of_a_field():
    fields = {"status": "string", "sample_status": "string", "Message": "string"}
    columns = {column.name: column.common_name for column in columns_of(TaskFacts.of({"output_schema": fields}))}
    assert (columns["status"], columns["sample_status"], columns["sample_sample_status"]) == ("", "", "status")
    assert columns["sample_message"] == "message"


def test_rows_are_found_by_the_id_of_the_sample():
    _, problems = check_spec({"task_id": "t", "goal": "g", "output_schema": {"sample_id": "string"}})
    assert any("choose another" in problem.message for problem in problems)
