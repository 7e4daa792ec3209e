"""What a person has changed in the files of scratch_work, applied to the plan of a flow. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any

from msgspec.structs import replace as replace_part

from shared.contracts.workflows.flows import FlowCall
from shared.flows.building.scratch import ScratchWritten, fields_read
from shared.flows.building.scratch_calls import read_scratch
from shared.flows.compiling.alignment import align_samples
from shared.flows.compiling.plan import FlowPlan, Item, PlannedCall, PlannedReading, Section, Variable
from shared.flows.compiling.recorded_calls import RecordedCall, calls_of
from shared.flows.compiling.steps import identifiers_in
from shared.flows.files import DropdownMapping, ValueSchema
from shared.flows.identifiers import to_identifier
from shared.pages.locate.selectors import fill_selector, fill_template, parse_selector, write_selector
from shared.recordings.recording import Recording

TEXTS = ("url", "text", "option", "search", "date", "label", "file")
"""Arguments of calls in which variables may stand."""


@dataclass(frozen=True)
class AddedCall:
    """A call that a person has written. ``after_step``: of the sample that the file was written from; 0: it is the
    first. ``after_fields``: that are read before it. ``file`` and ``line``: where it stands."""

    call: PlannedCall
    after_step: int
    after_fields: tuple[str, ...]
    file: str
    line: int


@dataclass
class ScratchEdits:
    """``removed``: recorded steps whose calls are gone, each with the sample that its file was written from.
    ``not_read``: fields whose reading is gone. ``told``: for the log."""

    added: list[AddedCall] = field(default_factory=list[AddedCall])
    removed: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    not_read: set[str] = field(default_factory=set[str])
    told: list[str] = field(default_factory=list[str])


def find_edits(
    files: Mapping[str, str],
    written: Mapping[str, ScratchWritten],
    mappings: Mapping[str, DropdownMapping],
    order: Sequence[int] = (),
) -> ScratchEdits:
    """Return what was changed in the files since a session has written them, file by file in the order of their names.
    ``order``: of the TODOs, by number: their files come in this order, but for what was recorded in another one.

    ``files``: the sources of scratch_work as they are. A file that is gone takes its calls with it; one that no session
    has written adds all of its calls.
    """
    edits = ScratchEdits()
    last_step, last_fields = 0, ()
    still_read: set[str] = set()
    place = {number: at for at, number in enumerate(order)}

    for name in _in_order({*files, *written}, written, place):
        first = written.get(name)
        before = _items(first.source, mappings, ScratchEdits(), name) if first is not None else []
        steps = tuple((first.sample_id, step) for step in first.steps) if first is not None else ()
        if name not in files:
            edits.removed |= set(steps)
            edits.not_read |= set(fields_read([item for item, _ in before or ()]))
            edits.told.append(f"{name} is gone: so are its calls")
            continue
        now = _items(files[name], mappings, edits, name)
        if now is None or before is None:
            now, before = before or [], before or []
        still_read |= set(fields_read([item for item, _ in now]))
        last_step, last_fields = _compare(name, before, now, steps, (last_step, last_fields), edits)
    edits.not_read -= still_read
    return edits


def _in_order(names: Iterable[str], written: Mapping[str, ScratchWritten], place: Mapping[int, int]) -> list[str]:
    """Return the names of files in the order of what was recorded. One without a step stays behind the one before it;
    one that belongs to no TODO stands by its name."""
    placed = {name: place[one.todo] for name, one in written.items() if one.todo in place}

    def position(name: str) -> tuple[float, str]:
        if name in placed:
            return placed[name], name
        return max((at for other, at in placed.items() if other < name), default=-1) + 0.5, name

    first: dict[str, int] = {}
    last = 0
    ordered = sorted(names, key=position)
    for name in ordered:
        steps = written[name].steps if name in written else ()
        last = steps[0] if steps else last
        first[name] = last
    return sorted(ordered, key=lambda name: first[name])


def _items(
    source: str, mappings: Mapping[str, DropdownMapping], edits: ScratchEdits, name: str
) -> list[tuple[Item, int]] | None:
    try:
        found = read_scratch(source, mappings)
    except SyntaxError as exc:
        edits.told.append(f"{name}, line {exc.lineno or 0}: {exc.msg}: the file counts as it was before")
        return None
    edits.told += [f"{name}, {one}" for one in found.told]
    return found.items


def _compare(
    name: str,
    before: Sequence[tuple[Item, int]],
    now: Sequence[tuple[Item, int]],
    steps: Sequence[tuple[str, int]],
    last: tuple[int, tuple[str, ...]],
    edits: ScratchEdits,
) -> tuple[int, tuple[str, ...]]:
    """Add what differs to the edits. Return the last step and the fields read, for the next file."""
    step_at = _steps_by_item(before, steps)
    after_step, after_fields = last
    matcher = SequenceMatcher(None, [repr(item) for item, _ in before], [repr(item) for item, _ in now], autojunk=False)
    for what, start, end, to, until in matcher.get_opcodes():
        for at in range(start, end):
            item = before[at][0]
            if what == "equal":
                after_step = step_at[at][1] if at in step_at else after_step
                after_fields = item.fields if isinstance(item, PlannedReading) else ()
            elif at in step_at:
                edits.removed.add(step_at[at])
                edits.told.append(f"{name}: the call of step {step_at[at][1]} is gone")
            elif isinstance(item, PlannedReading):
                edits.not_read |= set(item.fields)
        for item, line in now[to:until] if what != "equal" else ():
            if isinstance(item, PlannedCall):
                edits.added.append(AddedCall(item, after_step, after_fields, name, line))
                edits.told.append(f"{name}, line {line}: a call was written by hand")
            elif not isinstance(item, PlannedReading):
                edits.told.append(f"{name}, line {line}: what proves the record is said by the task")
    return after_step, after_fields


def _steps_by_item(items: Sequence[tuple[Item, int]], steps: Sequence[tuple[str, int]]) -> dict[int, tuple[str, int]]:
    calls = [at for at, (item, _) in enumerate(items) if isinstance(item, PlannedCall)]
    return dict(zip(calls, steps, strict=False))


def added_calls_in(
    name: str,
    source: str,
    written: ScratchWritten,
    mappings: Mapping[str, DropdownMapping],
    row: Mapping[str, str],
) -> list[FlowCall]:
    """Return the calls that a person has written into a file, with the values of a row."""
    variables = {to_identifier(key): value for key, value in row.items()}
    edits = find_edits({name: source}, {name: written}, mappings)
    return [filled_call(one.call.call, variables) for one in edits.added]


def filled_call(call: FlowCall, variables: Mapping[str, str]) -> FlowCall:
    """Return a call with values in place of variables."""
    changes: dict[str, Any] = {
        key: fill_template(text, variables)
        for key in TEXTS
        if isinstance(text := getattr(call, key, None), str) and text
    }
    if getattr(call, "selector", ""):
        filled = fill_selector(parse_selector(getattr(call, "selector", "")), variables)
        changes["selector"] = write_selector(filled)
    return replace_part(call, **changes)


# --- applied


def without_steps(
    samples: Sequence[Recording], removed: Iterable[tuple[str, int]], dropped: Mapping[str, frozenset[int]]
) -> list[Recording]:
    """Return the samples without these steps, and without the steps of the others that are the same.

    ``removed``: steps, each with the id of its sample. ``dropped``: further steps to leave out, by sample.
    """
    cleared = [_without(one, dropped.get(one.sample_id, frozenset[int]())) for one in samples]
    gone = frozenset(removed)
    if not gone:
        return cleared
    rows = [{to_identifier(name): value for name, value in one.row.items()} for one in cleared]
    calls: list[list[RecordedCall]] = [calls_of(one, number)[0] for number, one in enumerate(cleared)]
    of_sample: list[set[int]] = [set() for _ in cleared]
    for column in align_samples(calls, rows):
        if any((cleared[number].sample_id, call.step) in gone for number, call in column.calls.items()):
            for number, call in column.calls.items():
                of_sample[number].add(call.step)
    return [_without(one, frozenset(steps)) for one, steps in zip(cleared, of_sample, strict=True)]


def _without(sample: Recording, steps: frozenset[int]) -> Recording:
    return replace(sample, steps=tuple(one for one in sample.steps if one.step not in steps)) if steps else sample


def with_added(plan: FlowPlan, added: Sequence[AddedCall], names: Mapping[str, str]) -> FlowPlan:
    """Return the plan with the calls that a person has written, each after what it stands after in its file.

    ``names``: of all variables, by identifier.
    """
    if not added:
        return plan
    sections = [replace(one, items=list(one.items)) for one in plan.sections] or [Section("by_hand")]
    behind: dict[tuple[int, int], int] = {}
    for one in added:
        at, index = _place(sections, one)
        shift = behind.get((at, index), 0)
        sections[at].items.insert(index + shift, one.call)
        behind[at, index] = shift + 1
    variables, schema = list(plan.variables), dict(plan.files.variables)
    for identifier in sorted({name for one in added for name in identifiers_in(one.call.call)}):
        if identifier in names and all(identifier != one.identifier for one in variables):
            variables.append(Variable(names[identifier], identifier, "str"))
            schema[f"{names[identifier]}!"] = ValueSchema(type="string")
    files = replace_part(plan.files, variables=schema)
    return replace(plan, sections=tuple(sections), variables=tuple(variables), files=files)


def _place(sections: Sequence[Section], one: AddedCall) -> tuple[int, int]:
    """Return section and index at which the call is put: behind the last thing that stands before it in its file."""
    found = (0, 0)
    for at, section in enumerate(sections):
        for index, item in enumerate(section.items):
            is_step = isinstance(item, PlannedCall) and 0 < item.step <= one.after_step
            is_read = isinstance(item, PlannedReading) and set(item.fields) & set(one.after_fields)
            if is_step or is_read:
                found = (at, index + 1)
    return found
