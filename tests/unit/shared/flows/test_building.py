"""Build sessions: their state as a fold over events, their TODOs, and what is taken from scratch_work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as replace_part

from shared.contracts.results import Locator
from shared.contracts.workflows.build_events import (
    ActionBegun,
    ActionDropped,
    ActionMoved,
    ActionRecorded,
    BuildEvent,
    CompileAsked,
    FlowWritten,
    RowBegun,
    RowDone,
    TodoAdded,
    TodoChosen,
    TodoDeleted,
    TodoDone,
    TodoMoved,
    TodoRenamed,
    event_line,
    read_event,
)
from shared.flows.building.build import compile_build
from shared.flows.building.folder import append_event, read_events, read_written, write_flow_files, write_scratch_file
from shared.flows.building.scratch import ScratchWritten, write_scratch, write_scratch_again
from shared.flows.building.scratch_calls import read_scratch
from shared.flows.building.state import (
    BuildState,
    CompileQueue,
    Todo,
    after_due,
    after_end,
    apply_event,
    known_of,
    replayed,
    why_not_todo,
)
from shared.flows.building.todos import scratch_name, todos_of
from shared.flows.compiling.compiler import compile_samples
from shared.flows.reading import read_fields
from shared.recordings.stored_pages import as_observed
from tests.cases import cases
from tests.unit.shared.flows.built_rows import AT, SPEC, recorded, scratch_of, state_of
from tests.unit.shared.flows.recorded_world import Recorder, element, spec_of


def todos(count: int) -> list[BuildEvent]:
    return [TodoAdded(at=AT, number=number, title=f"Do {number}") for number in range(1, count + 1)]


def built(change: dict[str, str] | None = None, rows: int = 2) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the source of the flow, what was told, and its problems. ``change``: files of scratch_work."""
    samples = [recorded("N-1", "open"), recorded("N-2", "closed")][:rows]
    written = scratch_of(samples[0])
    files = {name: one.source for name, one in written.items()} | (change or {})
    found = compile_build(SPEC, replayed(state_of(samples[0])), samples, files, written)
    return found.flow.source, found.told, found.flow.problems


# --- when flow.py is compiled


@cases(("count", "compiles"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4)])
def test_every_second_todo_and_the_last_one_make_a_compile_due_once(count: int, compiles: int):
    state = replayed([*todos(count), RowBegun(at=AT, sample_id="a", row={})])
    due: list[str] = []
    for number in range(1, count + 1):
        before = state.due_at
        state = apply_event(state, TodoDone(at=AT, number=number))
        due += [state.due] if state.due_at > before else []
    assert len(due) == compiles
    assert due[-1] == "all TODOs are finished"


def test_a_further_row_makes_one_compile_due():
    first = [*todos(4), RowBegun(at=AT, sample_id="a", row={}), RowDone(at=AT, sample_id="a")]
    state = replayed([*first, RowBegun(at=AT, sample_id="b", row={})])
    assert [one.state for one in state.todos] == ["open"] * 4
    moments: list[int] = []
    for number in range(1, 5):
        state = apply_event(state, TodoDone(at=AT, number=number))
        moments.append(state.due_at)
    assert moments[:3] == [0, 0, 0]
    assert moments[3] > 0


def test_what_became_due_while_a_compile_ran_stays_due():
    state = replayed([CompileAsked(at=AT, why="first"), CompileAsked(at=AT, why="second")])
    assert apply_event(state, FlowWritten(at=AT, seen=1)).due == "second"
    assert apply_event(state, FlowWritten(at=AT, seen=2)).due == ""


def test_compiles_are_never_parallel_and_those_that_wait_are_one():
    queue, starts = after_due(CompileQueue(), "a")
    assert starts
    for why in ("b", "c"):
        queue, starts = after_due(queue, why)
        assert not starts
    queue, why = after_end(queue)
    assert (queue.running, why) == (True, "c")
    assert after_end(queue) == (CompileQueue(), "")


