"""The flow of a learned task: open the start page, prove the record, take the pictures, read the fields."""

from __future__ import annotations

from collections.abc import Sequence

from shared.contracts.workflows.flows import OpenAddress, TakeScreenshot
from shared.extraction.told import asked_of
from shared.extraction.values import form_of
from shared.flows.compiling.compiler import CompiledFlow, output_schema
from shared.flows.compiling.plan import FlowPlan, Item, PlannedCall, PlannedProof, PlannedReading, Section, Variable
from shared.flows.compiling.source import find_values_in, write_source
from shared.flows.files import FieldsFile, FlowFiles, ValueSchema
from shared.flows.identifiers import to_identifier
from shared.flows.learning.learned_fields import LearnedTask, WrittenRow
from shared.task.spec import PLACEHOLDER, TaskSpec, placeholders
from shared.task.task_fingerprint import task_marks
from shared.task.workflow_use import example_refusal


def find_task_problems(spec: TaskSpec) -> list[str]:
    """Return why a task cannot be learned from examples: its record must be on the page that it begins with."""
    problems: list[str] = []
    if refusal := example_refusal(spec.output_schema):
        problems.append(refusal)
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


def learned_flow(spec: TaskSpec, task: LearnedTask, rows: Sequence[WrittenRow]) -> CompiledFlow:
    """Return the flow with its files. ``problems``: why it stays a draft."""
    plan = learned_plan(spec, task)
    source = write_source(plan)
    texts = [one.name for one in plan.variables]
    held = {name for row in rows for name in find_values_in(source, {name: row.row.get(name, "") for name in texts})}
    lacking = [name for name in spec.required_fields if name not in plan.files.fields.fields]
    problems = [f"the source has a value of the variable {name!r}" for name in sorted(held)]
    problems += [f"{name}: {_problem_of(name, task)}" for name in lacking]
    return CompiledFlow(
        name=plan.name,
        source=source,
        files=plan.files,
        samples=tuple(row.name for row in rows),
        problems=tuple(problems),
        remarks=plan.remarks,
        with_model=(),
    )


def learned_plan(spec: TaskSpec, task: LearnedTask) -> FlowPlan:
    """Return the plan: one section that opens the page, and one that reads it."""
    known = {name: one for name, one in task.fields.items() if not one.problem}
    items: list[Item] = []
    if spec.identity:
        items.append(PlannedProof({name: _by_identifier(text) for name, text in spec.identity.items()}))
    for artifact in spec.required_artifacts:
        kind, _, label = artifact.partition(":")
        if kind == "screenshot":
            items.append(PlannedCall(TakeScreenshot(label=label or "page")))
    items.append(PlannedReading(tuple(known)))
    sections = (
        Section("open_record", [PlannedCall(OpenAddress(url=_by_identifier(spec.start_url)))]),
        Section("read_record", items),
    )
    names = dict.fromkeys(name for text in (spec.start_url, *spec.identity.values()) for name in placeholders(text))
    return FlowPlan(
        name=spec.task_id,
        title=" ".join(spec.goal.split()),
        variables=tuple(Variable(name, to_identifier(name), "str") for name in names),
        sections=sections,
        files=FlowFiles(
            fields=FieldsFile(
                fields={name: one.rules for name, one in known.items()},
                types={name: form_of(spec.output_schema[name]) for name in known},
                constants=tuple(sorted(task.constants)),
                asked=asked_of(spec, to_identifier),
            ),
            variables={f"{name}!": ValueSchema(type="string") for name in names},
            outputs={name: output_schema(field) for name, field in spec.output_schema.items()},
            task=task_marks(spec),
        ),
        remarks=tuple(f"{name}: {one.problem}" for name, one in task.fields.items() if one.problem),
    )


def _by_identifier(template: str) -> str:
    return PLACEHOLDER.sub(lambda found: f"{{{to_identifier(found[1])}}}", template)


def _problem_of(name: str, task: LearnedTask) -> str:
    return task.fields[name].problem if name in task.fields else "no row has a value of it"
