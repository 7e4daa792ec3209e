"""The tools of a model, and the parsing of its calls."""

from __future__ import annotations

import json

from services.planner.prompt.call_parsing import BadCall, ModelCall, parse_call, parse_calls
from services.planner.prompt.message_parts import output_schema
from services.planner.prompt.tools import TOOLS, tools_for
from services.planner.state.attempt_state import AttemptState
from services.planner.state.transitions import after_step, with_readings
from shared.contracts.actions import (
    AskPicture,
    ByCss,
    ByRef,
    ByText,
    Click,
    Done,
    Fail,
    Goto,
    SaveProgress,
    Screenshot,
    Wait,
)
from shared.contracts.codes import FAIL_CODES_FOR_MODELS
from shared.contracts.steps import FieldValue
from shared.contracts.vision import VisionAnswered
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import URL, done_result, heading, page, spec, step, ticket, view


def test_every_action_is_a_tool_with_a_reason_it_must_give():
    tools = {tool["name"]: tool["input_schema"] for tool in tools_for(spec())}
    assert set(tools) == {
        "goto", "click", "double_click", "type", "type_secret", "press", "hover", "select_option", "pick", "set_date",
        "upload", "drag", "drag_by", "scroll", "wait", "back", "switch_tab", "close_tab", "dialog", "screenshot",
        "screenshot_element", "screenshot_views", "extract", "download", "save_progress", "ask_picture", "done", "fail",
    }  # fmt: skip
    assert all("reason" in schema["required"] for schema in tools.values())
    assert tools["type"]["required"] == ["reason", "target", "text"]
    assert tools["wait"]["required"] == ["reason"]
    assert tools["click"]["properties"]["target"]["type"] == "string"
    assert tools["scroll"]["properties"]["direction"]["enum"] == ["up", "down"]
    assert tools["fail"]["properties"]["code"]["enum"] == list(FAIL_CODES_FOR_MODELS)


def test_done_has_the_fields_of_the_task():
    done = next(tool for tool in tools_for(spec()) if tool["name"] == "done")["input_schema"]["properties"]
    assert set(done["values"]["properties"]) == {"ticket_number", "assignee", "due_date"}
    assert set(done["not_present"]["properties"]) == {"assignee", "due_date"}
    assert done["refs"]["properties"]["assignee"] == {"type": "integer"}


def test_what_must_be_given_and_what_is_taken_otherwise_stand_in_the_tools():
    tools = {tool["name"]: tool["input_schema"] for tool in tools_for(spec())}
    assert tools["done"]["required"] == tools["save_progress"]["required"] == ["reason", "values", "refs"]
    assert tools["fail"]["required"] == ["reason", "code"]
    assert tools["screenshot"]["properties"]["full_page"]["default"] is True
    assert tools["wait"]["properties"]["timeout_s"]["default"] == 10.0
    assert tools["scroll"]["properties"]["amount_px"]["default"] == 600
    fields = spec(output_schema={"a": {"type": "string", "description": "long words"}}, required_fields=[], identity={})
    assert "long words" not in str(tools_for(fields))
    assert "long words" in output_schema(fields)


def test_a_value_needs_its_ref_unless_it_was_saved():
    refused = call("done", values={"assignee": "Ann", "due_date": None})
    assert refused == BadCall("done: 'refs' lacks the element that shows the value of: assignee")
    state = with_readings(AttemptState(), (FieldValue(field="assignee", state="value", value="Ann", shown="Ann"),))
    said = {"reason": "r", "values": {"assignee": "Ann"}}
    assert isinstance(parse_call("done", said, view(page(), state)), Done)


def call(name, **arguments):
    return parse_call(name, {"reason": "because", **arguments}, view(page(*ticket(), heading("See", 2))))


@cases(
    ("written", "target"),
    [
        ("3", ByRef(ref=3, snapshot_id="s1")),
        ("[3]", ByRef(ref=3, snapshot_id="s1")),
        ("Save changes", ByText(text="Save changes")),
        ("css=#save", ByCss(css="#save")),
    ],
)
def test_targets_are_refs_of_the_page_shown_or_text_or_css(written, target):
    assert call("click", target=written) == Click(target=target, reason="because")