# --- the state from the log


def test_a_session_goes_on_where_its_log_ends(tmp_path: Path):
    events = [*state_of(recorded("N-1", "open")), TodoDone(at=AT, number=1), ActionDropped(at=AT, todo=3, step=3)]
    for event in events:
        append_event(tmp_path, event)
    with (tmp_path / "conversation.jsonl").open("ab") as file:
        file.write(b'{"event":"todo_do')
    state = replayed(read_events(tmp_path))
    assert state == replayed(events)
    assert [one.state for one in state.todos] == ["done", "doing", "doing"]
    assert state.steps[3] == ()
    append_event(tmp_path, TodoDone(at=AT, number=2))
    assert replayed(read_events(tmp_path)).done == 2


def test_events_are_read_as_they_were_written():
    event = ActionRecorded(at=AT, todo=1, step=2, action="click", by="scratch", added=True)
    assert read_event(event_line(event)) == event
    with pytest.raises(ValueError):
        read_event(b'{"event":"unknown"}')


# --- TODOs


def test_a_task_without_a_route_has_todos_for_opening_fields_and_captures():
    assert [one.title for one in todos_of(SPEC)] == [
        "Open the record",
        "Read number, status",
        "Take the screenshot record",
    ]


def test_a_route_has_a_todo_for_each_step_and_one_for_the_fields_that_none_names():
    spec = spec_of(
        route=[{"follow": "Details"}, {"read": ["status"]}, {"screenshot": "page"}],
        output_schema={"status": "string", "owner": "string"},
    )
    found = todos_of(spec)
    assert [one.route_step for one in found] == [1, 2, 3, 0]
    assert found[-1].fields == ("owner",)


def test_a_file_is_named_by_number_and_words():
    assert scratch_name(Todo(number=2, title="Read the “due date”, and more of it here")) == (
        "02_read_the_due_date_and.py"
    )


# --- scratch_work


def test_what_was_written_is_read_as_the_same_calls():
    for one in scratch_of(recorded("N-1", "open")).values():
        found = read_scratch(one.source, {})
        assert found.told == []
        assert found.items


def test_scratch_files_have_variables_in_place_of_their_values():
    for one in scratch_of(recorded("N-1", "open")).values():
        assert "N-1" not in one.source


def test_one_row_gives_a_draft_that_says_so():
    source, told, problems = built(rows=1)
    assert "await open_page(" in source
    assert told == ()
    assert any("one more is needed" in one for one in problems)


def test_after_one_row_a_field_is_read_by_its_label_and_one_without_is_named_once():
    spec = spec_of(
        start_url="http://site/{number}",
        input_schema={"number": "string"},
        identity={"number": "{number}"},
        output_schema={"number": "string", "owner": "string", "remark": "string"},
        route=[{"open": "{number}"}, {"screenshot": "record"}],
    )
    one = Recorder("N-1", {"number": "N-1"})
    named = element(2, "definition", "N-1", header="Number")
    one.open("http://site/N-1", named, element(3, "textbox", "Owner", value="Ann"), element(4, "text", "Loud at night"))
    one.read("number", 2)
    one.read("owner", 3, shown="Ann")
    one.read("remark", 4)
    todo = Todo(number=2, title="Read it", fields=("number", "owner", "remark"))
    file = write_scratch(spec, todo, one.sample, [1], todo.fields)
    assert (file.gaps, file.untold) == ((), ("remark",))  # what the route still lacks is no gap of this TODO
    plan = compile_samples(spec, [one.sample], draft=True)
    assert plan.problems[0] == (
        "it was worked out on 1 row: one more is needed to tell what varies, and where remark stands"
    )
    other = (replace_part(named, name="N-2"), element(3, "textbox", "Owner", value="Bo"), element(4, "text", "Quiet"))
    page = as_observed(other, "", url="http://site/N-2", title="", snapshot_id="s1", http_status=200)
    known = {"number": "N-2"}
    read = read_fields(("number", "owner", "remark"), plan.files.fields, page, {}, known, named=known)
    assert [(found.field, found.state, found.text) for found in read] == [
        ("number", "value", "N-2"),
        ("owner", "value", "Bo"),
        ("remark", "missing", ""),
    ]


