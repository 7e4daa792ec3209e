"""Compiles recorded samples into the plan of a flow. Pure: what it is given are steps, rows and stored pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec.structs import replace as replace_part

from shared.extraction.task_values import flow_task_of
from shared.extraction.values import form_of
from shared.field_types import base_type, is_rows, nullable
from shared.flows.compiling.alignment import Column, align_samples
from shared.flows.compiling.conditions import find_conditions
from shared.flows.compiling.field_places import PlacedField, PlacedList, place_field, place_lists
from shared.flows.compiling.plan import (
    Condition,
    FlowPlan,
    PlannedProof,
    PlannedReading,
    Variable,
    fields_left_to_model,
)
from shared.flows.compiling.recorded_calls import RecordedCall, calls_of
from shared.flows.compiling.sample_choice import MIN_SAMPLES, may_be_lacking
from shared.flows.compiling.sections import to_sections
from shared.flows.compiling.source import find_values_in, write_source
from shared.flows.compiling.steps import PlannedSteps, StepPlanner, identifiers_in
from shared.flows.files import FieldsFile, FlowFiles, ValueSchema, ValueType, fields_without_rules
from shared.flows.identifiers import to_identifier
from shared.recordings.recording import Recording
from shared.task.output_field import OutputField
from shared.task.presses import presses_of
from shared.task.route import step_in_words
from shared.task.spec import PLACEHOLDER, TaskSpec
from shared.task.task_fingerprint import task_marks
from shared.text.normal import fold

JUDGMENT = "judgment"
"""Stands for the answer to the question of a task among the fields that are left to a model."""
_VALUE_TYPES: Mapping[str, ValueType] = {
    "number": "number",
    "boolean": "boolean",
    "array": "array",
    "rows": "array",
    "enum": "enum",
}
Readings = dict[int, list[PlannedProof | PlannedReading]]


@dataclass(frozen=True)
class CompiledFlow:
    """A flow as it was written. ``problems``: why it stays a draft; empty: it can be validated.

    ``with_model``: fields that no rule expresses. ``remarks``: why, field by field."""

    name: str
    source: str
    files: FlowFiles
    samples: tuple[str, ...]
    problems: tuple[str, ...]
    remarks: tuple[str, ...]
    with_model: tuple[str, ...]


class NotCompiledError(ValueError):
    """Nothing can be compiled; the message says why and what to do."""


def compile_flow(spec: TaskSpec, samples: Sequence[Recording], given_up: Collection[str] = ()) -> CompiledFlow:
    """Return the flow that does what these samples did, with everything that keeps it from being published.

    ``given_up``: fields of which a person has accepted that they are lost: none of them stops the flow.

    Raises NotCompiledError as `compile_samples` does.
    """
    return write_flow(spec, with_given_up(compile_samples(spec, samples), given_up), samples)


def with_given_up(plan: FlowPlan, given_up: Collection[str]) -> FlowPlan:
    """Return the plan of a flow that none of these fields stops."""
    known = {*plan.files.fields.fields, *fields_without_rules(plan.files)}
    fields = replace_part(plan.files.fields, given_up=tuple(sorted(set(given_up) & known)))
    return replace(plan, files=replace_part(plan.files, fields=fields))


def write_flow(spec: TaskSpec, plan: FlowPlan, samples: Sequence[Recording]) -> CompiledFlow:
    """Return the flow of a plan that was made of these samples."""
    source = write_source(plan)
    if _held_values(source, plan, samples):
        # The words of the task may name a value by chance; then its name has to do as a description.
        plan = replace(plan, title=spec.task_id.replace("_", " ").capitalize())
        source = write_source(plan)
    held = _held_values(source, plan, samples)
    secrets = [f"the source has a value of the variable {name!r}" for name in held]
    return CompiledFlow(
        name=plan.name,
        source=source,
        files=plan.files,
        samples=plan.samples,
        problems=(*plan.problems, *secrets),
        remarks=plan.remarks,
        with_model=fields_left_to_model(plan),
    )


def _held_values(source: str, plan: FlowPlan, samples: Sequence[Recording]) -> list[str]:
    """Return the variables of which the source has a value of any sample."""
    texts = [one.name for one in plan.variables if one.hint == "str"]
    return sorted({name for one in samples for name in find_values_in(source, {name: one.row[name] for name in texts})})


def compile_samples(spec: TaskSpec, samples: Sequence[Recording], *, draft: bool = False) -> FlowPlan:
    """Return the plan of the flow that does what these samples did.

    ``draft``: one sample will do, and it may have done nothing but read. What is equal to a variable becomes it, and
    values are read by the label beside them; a field that no sample shows is left out, and told as a problem.

    Raises NotCompiledError with fewer than two samples, or samples that did nothing.
    """
    if len(samples) < (1 if draft else MIN_SAMPLES):
        raise NotCompiledError(f"{len(samples)} sample; {MIN_SAMPLES} or more are needed to tell what varies")
    names = {to_identifier(name): name for name in _column_names(spec, samples)}
    rows = [{key: sample.row.get(name, "") for key, name in names.items()} for sample in samples]
    recorded, problems = _recorded(samples, may_only_read=draft)
    columns = align_samples(recorded, rows)
    outputs = [_shown_values(sample) for sample in samples]
    presses = [presses_of(spec.route, sample.row) for sample in samples]
    steps = StepPlanner(columns, rows, outputs, spec.route, presses).plan()
    placed, left = _place_fields(spec, samples, columns, rows, draft=draft)
    lists, without_rules = place_lists(spec, samples, columns)
    left |= without_rules
    untold: tuple[str, ...] = ()
    of_whole = _route_gaps(spec, samples)
    if draft:
        problems += [f"{name}: {why}" for name, why in left.items()]
        left, untold = {}, _untold_fields(placed)
        of_whole = [*_lacking_rows(samples, untold), *of_whole]
    proof, identity = _proof(spec, samples, columns, rows, draft=draft)
    readings = _readings(placed, lists, left, proof, len(columns), spec)
    conditions, doubts = find_conditions(steps, columns, samples)
    sections = to_sections(steps.calls, columns, readings, conditions)
    used = _used_variables(steps, proof, conditions, [*placed, *identity])
    variables, schema = _variables(names, rows, used, steps.booleans, draft=draft and len(rows) < MIN_SAMPLES)
    return FlowPlan(
        name=spec.task_id,
        title=" ".join(spec.goal.split()),
        variables=variables,
        sections=sections,
        files=_files(
            *(spec, steps, (placed, lists), identity, schema, frozenset[str]().union(*outputs)),
            optional=[
                one.name for one in placed if any(may_be_lacking(sample, one.name, one.rules) for sample in samples)
            ],
        ),
        samples=tuple(sample.sample_id for sample in samples),
        problems=(*problems, *steps.problems, *doubts, *of_whole),
        of_whole=tuple(of_whole),
        untold=untold,
        remarks=tuple(f"{name}: {why}" for name, why in left.items()),
    )


def _untold_fields(placed: Sequence[PlacedField]) -> tuple[str, ...]:
    """Return the fields of which a draft of one row does not tell where they stand: no label of the page does."""
    return tuple(one.name for one in placed if not one.rules.rules)


def _lacking_rows(samples: Sequence[Recording], untold: Sequence[str]) -> list[str]:
    """Return that a draft lacks a row, and what that one settles."""
    if len(samples) >= MIN_SAMPLES:
        return []
    where = f", and where {', '.join(untold)} {'stand' if len(untold) > 1 else 'stands'}" if untold else ""
    return [f"it was worked out on {len(samples)} row: one more is needed to tell what varies{where}"]


def _recorded(samples: Sequence[Recording], *, may_only_read: bool) -> tuple[list[list[RecordedCall]], list[str]]:
    recorded: list[list[RecordedCall]] = []
    problems: list[str] = []
    for number, sample in enumerate(samples):
        calls, told = calls_of(sample, number)
        if not calls and not may_only_read:
            raise NotCompiledError(f"{sample.sample_id} has no steps that could be repeated")
        recorded.append(calls)
        problems += told
    return recorded, problems


def _column_names(spec: TaskSpec, samples: Sequence[Recording]) -> list[str]:
    """Return the columns of the task that every sample has."""
    asked = [*spec.input_schema, *PLACEHOLDER.findall(spec.start_url + spec.sample_id), *_identity_columns(spec)]
    return [name for name in dict.fromkeys(asked) if all(name in sample.row for sample in samples)]


def _identity_columns(spec: TaskSpec) -> list[str]:
    return [name for template in spec.identity.values() for name in PLACEHOLDER.findall(template)]


def _shown_values(sample: Recording) -> frozenset[str]:
    return frozenset(fold(value.shown) for value in sample.values if value.shown and value.state == "value")


# --- fields


def _place_fields(
    spec: TaskSpec,
    samples: Sequence[Recording],
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, str]],
    *,
    draft: bool,
) -> tuple[list[PlacedField], dict[str, str]]:
    """Return the fields with rules, and the others with the reason."""
    placed: list[PlacedField] = []
    left: dict[str, str] = {}
    for name, field in spec.output_schema.items():
        if is_rows(field.type):
            continue
        if field.derived:
            left[name] = "it is derived from what the pages show"
            continue
        found = place_field(name, spec, samples, columns, rows, draft=draft)
        if isinstance(found, str):
            left[name] = found
        else:
            placed.append(found)
    return placed, left


def _proof(
    spec: TaskSpec,
    samples: Sequence[Recording],
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, str]],
    *,
    draft: bool,
) -> tuple[tuple[int, PlannedProof] | None, list[PlacedField]]:
    """Return where and by what the record is proven: as early as its fields were read."""
    expected: dict[str, str] = {}
    found: list[PlacedField] = []
    for name, template in spec.identity.items():
        placed = place_field(name, spec, samples, columns, rows, first=True, draft=draft)
        if not isinstance(placed, str):
            expected[name] = PLACEHOLDER.sub(lambda match: f"{{{to_identifier(match[1])}}}", template)
            found.append(placed)
    if not expected:
        return None, []
    return (max(one.at for one in found), PlannedProof(expected)), found


def _readings(
    placed: Sequence[PlacedField],
    lists: Sequence[PlacedList],
    left: Mapping[str, str],
    proof: tuple[int, PlannedProof] | None,
    end: int,
    spec: TaskSpec,
) -> Readings:
    readings: Readings = defaultdict(list)
    if proof is not None:
        readings[proof[0]].append(proof[1])
    for at in sorted({one.at for one in placed}):
        readings[at].append(PlannedReading(tuple(one.name for one in placed if one.at == at)))
    for one in lists:
        readings[one.at].append(PlannedReading((one.name,), rows=True))
    asked = (*left, JUDGMENT) if spec.judgment_required else tuple(left)
    if asked:
        readings[end].append(PlannedReading(asked, with_model=True))
    return readings


# --- what only some samples did


def _route_gaps(spec: TaskSpec, samples: Sequence[Recording]) -> list[str]:
    """Return the steps of the task's route that no sample has taken. It is known where rules followed the route."""
    marked = {step.route.step for sample in samples for step in sample.steps if step.route is not None}
    if not marked:
        return []
    gaps: list[str] = []
    for number, step in enumerate(spec.route, 1):
        kind = next(iter(type(step).model_fields))
        if kind not in ("read", "headline", "address", "count") and number not in marked:
            gaps.append(
                f"step {number} of the task's route ({step_in_words(step)}) was taken on no row: work out a row that "
                "takes it, or take the step out of the spec"
            )
    return gaps


