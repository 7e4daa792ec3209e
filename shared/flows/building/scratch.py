"""The files of scratch_work: the calls of one TODO as a small program, written and read again. Pure.

A person may edit them. What is read is calls of ``exhibit.flow``; whatever else stands there is told, and left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shared.contracts.base import Part
from shared.flows.building.state import Todo
from shared.flows.compiling.compiler import compile_samples
from shared.flows.compiling.plan import FlowPlan, Item, PlannedCall, PlannedReading, Section
from shared.flows.compiling.source import write_source
from shared.flows.identifiers import FLOW_NAMES, to_identifier
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec
from shared.text.normal import fold


class ScratchWritten(Part, frozen=True, kw_only=True):
    """A file of scratch_work as a session has written it. ``steps``: of the sample, by the order of its calls."""

    todo: int
    sample_id: str
    source: str
    steps: tuple[int, ...]


@dataclass(frozen=True)
class ScratchFile:
    """``gaps``: what of the TODO could not be written. ``untold``: fields of which the next row tells where they
    stand."""

    written: ScratchWritten
    gaps: tuple[str, ...]
    untold: tuple[str, ...]


def write_scratch(
    spec: TaskSpec, todo: Todo, sample: Recording, steps: Sequence[int], fields: Sequence[str]
) -> ScratchFile:
    """Return the file of a TODO. ``steps``: the recorded steps of it. ``fields``: those that were read for it."""
    plan = _plan_of(spec, todo, [_part_of(sample, steps, fields)], fields)
    gaps = tuple(one for one in plan.problems if one not in plan.of_whole)
    return ScratchFile(_written(plan, todo, sample.sample_id), gaps, plan.untold)


def write_scratch_again(
    spec: TaskSpec, todo: Todo, rows: Sequence[tuple[Recording, Sequence[int]]], fields: Sequence[str]
) -> ScratchWritten | None:
    """Return the file of a TODO that was worked out on several rows; ``rows``: each with the recorded steps of it.

    It names what holds on all of them. None: they took other steps, or nothing that holds was found."""
    plan = _plan_of(spec, todo, [_part_of(sample, steps, fields) for sample, steps in rows], fields)
    calls = [item for section in plan.sections for item in section.items if isinstance(item, PlannedCall)]
    differs = any(one.condition is not None and one.condition.kind != "variable" for one in calls)
    if differs or set(plan.problems) - set(plan.of_whole):
        return None
    return _written(plan, todo, rows[0][0].sample_id)


def _part_of(sample: Recording, steps: Sequence[int], fields: Sequence[str]) -> Recording:
    return replace(
        sample,
        steps=tuple(one for one in sample.steps if one.step in steps),
        values=tuple(one for one in sample.values if one.field in fields),
    )


def _plan_of(spec: TaskSpec, todo: Todo, parts: Sequence[Recording], fields: Sequence[str]) -> FlowPlan:
    return compile_samples(_spec_of(spec, todo, fields), parts, draft=True)


def _written(plan: FlowPlan, todo: Todo, sample_id: str) -> ScratchWritten:
    items = [item for section in plan.sections for item in section.items]
    source = write_source(_in_one_section(plan, todo, items))
    order = tuple(one.step for one in items if isinstance(one, PlannedCall))
    return ScratchWritten(todo=todo.number, sample_id=sample_id, source=source, steps=order)


def _spec_of(spec: TaskSpec, todo: Todo, fields: Sequence[str]) -> TaskSpec:
    outputs = {name: spec.output_schema[name] for name in spec.output_schema if name in fields}
    identity = {name: text for name, text in spec.identity.items() if name in fields}
    changed = {"goal": todo.title, "output_schema": outputs, "identity": identity, "judgment_required": False}
    return spec.model_copy(update=changed)


def _in_one_section(plan: FlowPlan, todo: Todo, items: list[Item]) -> FlowPlan:
    name = "_".join(to_identifier(fold(todo.title)).split("_")[:5]).strip("_")
    section = Section(f"{name}_" if name in FLOW_NAMES or name == "exhibit" else name or "todo", items)
    return replace(plan, title=todo.title, sections=(section,) if items else ())


def fields_read(items: Sequence[Item]) -> tuple[str, ...]:
    """Return the fields that these items read, in order."""
    return tuple(name for item in items if isinstance(item, PlannedReading) for name in item.fields)