def test_two_rows_give_the_flow_without_edits():
    source, told, problems = built()
    assert (told, problems) == ((), ())
    assert 'await click(by_role("button", "Show all"))' in source
    assert "N-1" not in source


def test_a_call_that_a_person_has_written_is_in_the_flow_where_it_stands():
    name = scratch_name(todos_of(SPEC)[0])
    source = scratch_of(recorded("N-1", "open"))[name].source
    click = '    await click(by_role("button", "Show all"))\n'
    assert click in source
    edited = source.replace(click, click + '    await type_text(selector=by_label("Find"), text=f"a {word}")\n')
    edited = edited.replace("number: str", "number: str, word: str").replace("(number)\n", "(number, word)\n")
    flow, told, problems = built({name: edited})
    assert problems == ()
    assert 'await type_text(selector=by_label("Find"), text=f"a {word}")' in flow
    assert flow.index("Show all") < flow.index('by_label("Find")') < flow.index("screenshot(")
    assert "word: str" in flow
    assert [one for one in told if "by hand" in one]


def test_a_call_that_a_person_has_removed_is_gone_from_the_flow_of_all_rows():
    name = scratch_name(todos_of(SPEC)[0])
    source = scratch_of(recorded("N-1", "open"))[name].source
    flow, told, problems = built({name: source.replace('    await click(by_role("button", "Show all"))\n', "")})
    assert "Show all" not in flow
    assert "await open_page(" in flow
    assert problems == ()
    assert any("step 2 is gone" in one for one in told)


def test_a_field_that_is_not_read_any_more_is_no_output():
    name = scratch_name(todos_of(SPEC)[1])
    source = scratch_of(recorded("N-1", "open"))[name].source
    flow, told, _ = built({name: source.replace('"number", "status"', '"number"')})
    assert '"status"' not in flow
    assert "status is not read any more" in told


def test_what_is_no_call_of_a_flow_is_told():
    name = scratch_name(todos_of(SPEC)[0])
    source = scratch_of(recorded("N-1", "open"))[name].source
    edited = source.replace("    await click(by", "    for one in range(3):\n        print(one)\n    await click(by")
    flow, told, _ = built({name: edited})
    assert "range(3)" not in flow
    assert any("`for one in range(3):`" in one for one in told)
    assert "Show all" in flow


def test_a_file_that_is_no_python_counts_as_it_was():
    name = scratch_name(todos_of(SPEC)[0])
    flow, told, problems = built({name: "async def run(:\n"})
    assert "Show all" in flow
    assert problems == ()
    assert any("counts as it was before" in one for one in told)


def test_a_dropped_step_is_no_part_of_the_flow():
    samples = [recorded("N-1", "open"), recorded("N-2", "closed")]
    state = replayed([*state_of(samples[0]), ActionDropped(at=AT, todo=1, step=2)])
    state = replace(state, dropped={**state.dropped, "N-2": frozenset({2})})
    assert "Show all" not in compile_build(SPEC, state, samples, {}, {}).flow.source


# --- the folder


def test_the_file_of_a_todo_takes_the_place_of_its_earlier_one(tmp_path: Path):
    one = ScratchWritten(todo=1, sample_id="a", source="first", steps=(1,))
    write_scratch_file(tmp_path, "01_first.py", one)
    write_scratch_file(tmp_path, "01_second.py", ScratchWritten(todo=1, sample_id="a", source="second", steps=(1,)))
    assert [path.name for path in (tmp_path / "scratch_work").glob("*.py")] == ["01_second.py"]
    assert list(read_written(tmp_path)) == ["01_second.py"]


