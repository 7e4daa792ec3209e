"""Which TODO of a build session a call of its flow comes from, and what that call is called. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shared.actions.table import facts_of_call
from shared.contracts.workflows.build_events import ActionMoved, ActionRecorded, BuildEvent, RowBegun, ValueRecorded
from shared.contracts.workflows.flows import FlowCall, ProveRecord, ReadFields, ReadList, ReadWithModel
from shared.flows.building.build import BuiltFlow
from shared.flows.building.edits import filled_call
from shared.flows.building.state import Todo
from shared.flows.compiling.plan import PlannedCall
from shared.pages.locate.selectors import selector_in_words


def todo_of_last(
    calls: Sequence[FlowCall],
    built: BuiltFlow,
    variables: Mapping[str, str],
    events: Iterable[BuildEvent],
    todos: Sequence[Todo],
) -> Todo | None:
    """Return the TODO that the last of these calls comes from; None where that is not known, as of a call that a person
    has written into a file.

    Args:
        calls: that the flow has made, from its first one.
        built: the flow.
        variables: that it was run with, by identifier.
        events: of the session, whose TODOs are ``todos``.
    """
    if not calls:
        return None
    steps, fields = _owners(events)
    read = _fields_of(calls[-1])
    if read:
        brings = {name: one.number for one in todos for name in one.fields}
        number = next((owner for name in read if (owner := fields.get(name) or brings.get(name))), 0)
    else:
        planned = _planned(calls, built.calls, variables)
        number = 0 if planned is None else steps.get((built.samples[planned.sample].sample_id, planned.step), 0)
    return next((one for one in todos if one.number == number), None)


def told_call(call: FlowCall) -> str:
    """Return a call for people, such as ``click on button 'Save'``."""
    name = facts_of_call(call).function
    if read := _fields_of(call):
        return f"{name} of {', '.join(read)}"
    if selector := getattr(call, "selector", ""):
        try:
            return f"{name} on {selector_in_words(selector)}"
        except ValueError:  # a person has written what is none
            return f"{name} on {selector}"
    where = next((text for key in ("url", "label", "keys") if (text := getattr(call, key, ""))), "")
    return f"{name} on {where}" if where else name


def _fields_of(call: FlowCall) -> tuple[str, ...]:
    match call:
        case ReadFields() | ReadWithModel():
            return call.fields
        case ReadList():
            return (call.name,)
        case ProveRecord():
            return tuple(call.expected)
        case _:
            return ()


def _owners(events: Iterable[BuildEvent]) -> tuple[dict[tuple[str, int], int], dict[str, int]]:
    """Return the TODO of each recorded step, by its row, and of each field, as both were recorded last."""
    steps, fields, row = dict[tuple[str, int], int](), dict[str, int](), ""
    for event in events:
        match event:
            case RowBegun():
                row = event.sample_id
                steps = {key: todo for key, todo in steps.items() if key[0] != row}
            case ActionRecorded() | ActionMoved():
                steps[row, event.step] = event.todo
            case ValueRecorded():
                fields[event.field] = event.todo
            case _:
                pass
    return steps, fields


def _planned(
    calls: Sequence[FlowCall], planned: Sequence[PlannedCall], variables: Mapping[str, str]
) -> PlannedCall | None:
    """Return what the last call was written from: the calls of a run follow the plan in order, with gaps."""
    filled = [filled_call(one.call, variables) for one in planned]
    found, begin = -1, 0
    for call in calls:
        found = next((at for at in range(begin, len(filled)) if _is_alike(filled[at], call)), -1)
        begin = begin if found < 0 else found + 1
    return None if found < 0 else planned[found]


def _is_alike(written: FlowCall, call: FlowCall) -> bool:
    """Return whether a call is this one; the option of a dropdown is looked up as the flow runs."""
    if written == call:
        return True
    selector = getattr(call, "selector", "")
    return type(written) is type(call) and bool(selector) and getattr(written, "selector", "") == selector
