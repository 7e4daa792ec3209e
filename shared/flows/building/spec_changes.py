"""What has changed in the spec of a session since it was last open, and what of the session goes on with it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from shared.contracts.steps import FieldValue
from shared.field_types import is_rows, nullable
from shared.flows.building.scratch import ScratchWritten, write_scratch
from shared.flows.building.state import BuildState, Todo
from shared.flows.compiling.compiler import NotCompiledError
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec
from shared.task.task_fingerprint import mark_of
from shared.task.typed_values import is_not_present, recorded_hints, typed_value
from shared.text.normal import Invalid, quoted

SAID = ("goal", "route", "identity", "start_url", "sample_id", "input_schema", "required_fields", "required_artifacts")
"""Keys of a spec, beside its fields, that say what is to be done."""


@dataclass(frozen=True)
class SpecChanges:
    """Fields that are new, gone, or asked for otherwise; and other keys of the spec that have changed."""

    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.gone or self.changed or self.keys)


def spec_marks(spec: TaskSpec) -> dict[str, str]:
    """Return a mark of each field and of each other key that says what is to be done; fields have ``field:`` before
    their names."""
    written = spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    fields = {f"field:{name}": mark_of(one) for name, one in written.get("output_schema", {}).items()}
    return {**fields, **{key: mark_of(written.get(key)) for key in SAID}}


def spec_changes(then: Mapping[str, str], now: Mapping[str, str]) -> SpecChanges:
    """Return what has changed between two marks; nothing where it is not known how the spec was then."""
    if not then:
        return SpecChanges()
    fields_then = {key.removeprefix("field:"): mark for key, mark in then.items() if key.startswith("field:")}
    fields_now = {key.removeprefix("field:"): mark for key, mark in now.items() if key.startswith("field:")}
    return SpecChanges(
        added=tuple(name for name in fields_now if name not in fields_then),
        gone=tuple(name for name in fields_then if name not in fields_now),
        changed=tuple(name for name, mark in fields_now.items() if fields_then.get(name, mark) != mark),
        keys=tuple(key for key in SAID if then.get(key) != now.get(key)),
    )


def changes_told(changes: SpecChanges, todo: Todo | None, state: BuildState) -> tuple[str, ...]:
    """Return the changes for people, each with what becomes of it. ``todo``: reads what is new."""
    told: list[str] = []
    if changes.added:
        lacking = f"; finished without: {', '.join(state.finished)}" if state.finished else ""
        reads = "" if todo is None else f": TODO {todo.number} ({todo.title}) is new{lacking}"
        told.append(f"new: {', '.join(changes.added)}{reads}")
    if changes.gone:
        told.append(f"gone: {', '.join(changes.gone)}: not read any more")
    if changes.changed:
        told.append(f"asked for otherwise: {', '.join(changes.changed)}: what was recorded is read by the new type")
    if changes.keys:
        told.append(f"other keys: {', '.join(changes.keys)}: the TODOs stay as they are")
    return tuple(told)


@dataclass(frozen=True)
class DroppedValue:
    """A recorded value that does not fit its field any more. ``why``: for people."""

    sample_id: str
    field: str
    why: str


@dataclass(frozen=True)
class TakenUp:
    """``todo``: reads the fields that are new. ``emptied``: TODOs that read only fields that are gone. ``samples``:
    recorded rows that have changed. ``scratch``: files that have changed; ``by_hand``: those that read a field which is
    gone, and that a person has changed. ``dropped``: values that do not fit."""

    todo: Todo | None = None
    emptied: tuple[Todo, ...] = ()
    samples: tuple[Recording, ...] = ()
    scratch: Mapping[str, ScratchWritten] = field(default_factory=dict[str, ScratchWritten])
    by_hand: tuple[str, ...] = ()
    dropped: tuple[DroppedValue, ...] = ()


def take_up(
    spec: TaskSpec,
    changes: SpecChanges,
    state: BuildState,
    samples: Mapping[str, Recording],
    files: Mapping[str, str],
    written: Mapping[str, ScratchWritten],
) -> TakenUp:
    """Return what becomes of a session whose spec has changed. ``files``: scratch_work as it is; ``written``: as the
    session has written it."""
    todo = None
    if changes.added:
        title = f"Read {', '.join(changes.added)}"
        todo = Todo(number=state.last_number + 1, title=title, fields=changes.added)
    emptied = tuple(one for one in state.todos if one.fields and set(one.fields) <= set(changes.gone))
    kept, dropped = _retyped(spec, changes, samples)
    scratch, by_hand = _without_gone(spec, changes, state, samples, files, written)
    return TakenUp(todo, emptied, kept, scratch, by_hand, dropped)


def _retyped(
    spec: TaskSpec, changes: SpecChanges, samples: Mapping[str, Recording]
) -> tuple[tuple[Recording, ...], tuple[DroppedValue, ...]]:
    """Return the rows with the values of changed fields as the new spec takes them, and those that it does not take."""
    found: list[Recording] = []
    dropped: list[DroppedValue] = []
    for sample in samples.values():
        values: list[FieldValue] = []
        for value in sample.values:
            if value.field not in changes.changed or is_rows(spec.output_schema[value.field].type):
                values.append(value)
                continue
            again = _typed_again(spec, value)
            if isinstance(again, FieldValue):
                values.append(again)
            else:
                dropped.append(DroppedValue(sample.sample_id, value.field, again))
        if tuple(values) != sample.values:
            found.append(replace(sample, values=tuple(values)))
    return tuple(found), tuple(dropped)


def _typed_again(spec: TaskSpec, value: FieldValue) -> FieldValue | str:
    """Return a value by the type that its field has now, or why it is none."""
    one, shown = spec.output_schema[value.field], value.shown or ""
    if value.state == "not_present" and nullable(one.type):
        return value
    if value.state == "not_present" and not shown:
        return f"the page shows none of it, and every record has a {one.type}"
    absent = FieldValue(field=value.field, state="not_present", shown=shown, source=value.source, read_by=value.read_by)
    if is_not_present(shown, one):
        return absent
    title = None if value.source is None else value.source.title
    typed = typed_value(one, shown, title=title, order=recorded_hints(value.source))
    if isinstance(typed, Invalid):
        return f"{quoted(shown)} is no {one.type}: {typed.message}"
    return FieldValue(
        field=value.field, state="value", value=typed.value, shown=shown, source=value.source, read_by=value.read_by
    )


def _without_gone(
    spec: TaskSpec,
    changes: SpecChanges,
    state: BuildState,
    samples: Mapping[str, Recording],
    files: Mapping[str, str],
    written: Mapping[str, ScratchWritten],
) -> tuple[dict[str, ScratchWritten], tuple[str, ...]]:
    """Return the files of scratch_work that read a field which is gone, written without it, and those that a person
    has changed."""
    found: dict[str, ScratchWritten] = {}
    by_hand: list[str] = []
    for name, one in written.items():
        todo, sample = state.todo(one.todo), samples.get(one.sample_id)
        if todo is None or sample is None or not set(todo.fields) & set(changes.gone) or name not in files:
            continue
        if files[name] != one.source:
            by_hand.append(name)
            continue
        fields = [
            value.field for value in sample.values if value.field in todo.fields and value.field in spec.output_schema
        ]
        try:
            found[name] = write_scratch(spec, todo, sample, one.steps, fields).written
        except NotCompiledError:
            by_hand.append(name)
    return found, tuple(by_hand)