# --- variables


def _used_variables(
    steps: PlannedSteps,
    proof: tuple[int, PlannedProof] | None,
    conditions: Mapping[int, Condition],
    placed: Sequence[PlacedField],
) -> frozenset[str]:
    used: set[str] = {one.row_of for one in placed if one.row_of}
    for planned in steps.calls:
        if planned is not None:
            used |= identifiers_in(planned.call)
            if planned.condition is not None and planned.condition.kind == "variable":
                used.add(planned.condition.text)
    if proof is not None:
        used |= {name for template in proof[1].expected.values() for name in PLACEHOLDER.findall(template)}
    for condition in conditions.values():
        used |= set(PLACEHOLDER.findall(condition.text))
    return frozenset(used)


def _variables(
    names: Mapping[str, str],
    rows: Sequence[Mapping[str, str]],
    used: frozenset[str],
    booleans: set[str],
    *,
    draft: bool,
) -> tuple[tuple[Variable, ...], dict[str, ValueSchema]]:
    """Return the parameters and their schema.

    A variable that no step depends on is left out if the samples had different values of it: they did the same all the
    same. If all had one value, only that value is accepted: what another one would ask for is not known. Of a draft
    it is left out, since one sample has one value of everything.
    """
    variables: list[Variable] = []
    schema: dict[str, ValueSchema] = {}
    for identifier, name in names.items():
        values = {row[identifier] for row in rows}
        if identifier in booleans:
            schema[f"{name}!"] = ValueSchema(type="boolean")
            variables.append(Variable(name, identifier, "bool"))
        elif identifier in used:
            schema[f"{name}!"] = ValueSchema(type="string")
            variables.append(Variable(name, identifier, "str"))
        elif len(values) == 1 and not draft and not any(_equals(identifier, other, rows) for other in used):
            [value] = values
            text = "No recorded sample had another value, and no step depends on it: what another one asks is unknown."
            schema[f"{name}!"] = ValueSchema(type="enum", enum_values=(value,), description=text)
            variables.append(Variable(name, identifier, "str"))
    return tuple(variables), schema


