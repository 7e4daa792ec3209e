"""What a model is told of rows, and how its call is read."""

from __future__ import annotations

import json
from typing import Any

from services.planner.prompt.call_parsing import BadCall, parse_call
from services.planner.prompt.message_parts import output_schema
from services.planner.prompt.tools import tools_for
from services.planner.state.attempt_state import AttemptState
from shared.contracts.actions import Done, SaveProgress
from tests.typed import expect
from tests.unit.planner.planner_pages import view
from tests.unit.planner.rows_pages import objects, rows_spec, shows

LINES = [("A-1", "2", "20.00")]
TASK = rows_spec({"sku": "string", "qty": "number | null", "amount": "decimal"}, id_keys=["sku"])


def schema_of(tool: str, key: str) -> Any:
    return next(one for one in tools_for(TASK) if one["name"] == tool)["input_schema"]["properties"][key]


def test_rows_are_reported_as_objects_of_texts_and_need_no_ref():
    for tool in ("save_progress", "done"):
        row = schema_of(tool, "values")["properties"]["lines"]["items"]
        assert row["properties"] == {
            "sku": {"type": "string"},
            "qty": {"type": ["string", "null"]},
            "amount": {"type": "string"},
        }
        assert (row["required"], row["additionalProperties"]) == (["sku", "qty", "amount"], False)
        assert list(schema_of(tool, "refs")["properties"]) == ["ticket_number"]


def test_the_schema_of_the_output_says_the_columns_and_what_tells_rows_apart():
    told = json.loads(output_schema(TASK).partition("\n")[2])["lines"]
    assert told["type"] == "rows"
    assert told["columns"]["amount"] == {"type": "decimal"}
    assert told["rows_are_told_apart_by"] == ["sku"]
    assert "only_the_first_page_of_the_list" not in told
    first = json.loads(output_schema(rows_spec(pages="first")).partition("\n")[2])["lines"]
    assert first["only_the_first_page_of_the_list"]


def test_a_call_with_rows_is_read_and_a_picture_is_not_asked_for_them():
    here = view(shows(LINES), AttemptState(proven=True), spec=TASK)
    given = {"values": {"ticket_number": "TCK-1001", "lines": objects(LINES)}, "refs": {"ticket_number": 1}}
    done = expect(parse_call("done", {**given, "reason": "r"}, here), Done)
    assert done.values["lines"] == objects(LINES)
    expect(parse_call("save_progress", {**given, "reason": "r"}, here), SaveProgress)
    asked = {"question": "What are the lines?", "field": "lines", "reason": "r"}
    assert "has rows" in expect(parse_call("ask_picture", asked, here), BadCall).message
