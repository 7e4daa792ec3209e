"""A session whose spec has changed: what is told, and what of it goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shared.contracts.steps import FieldValue
from shared.contracts.workflows.build_events import RowDone
from shared.flows.building.scratch import ScratchWritten
from shared.flows.building.spec_changes import SpecChanges, TakenUp, changes_told, spec_changes, spec_marks, take_up
from shared.flows.building.state import BuildState, replayed
from shared.task.spec import TaskSpec
from tests.cases import cases
from tests.unit.shared.flows.built_rows import AT, SPEC, recorded, scratch_of, state_of
from tests.unit.shared.flows.recorded_world import spec_of

KEYS: dict[str, Any] = {
    "start_url": "http://site/{number}",
    "input_schema": {"number": "string", "word": "string"},
    "identity": {"number": "{number}"},
    "output_schema": {"number": "string", "status": "string"},
    "required_artifacts": ["screenshot:record"],
}
READS = "02_read_number_status.py"


def changed(**keys: Any) -> TaskSpec:
    return spec_of(**{**KEYS, **keys})


def fields(**given: Any) -> TaskSpec:
    return changed(output_schema=given)


@cases(
    ("now", "found"),
    [
        (changed(), SpecChanges()),
        (changed(allowed_hosts=["other"]), SpecChanges()),
        (fields(number="string", status="string", made="date"), SpecChanges(added=("made",))),
        (fields(number="string"), SpecChanges(gone=("status",))),
        (fields(number="string", status="number"), SpecChanges(changed=("status",))),
        (fields(number="string", status={"type": "string", "labels": ["State"]}), SpecChanges(changed=("status",))),
        (changed(goal="Read more."), SpecChanges(keys=("goal",))),
    ],
)
def test_what_has_changed_is_known_by_field_and_key(now: TaskSpec, found: SpecChanges):
    assert spec_changes(spec_marks(SPEC), spec_marks(now)) == found


def test_of_a_session_that_has_no_marks_nothing_is_said():
    assert spec_changes({}, spec_marks(changed(goal="Another."))) == SpecChanges()


def taken(now: TaskSpec, edited: str = "") -> tuple[TakenUp, BuildState, dict[str, ScratchWritten]]:
    sample = recorded("N-1", "open")
    state = replayed([*state_of(sample), RowDone(at=AT, sample_id="N-1")])
    written = scratch_of(sample)
    files = {name: one.source for name, one in written.items()} | ({READS: edited} if edited else {})
    changes = spec_changes(spec_marks(SPEC), spec_marks(now))
    return take_up(now, changes, state, {"N-1": sample}, files, written), state, written


def test_a_new_field_is_read_by_a_todo_of_its_own_and_finished_rows_are_named():
    found, state, _ = taken(fields(number="string", status="string", made="date"))
    assert found.todo is not None
    assert (found.todo.number, found.todo.title, found.todo.fields) == (4, "Read made", ("made",))
    [told] = changes_told(SpecChanges(added=("made",)), found.todo, state)
    assert told == "new: made: TODO 4 (Read made) is new; finished without: N-1"


def test_a_field_that_is_gone_is_gone_from_scratch_work():
    found, _, written = taken(fields(number="string"))
    assert '"status"' in written[READS].source
    assert list(found.scratch) == [READS]
    now = found.scratch[READS].source
    assert '"number"' in now
    assert '"status"' not in now
    assert (found.by_hand, found.emptied) == ((), ())


def test_what_a_person_has_written_is_not_written_over():
    found, _, _ = taken(fields(number="string"), edited="# mine\n")
    assert (found.scratch, found.by_hand) == ({}, (READS,))


def test_a_value_of_another_type_is_read_again_or_dropped():
    found, _, _ = taken(fields(number="string", status={"type": "string | null", "not_present": ["open"]}))
    [sample] = found.samples
    assert [(one.field, one.state) for one in sample.values] == [("number", "value"), ("status", "not_present")]
    found, _, _ = taken(fields(number="string", status="number"))
    [sample], [dropped] = found.samples, found.dropped
    assert [one.field for one in sample.values] == ["number"]
    assert (dropped.sample_id, dropped.field) == ("N-1", "status")
    assert "'open' is no number" in dropped.why


def test_what_was_noted_as_absent_stays_absent_or_is_dropped_and_is_never_a_text():
    sample = recorded("N-1", "open")
    state = replayed(state_of(sample))
    for shown in ("", "Choose one"):
        absent = FieldValue(field="status", state="not_present", shown=shown)
        kept = {"N-1": replace(sample, values=(absent,))}
        changes = SpecChanges(changed=("status",))
        described = fields(number="string", status={"type": "string | null", "description": "How it stands."})
        assert take_up(described, changes, state, kept, {}, {}).samples == ()
        required = take_up(fields(number="string", status="number"), changes, state, kept, {}, {})
        assert [one.field for one in required.dropped] == ["status"]


def test_a_todo_that_reads_only_what_is_gone_is_for_the_person_to_decide():
    sample = recorded("N-1", "open")
    state = replayed(state_of(sample))
    changes = SpecChanges(gone=("number", "status"))
    assert [one.number for one in take_up(changed(), changes, state, {}, {}, {}).emptied] == [2]