def test_the_flow_that_was_there_before_is_kept(tmp_path: Path):
    samples = [recorded("N-1", "open"), recorded("N-2", "closed")]
    state = replayed(state_of(samples[0]))
    first = compile_build(SPEC, state, samples[:1], {}, {}).flow
    second = compile_build(SPEC, state, samples, {}, {}).flow
    assert write_flow_files(tmp_path, first, {}, "t1")
    assert not write_flow_files(tmp_path, first, {}, "t2")
    assert write_flow_files(tmp_path, replace(second, source=second.source + "# more\n"), {}, "t3")
    [kept] = (tmp_path / "workspace/.versions").iterdir()
    assert (kept / "flow.py").read_text() == first.source


# --- TODOs in order


def numbers(state: BuildState) -> list[int]:
    return [one.number for one in state.todos]


def test_todos_are_renamed_moved_and_deleted():
    state = replayed([*todos(3), TodoMoved(at=AT, number=3, before=1), TodoRenamed(at=AT, number=2, title="Send it")])
    assert [(one.number, one.title) for one in state.todos] == [(3, "Do 3"), (1, "Do 1"), (2, "Send it")]
    state = apply_event(state, TodoMoved(at=AT, number=3))
    assert numbers(state) == [1, 2, 3]
    state = apply_event(state, TodoDeleted(at=AT, number=1))
    assert numbers(state) == [2, 3]
    assert state.last_number == 3  # a number is never given twice: files are named by it


def test_acts_belong_to_the_todo_that_was_chosen_and_are_moved_to_another_one():
    sample = recorded("1", "Open")
    state = replayed([*state_of(sample), TodoChosen(at=AT, number=3)])
    assert state.current == state.todo(3)
    state = apply_event(state, ActionMoved(at=AT, step=2, todo=3))
    assert {number: steps for number, steps in state.steps.items() if steps} == {1: (1,), 3: (2, 3)}
    assert apply_event(state, ActionMoved(at=AT, step=9, todo=1)).steps == state.steps
    state = apply_event(state, TodoDeleted(at=AT, number=3))
    assert state.dropped == {"1": frozenset({2, 3})}


@cases(
    ("event", "told"),
    [
        (TodoMoved(at=AT, number=1, before=4), "todo_keeps_order"),
        (TodoMoved(at=AT, number=3, before=3), "todo_unknown"),
        (TodoDeleted(at=AT, number=9), "todo_unknown"),
        (TodoChosen(at=AT, number=1), "todo_is_done"),
        (TodoRenamed(at=AT, number=3, title=" "), "todo_without_title"),
    ],
)
def test_what_was_worked_on_keeps_its_order(event: TodoMoved | TodoDeleted | TodoChosen | TodoRenamed, told: str):
    worked = [
        ActionRecorded(at=AT, todo=1, step=1, action="click"),
        TodoDone(at=AT, number=1),
        ActionRecorded(at=AT, todo=2, step=2, action="click"),
    ]
    state = replayed([*todos(4), RowBegun(at=AT, sample_id="1", row={}), *worked])
    why = why_not_todo(state, event)
    assert why is not None
    assert why.code == told
    assert why_not_todo(state, TodoMoved(at=AT, number=4, before=3)) is None


def test_the_calls_of_a_deleted_todo_are_gone_from_every_row():
    samples = [recorded(number, status) for number, status in (("1", "Open"), ("2", "Closed"))]
    written = scratch_of(samples[0])
    events = [event for sample in samples for event in state_of(sample) if not isinstance(event, TodoAdded)]
    added = [one for one in state_of(samples[0]) if isinstance(one, TodoAdded)]
    state = replayed([*added, *events, TodoDeleted(at=AT, number=3)])
    files = {name: one.source for name, one in written.items()}
    kept = {name: source for name, source in files.items() if written[name].todo != 3}
    before = compile_build(SPEC, replayed([*added, *events]), samples, files, written)
    assert "screenshot(" in before.flow.source
    assert "screenshot(" not in compile_build(SPEC, state, samples, kept, written).flow.source