def test_other_calls():
    assert call("wait", timeout_s=3) == Wait(timeout_s=3.0, reason="because")
    assert call("fail", code="blocked") == Fail(code="blocked", reason="because")
    assert expect(call("done", values={"assignee": "Ann"}, refs={"assignee": 3}), Done).refs == {"assignee": 3}


def test_a_number_written_as_text_or_text_as_a_number_means_what_it_says():
    assert call("click", target=3) == Click(target=ByRef(ref=3, snapshot_id="s1"), reason="because")
    said = expect(call("save_progress", values={"assignee": "Ann"}, refs={"assignee": "[3]"}), SaveProgress)
    assert said.refs == {"assignee": 3}
    assert expect(call("done", values={"assignee": "Ann"}, refs={"assignee": "3"}), Done).refs == {"assignee": 3}


def test_what_was_saved_worked_out_or_told_by_a_picture_names_no_element():
    fields = {"open": {"type": "number", "derived": True}, "state": "string", "name": "string"}
    task = spec(output_schema=fields, required_fields=[], identity={})
    asked = AskPicture(question="Which state does the icon show?", field="state")
    told = VisionAnswered(answer="Passed", confidence=0.9, reasoning="a green tick", answered_by="local")
    state = after_step(AttemptState(), step(AttemptState(), asked, done_result(), vision=told))
    seen = view(page(), state, spec=task)
    said = {"reason": "r", "values": {"open": 3, "state": "passed"}, "refs": {}}
    assert isinstance(parse_call("done", said, seen), Done)
    assert isinstance(parse_call("done", {**said, "values": {"name": "x"}}, seen), BadCall)
    assert isinstance(parse_call("done", {**said, "values": {"state": "failed"}}, seen), BadCall)


# --- several calls of one answer

CLICK = ModelCall("click", {"reason": "r", "target": "3"})
SHOT = ModelCall("screenshot", {"reason": "r", "label": "ticket"})


def several(*calls, most=3):
    return parse_calls(calls, view(page(*ticket()), spec=spec(max_actions_per_turn=most)))


def test_the_first_call_is_taken_and_the_others_follow_in_their_order():
    taken = several(CLICK, SHOT, CLICK)
    assert (type(taken.first), [type(action) for action in taken.then], taken.remark) == (
        Click,
        [Screenshot, Click],
        "",
    )


def test_calls_beyond_the_most_are_left_out_with_a_remark():
    taken = several(CLICK, SHOT, CLICK, SHOT)
    assert (len(taken.then), taken.remark) == (2, "Only the first 3 of the 4 calls of this answer were taken.")
    alone = several(CLICK, SHOT, most=1)
    assert (alone.then, alone.remark) == ((), "Only the first of the 2 calls of this answer was taken.")


def test_a_later_call_of_no_use_is_left_out_with_those_that_were_to_follow_it():
    taken = several(CLICK, ModelCall("fly", {}), SHOT)
    assert (type(taken.first), taken.then) == (Click, ())
    assert taken.remark.startswith("Call 2 of this answer was left out, with all after it: There is no tool 'fly'")


def test_a_first_call_of_no_use_leaves_the_others_alone():
    taken = several(ModelCall("fly", {}), CLICK)
    assert isinstance(taken.first, BadCall)
    assert (taken.then, taken.remark) == ((), "Only the first of the 2 calls of this answer was looked at.")


# --- tasks of other kinds


def test_a_judgment_is_asked_for_where_the_task_has_a_question():
    task = spec(
        judgment_required=True, judgment_question="Was it late?", judgment_output_schema={"answer": "late | ok"}
    )
    done = next(tool for tool in tools_for(task) if tool["name"] == "done")["input_schema"]
    assert "judgment" in done["required"]
    assert done["properties"]["judgment"]["properties"]["answer"]["enum"] == ["late", "ok"]
    plain = next(tool for tool in tools_for(spec()) if tool["name"] == "done")["input_schema"]
    assert "judgment" not in plain["properties"]


