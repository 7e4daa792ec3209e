"""The flow of a learned task: open the start page, prove the record, take the pictures, read the fields."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from shared.contracts.workflows.flows import OpenAddress, TakeScreenshot
from shared.extraction.task_values import flow_task_of
from shared.extraction.values import form_of
from shared.flows.compiling.compiler import CompiledFlow, output_schema
from shared.flows.compiling.plan import FlowPlan, Item, PlannedCall, PlannedProof, PlannedReading, Section, Variable
from shared.flows.compiling.source import find_values_in, write_source
from shared.flows.files import FieldsFile, FlowFiles, ValueSchema
from shared.flows.identifiers import to_identifier
from shared.flows.learning.example_checks import FieldCheck, check_examples, unproven_rows
from shared.flows.learning.learned_fields import LearnedTask, WrittenRow
from shared.task.spec import PLACEHOLDER, TaskSpec, placeholders
from shared.task.task_fingerprint import task_marks


def find_task_problems(spec: TaskSpec) -> list[str]:
    """Return why a task cannot be learned from examples: its record must be on the page that it begins with."""
    problems: list[str] = []
    if spec.phase == "discovery":
        problems.append("its task finds samples; a flow is learned of a task that works on them")
    acting = [number for number, step in enumerate(spec.route, 1) if next(iter(type(step).model_fields)) not in READING]
    if acting:
        steps = ", ".join(map(str, acting))
        problems.append(f"step {steps} of the route acts on the site: run it, then `exhibit compile` the run")
    problems += [
        f"{one}: files are not downloaded by what was learned: run the task, then `exhibit compile` the run"
        for one in spec.required_artifacts
        if one.startswith("download")
    ]
    return problems


READING = ("read", "headline", "address", "count")
"""Kinds of route steps that only read."""


@dataclass(frozen=True)
class FlowOfExamples:
    """The flow that was learned, and what it says of its own examples. ``given_up``: fields that somebody accepts to be
    lost; they stop nothing."""

    flow: CompiledFlow
    checks: tuple[FieldCheck, ...]
    given_up: tuple[str, ...] = ()

    @property
    def left(self) -> tuple[str, ...]:
        """What keeps it from being published, for people."""
        not_learned = (one.told for one in self.checks if one.problem and one.field not in self.given_up)
        return (*self.flow.problems, *not_learned)

    @property
    def may_be_accepted(self) -> tuple[str, ...]:
        """The fields that a person may accept to be lost."""
        return tuple(
            one.field for one in self.checks if one.problem and not one.required and one.field not in self.given_up
        )


def learned_flow(
    spec: TaskSpec, task: LearnedTask, rows: Sequence[WrittenRow], accepted: Collection[str] = ()
) -> FlowOfExamples:
    """Return the flow with its files, checked on its own examples.

    A field that is not certain, and that the task does not require, is left out of it. One that is ``accepted`` to be
    lost is read where it is certain, and stops nothing.
    """
    every = [name for name, one in (*task.fields.items(), *task.lists.items()) if not one.problem]
    checks = check_examples(spec, task, learned_plan(spec, task, every).files, rows)
    unsure = {one.field for one in checks if one.problem}
    given_up = tuple(name for name in spec.output_schema if name in unsure and name in accepted)
    known = [name for name in every if name not in unsure or name in given_up or _is_needed(name, spec)]
    plan = learned_plan(spec, task, known, given_up)
    source = write_source(plan)
    texts = [one.name for one in plan.variables]
    held = {name for row in rows for name in find_values_in(source, {name: row.row.get(name, "") for name in texts})}
    problems = [f"the source has a value of the variable {name!r}" for name in sorted(held)]
    problems += unproven_rows(spec, task, plan.files, rows)
    flow = CompiledFlow(
        name=plan.name,
        source=source,
        files=plan.files,
        samples=tuple(row.name for row in rows),
        problems=tuple(problems),
        remarks=plan.remarks,
        with_model=(),
    )
    return FlowOfExamples(flow, checks, given_up)


def learned_plan(spec: TaskSpec, task: LearnedTask, names: Sequence[str], given_up: Sequence[str] = ()) -> FlowPlan:
    """Return the plan: one section that opens the page, and one that reads these fields on it."""
    known = {name: task.fields[name] for name in names if name in task.fields}
    lists = {name: task.lists[name].rules for name in names if name in task.lists}
    items: list[Item] = []
    if spec.identity:
        items.append(PlannedProof({name: _by_identifier(text) for name, text in spec.identity.items()}))
    for artifact in spec.required_artifacts:
        kind, _, label = artifact.partition(":")
        if kind == "screenshot":
            items.append(PlannedCall(TakeScreenshot(label=label or "page")))
    if known or not lists:
        items.append(PlannedReading(tuple(known)))
    items += [PlannedReading((name,), rows=True) for name in lists]
    sections = (
        Section("open_record", [PlannedCall(OpenAddress(url=_by_identifier(spec.start_url)))]),
        Section("read_record", items),
    )
    variables = dict.fromkeys(name for text in (spec.start_url, *spec.identity.values()) for name in placeholders(text))
    return FlowPlan(
        name=spec.task_id,
        title=" ".join(spec.goal.split()),
        variables=tuple(Variable(name, to_identifier(name), "str") for name in variables),
        sections=sections,
        files=FlowFiles(
            fields=FieldsFile(
                fields={name: one.rules for name, one in known.items()},
                types={name: form_of(spec.output_schema[name]) for name in known},
                lists=lists,
                constants=tuple(sorted(task.constants)),
                optional=tuple(name for name in known if task.fields[name].may_lack and not _is_needed(name, spec)),
                given_up=tuple(name for name in given_up if name in known),
                task=flow_task_of(spec, to_identifier),
            ),
            variables={f"{name}!": ValueSchema(type="string") for name in variables},
            outputs={name: output_schema(field) for name, field in spec.output_schema.items()},
            task=task_marks(spec),
        ),
        remarks=tuple(
            f"{name}: {one.problem}" for name, one in (*task.fields.items(), *task.lists.items()) if one.problem
        ),
    )


def _is_needed(name: str, spec: TaskSpec) -> bool:
    return name in spec.required_fields or name in spec.identity


def _by_identifier(template: str) -> str:
    return PLACEHOLDER.sub(lambda found: f"{{{to_identifier(found[1])}}}", template)