def test_a_row_is_left_without_what_the_session_does_not_know():
    sample = recorded("1", "Open")
    known = [one for one in state_of(sample) if not (isinstance(one, ActionRecorded) and one.step == 3)]
    left = known_of(replayed(known[:-1]), sample)
    assert [one.step for one in left.steps] == [1, 2]
    assert [one.field for one in left.values] == ["number"]


def test_an_action_whose_end_is_not_told_stays_under_way():
    begun = replayed([*todos(1), ActionBegun(at=AT, todo=1, action="click")])
    assert begun.acting == "click"
    assert apply_event(begun, ActionRecorded(at=AT, todo=1, step=1, action="click")).acting == ""


def opened_result(number: str, place: str, *, other: str = "") -> Recorder:
    """Return a row on which a result was opened that shows the owner of the record: one of several links."""
    one = Recorder(number, {"number": number})
    links = [element(n, "link", name, row=at) for at, (n, name) in enumerate([(2, "Elsewhere"), (3, f"Of {number}")])]
    one.open("http://site/", *links, element(5, "button", "Help"))
    one.click(3 if place == "its name" else 5, element(9, "heading", number))
    if other:
        one.click(9)
    return one


@cases(
    ("second", "wanted"),
    [
        (opened_result("N-2", "its name"), "await click(by_role('link', f'Of {number}'))"),
        (opened_result("N-2", "a button"), None),
        (opened_result("N-2", "its name", other="one more press"), None),
    ],
)
def test_the_file_of_a_todo_that_was_done_on_two_rows_holds_on_both(second: Recorder, wanted: str | None):
    spec = spec_of(start_url="http://site/", input_schema={"number": "string"})
    first, todo = opened_result("N-1", "its name"), Todo(number=1, title="Open it")
    rows = [(one.sample, [step.step for step in one.sample.steps]) for one in (first, second)]
    again = write_scratch_again(spec, todo, rows, ())
    assert (again is None) is (wanted is None)
    if again is not None and wanted is not None:
        assert (again.sample_id, again.steps) == ("N-1", (1, 2))
        assert wanted in again.source.replace('"', "'")


def test_what_leads_to_the_record_of_one_row_without_its_values_is_no_way_to_the_record_of_another():
    place = Locator(kind="css", value="li:nth-of-type(6) > a", matches=1)
    one = Recorder("N-1", {"number": "N-1"})
    one.open("http://site/", element(1, "link", "N-0"), element(2, "link", "N-1", locators=(place,)))
    one.click(2, element(9, "heading", "N-1"))
    spec = spec_of(start_url="http://site/", input_schema={"number": "string"})
    facts = compile_samples(spec, [one.sample], draft=True).files.locators
    assert {key: known.selectors for key, known in facts.items()} == {'role=link[name="{number}"]': ("text={number}",)}


@cases(
    ("others", "wanted"),
    [
        ((), 'row=["{number}"] >> role=link'),
        (("Edit", "Delete"), 'row=["{number}"] >> role=link[name="View"]'),
    ],
)
def test_in_its_row_an_element_of_one_row_alone_is_named_where_there_are_several(others: tuple[str, ...], wanted: str):
    one = Recorder("N-1", {"number": "N-1"})
    links = [element(n, "link", name, row=1, column=1) for n, name in enumerate(("View", *others), 2)]
    one.open("http://site/", element(1, "cell", "N-1", row=1, column=0), *links, element(9, "link", "View", row=2))
    one.click(2, element(9, "heading", "N-1"))
    spec = spec_of(start_url="http://site/", input_schema={"number": "string"})
    assert list(compile_samples(spec, [one.sample], draft=True).files.locators) == [wanted]