def test_items_are_reported_only_where_samples_are_looked_for():
    task = spec(phase="discovery", identity={}, required_fields=[])
    tools = {tool["name"]: tool["input_schema"] for tool in tools_for(task)}
    assert set(tools["report_items"]["properties"]["items"]["items"]["properties"]) == set(task.output_schema)
    assert "ask_picture" not in {tool["name"] for tool in tools_for(spec(vision="off"))}


def test_what_a_field_may_be_is_told():
    fields = {
        "state": {"type": "enum", "values": ["Open", "Closed"]},
        "due": {"type": "date | null", "date_order": "dmy", "not_present": ["-"]},
        "late": {"type": "boolean", "derived": True},
    }
    told = json.loads(output_schema(spec(output_schema=fields, required_fields=["due"], identity={})).split("\n", 1)[1]
                      .split("\nRequired artifacts")[0])  # fmt: skip
    assert told["state"] == {"type": "enum", "required": False, "values": ["Open", "Closed"]}
    assert told["due"] == {
        "type": "date | null", "required": True, "not_present": ["-"], "dates_written": "day/month/year",
    }  # fmt: skip
    assert told["late"]["derived"] is True


def test_many_fields_are_named_once_and_not_in_every_tool():
    fields = {f"field_{number}": "string | null" for number in range(200)}
    task = spec(output_schema=fields, required_fields=[], identity={})
    assert "field_150" not in json.dumps(tools_for(task))
    assert '"field_150"' in output_schema(task)


@cases(
    ("name", "arguments", "told"),
    [
        ("run_shell", {}, "There is no tool 'run_shell'"),
        ("click", {}, "target"),
        ("click", {"target": True}, "'target' must be a string"),
        ("click", {"target": ["3"]}, "'target' must be a string"),
        ("drag", {"target": "3"}, "onto"),
        ("click", {"target": {"by": "ref", "ref": 3, "snapshot_id": "old"}}, "'target' must be a string"),
        ("type", {"target": "3", "text": 5}, "text"),
        ("scroll", {"direction": "left"}, "direction"),
        ("goto", {"url": "http://x/", "headers": {}}, "no argument 'headers'"),
        ("fail", {"code": "missing_column"}, "the code must be one of"),
        ("fail", {"note": "gone"}, "'code' is missing"),
        ("done", {"values": {"salary": 1}}, "There is no field 'salary'"),
        ("done", {"values": {}, "refs": {"assignee": "the third"}}, "refs"),
        ("done", {"values": {}, "refs": {"assignee": True}}, "refs"),
        ("save_progress", {"values": {}, "refs": {"salary": 3}}, "There is no field 'salary'"),
        ("ask_picture", {"question": "Which?", "field": "salary"}, "There is no field 'salary'"),
        ("report_items", {"items": []}, "There is no tool 'report_items'"),
        ("goto", {"url": "http://[broken/"}, "is no address"),
        ("done", {"values": "all of them"}, "values"),
        ("goto", {"reason": " ", "url": URL}, "'reason' is missing"),
    ],
)
def test_calls_that_make_no_sense_are_answered_with_words(name, arguments, told):
    refused = expect(call(name, **arguments), BadCall)
    assert told in refused.message


@cases("arguments", [None, "x", 3, ["a"], {}])
def test_arguments_of_any_make_break_nothing(arguments):
    for name in TOOLS:
        assert isinstance(parse_call(name, arguments, view(page())), BadCall)


def test_a_model_may_go_only_where_the_task_or_the_page_leads():
    from tests.unit.planner.planner_pages import el

    seen = page(el("link", "Docs", tag="a", url="http://docs.example/a"))

    def goto(url):
        return parse_call("goto", {"reason": "r", "url": url}, view(seen))

    assert goto("/tickets/TCK-7") == Goto(url="http://127.0.0.1:8000/tickets/TCK-7", reason="r")
    assert isinstance(goto("http://docs.example/a"), Goto)
    for url in ("http://docs.example/b?stolen=1", "http://evil.example/", "file:///etc/passwd", "javascript:alert(1)"):
        assert isinstance(goto(url), BadCall)
