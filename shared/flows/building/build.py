"""The flow of a build session: what was recorded, what was changed in scratch_work, and what was said. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec.structs import replace as replace_part

from shared.contracts.questions import MAX_QUESTIONS
from shared.contracts.workflows.build_events import Question
from shared.flows.building.edits import AddedCall, ScratchEdits, find_edits, with_added, without_steps
from shared.flows.building.scratch import ScratchWritten
from shared.flows.building.state import BuildState
from shared.flows.compiling.compiler import (
    MIN_SAMPLES,
    CompiledFlow,
    compile_samples,
    output_schemas,
    with_given_up,
    write_flow,
)
from shared.flows.compiling.plan import FlowPlan, PlannedCall
from shared.flows.identifiers import to_identifier
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec
from shared.task.task_fingerprint import task_marks

ONE_MORE_ROW, BY_HAND, AS_IT_IS = "work out one more row", "change it in scratch_work", "leave it as it is"
TO_MODEL = "leave it to a model"


@dataclass(frozen=True)
class BuiltFlow:
    """``told``: what was taken from scratch_work, and what was not. ``added``: calls that a person has written;
    recorded rows cannot check them. ``questions``: what the user should say, and has not said yet.
    ``calls``: what the flow does, in order; the index of a sample is that in ``samples``."""

    flow: CompiledFlow
    told: tuple[str, ...]
    added: tuple[AddedCall, ...]
    questions: tuple[Question, ...]
    samples: tuple[Recording, ...]
    calls: tuple[PlannedCall, ...] = ()


def compile_build(
    spec: TaskSpec,
    state: BuildState,
    samples: Sequence[Recording],
    files: Mapping[str, str],
    written: Mapping[str, ScratchWritten],
    given_up: Collection[str] = (),
) -> BuiltFlow:
    """Return the flow of the session so far; of one row it is a draft.

    ``files``: scratch_work as it is; ``written``: as the session has written it. ``given_up``: see
    `compile_flow`. Raises NotCompiledError where nothing was recorded.
    """
    none = frozenset[int]()
    own = {name: state.dropped.get(name, none) | state.added.get(name, none) for name in {*state.dropped, *state.added}}
    ordered = _in_order(samples, written)
    draft = len(ordered) < MIN_SAMPLES
    recorded = without_steps(ordered, (), own)
    plan = compile_samples(spec, recorded, draft=draft)
    edits = find_edits(files, written, plan.files.mappings, [one.number for one in state.todos])
    if edits.removed or edits.not_read:
        recorded = without_steps(ordered, edits.removed, own)
        plan = _of_task(spec, compile_samples(_without_fields(spec, edits), recorded, draft=draft))
    names = {to_identifier(name): name for name in ordered[0].row}
    plan = with_given_up(with_added(plan, edits.added, names), {*given_up, *state.given_up})
    flow = write_flow(spec, plan, recorded)
    calls = tuple(item for section in plan.sections for item in section.items if isinstance(item, PlannedCall))
    told = [*edits.told, *(f"{name} is not read any more" for name in sorted(edits.not_read))]
    questions = [one for one in _questions(flow) if one.text not in state.asked]
    return BuiltFlow(flow, tuple(told), tuple(edits.added), tuple(questions[:MAX_QUESTIONS]), tuple(recorded), calls)


def _in_order(samples: Sequence[Recording], written: Mapping[str, ScratchWritten]) -> list[Recording]:
    """Return the samples, that which scratch_work was written from first: its steps are those of the files."""
    first = next((one.sample_id for one in written.values()), "")
    return sorted(samples, key=lambda one: one.sample_id != first)


def _of_task(spec: TaskSpec, plan: FlowPlan) -> FlowPlan:
    """Return the plan with all outputs of the task: a field that it does not read is one of the task all the same."""
    return replace(plan, files=replace_part(plan.files, outputs=output_schemas(spec), task=task_marks(spec)))


def _without_fields(spec: TaskSpec, edits: ScratchEdits) -> TaskSpec:
    kept = {name: field for name, field in spec.output_schema.items() if name not in edits.not_read}
    identity = {name: text for name, text in spec.identity.items() if name in kept}
    return spec.model_copy(update={"output_schema": kept, "identity": identity})


def _questions(flow: CompiledFlow) -> list[Question]:
    """Return a question about everything that keeps the flow a draft though two rows were recorded."""
    if len(flow.samples) < MIN_SAMPLES:
        return []
    asked = [Question(text=f"{one}. What now?", options=(ONE_MORE_ROW, BY_HAND, AS_IT_IS), about="problem")
             for one in flow.problems]  # fmt: skip
    asked += [
        Question(
            text=f"No rule gives {name} on all rows. How is it to be read?",
            options=(ONE_MORE_ROW, TO_MODEL),
            about=name,
        )
        for name in flow.with_model
    ]
    return asked