def _equals(name: str, other: str, rows: Sequence[Mapping[str, str]]) -> bool:
    """Return whether two variables had the same value on every sample, as the two names of one address."""
    return all(row[name] == row[other] for row in rows)


# --- files


def _files(
    spec: TaskSpec,
    steps: PlannedSteps,
    read: tuple[Sequence[PlacedField], Sequence[PlacedList]],
    identity: Sequence[PlacedField],
    schema: dict[str, ValueSchema],
    values: frozenset[str],
    optional: Collection[str],
) -> FlowFiles:
    placed, lists = read
    fields = {one.name: one for one in placed}
    constants = sorted(frozenset[str]().union(*(one.constants for one in (*placed, *identity))))
    constants = [text for text in constants if text.partition(": ")[2] not in values]
    return FlowFiles(
        locators=steps.locators,
        fields=FieldsFile(
            proofs={one.name: one.rules for one in identity},
            types={name: form_of(spec.output_schema[name]) for name in fields},
            fields={name: one.rules for name, one in fields.items()},
            rows={one.name: one.row_of for one in (*placed, *identity) if one.row_of},
            lists={one.name: one.rules for one in lists},
            constants=tuple(constants),
            optional=tuple(name for name in optional if name not in (*spec.required_fields, *spec.identity)),
            task=flow_task_of(spec, to_identifier),
        ),
        mappings=steps.mappings,
        variables=schema,
        outputs=output_schemas(spec),
        task=task_marks(spec),
    )


def output_schemas(spec: TaskSpec) -> dict[str, ValueSchema]:
    """Return the types of all outputs of the task."""
    return {name: output_schema(field) for name, field in spec.output_schema.items()}


def output_schema(field: OutputField) -> ValueSchema:
    """Return the type of an output as the schema of outputs writes it; dates and exact numbers are texts."""
    kind = _VALUE_TYPES.get(base_type(field.type), "string")
    text = field.description + (" None where the page says that there is none." if nullable(field.type) else "")
    return ValueSchema(type=kind, description=text.strip(), enum_values=tuple(field.values))
