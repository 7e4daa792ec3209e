"""A recorded row as a build session has it: its steps, its events, and the files of its TODOs."""

from __future__ import annotations

from shared.contracts.workflows.build_events import ActionRecorded, BuildEvent, RowBegun, TodoAdded, ValueRecorded
from shared.flows.building.scratch import ScratchWritten, write_scratch
from shared.flows.building.state import replayed
from shared.flows.building.todos import scratch_name, todos_of
from shared.recordings.recording import Recording
from tests.unit.shared.flows.recorded_world import Recorder, element, spec_of

AT = "2026-11-23T12:00:00+00:00"
SPEC = spec_of(
    start_url="http://site/{number}",
    input_schema={"number": "string", "word": "string"},
    identity={"number": "{number}"},
    output_schema={"number": "string", "status": "string"},
    required_artifacts=["screenshot:record"],
)


def recorded(number: str, status: str) -> Recording:
    """Return a row on which an address was opened, a button pressed, a picture taken and two values read."""
    one = Recorder(number, {"number": number, "word": f"word of {number}"})
    page = (
        element(1, "button", "Show all", area="banner"),
        element(2, "definition", number, header="Number"),
        element(3, "definition", status, header="Status"),
        element(4, "searchbox", "Find"),
    )
    one.open(f"http://site/{number}", *page)
    one.click(1)
    one.screenshot("record")
    one.read("number", 2)
    one.read("status", 3)
    return one.sample


def state_of(sample: Recording) -> list[BuildEvent]:
    return [
        *(TodoAdded(at=AT, number=n, title=one.title, fields=one.fields) for n, one in enumerate(todos_of(SPEC), 1)),
        RowBegun(at=AT, sample_id=sample.sample_id, row=dict(sample.row)),
        *(ActionRecorded(at=AT, todo=1, step=step, action="a") for step in (1, 2)),
        ActionRecorded(at=AT, todo=3, step=3, action="screenshot"),
        ValueRecorded(at=AT, todo=2, field="number", shown=""),
        ValueRecorded(at=AT, todo=2, field="status", shown=""),
    ]


def scratch_of(sample: Recording) -> dict[str, ScratchWritten]:
    state = replayed(state_of(sample))
    found: dict[str, ScratchWritten] = {}
    for todo in state.todos:
        steps, fields = state.steps.get(todo.number, ()), state.values.get(todo.number, ())
        found[scratch_name(todo)] = write_scratch(SPEC, todo, sample, steps, fields).written
    return found
