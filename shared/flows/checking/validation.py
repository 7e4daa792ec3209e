"""Compiled flows checked before they are published: run on recorded samples, whose stored pages answer their calls."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from shared.bus.ports import Asks
from shared.client.flow_runs import run_flow
from shared.contracts.workflows.flows import BeginFlow, FlowAnswer, FlowCall
from shared.contracts.workflows.invocations import WorkflowRan
from shared.errors import PermanentError
from shared.flows.checking.losses import LostField, find_losses
from shared.flows.checking.published import LibraryFlow
from shared.flows.checking.recorded_answers import RecordedAnswers, SampleCheck, check_values, values_of
from shared.flows.compiling.compiler import CompiledFlow, compile_flow
from shared.flows.compiling.sample_choice import choose_samples
from shared.flows.files import FlowFiles, write_files
from shared.flows.identifiers import to_identifier
from shared.flows.variables import typed_row
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec

MAX_COMPILED_FROM = 8
"""Samples that a flow is compiled from, where none are named; the others are held out."""
MIN_HELD_OUT = 1


@dataclass(frozen=True)
class Validation:
    """``checks``: of samples that the flow was not compiled from. ``differs``: problems that nobody can accept.
    ``lost``: fields that others have and the flow has not; those that nobody has accepted are problems too:
    ``refused``. A field that is lost is told once, and not again for each sample that has it."""

    checks: tuple[SampleCheck, ...]
    differs: tuple[str, ...]
    lost: tuple[LostField, ...] = ()
    refused: tuple[LostField, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """Why it may not be published; empty: it may."""
        return (*self.differs, *(one.told for one in self.refused))


@dataclass(frozen=True)
class Losses:
    """What a flow may lose: ``accepted``: fields of which a person has said so. ``published``: what it is compared
    with besides the samples and the rules; None: the library has no flow of this name."""

    accepted: frozenset[str] = frozenset()
    published: LibraryFlow | None = None


NO_LOSSES = Losses()


def split_samples(
    spec: TaskSpec, samples: Sequence[Recording], named: Sequence[str]
) -> tuple[list[Recording], list[Recording]]:
    """Return the samples to compile from, and those that are held out to check the flow.

    Without names as few are chosen as show every field and every kind of page.
    """
    chosen = choose_samples(spec, samples) if not named else [one for one in samples if one.sample_id in named]
    ids = {one.sample_id for one in chosen}
    return chosen, [one for one in samples if one.sample_id not in ids]


def words_for_nothing(spec: TaskSpec) -> dict[str, tuple[str, ...]]:
    """Return for each field the words by which a page says that there is none."""
    return {name: tuple(field.not_present) for name, field in spec.output_schema.items()}


async def check_sample(asks: Asks, flow: CompiledFlow, spec: TaskSpec, sample: Recording) -> SampleCheck:
    """Run a draft on one recorded sample, without a browser, and compare what it did and found."""
    return await check_flow(asks, begin_draft(flow, sample.row), flow.files, spec, sample)


async def check_flow(asks: Asks, begin: BeginFlow, files: FlowFiles, spec: TaskSpec, sample: Recording) -> SampleCheck:
    """The same for a flow that ``begin`` begins; ``files``: its files. Of a field that it has given up nothing need be
    found; what is found must be right."""
    answers = RecordedAnswers(sample, files, identifiers_of(sample.row), words_for_nothing(spec))

    async def answer(call: FlowCall) -> FlowAnswer:
        return answers.answer(call)

    ran = await run_flow(asks, begin, answer)
    found, given_up = values_of(ran.value), files.fields.given_up
    expected = tuple(one for one in sample.values if one.field not in given_up or found.get(one.field) is not None)
    return check_values(replace(sample, values=expected), answers, ran.value, error_of(ran), words_for_nothing(spec))


def error_of(ran: WorkflowRan) -> str:
    """Return why a flow stopped; empty: it returned."""
    if ran.error is None:
        return ""
    return ran.error.message if ran.error.flow_code else f"{ran.error.type}: {ran.error.message}"


def begin_draft(flow: CompiledFlow, row: Mapping[str, str]) -> BeginFlow:
    """Return the request to run a flow that is not in the library, with the variables of a row."""
    return BeginFlow(
        name=flow.name, source=flow.source, files=write_files(flow.files), variables=variables_of(flow, row)
    )


def variables_of(flow: CompiledFlow, row: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of the flow's variables in a row, by their names as written."""
    return typed_row(flow.files.variables, row)


def identifiers_of(row: Mapping[str, str]) -> dict[str, str]:
    return {to_identifier(name): value for name, value in row.items()}


async def compile_checked(
    asks: Asks,
    spec: TaskSpec,
    chosen: Sequence[Recording],
    held_out: Sequence[Recording],
    *,
    strict: bool = False,
    losses: Losses = NO_LOSSES,
) -> tuple[CompiledFlow, Validation]:
    """Return the flow of these samples, and how it does on the others.

    A held-out sample that the flow does not do is an example that it lacked: it is compiled from too, as long as
    another one is left to check the flow with.
    """
    used, left = list(chosen), list(held_out)
    while True:
        flow = await asyncio.to_thread(compile_flow, spec, used, losses.accepted)
        validation = await validate_flow(asks, flow, spec, left, used, strict=strict, losses=losses)
        failed = next((one for one in validation.checks if one.problems), None)
        if failed is None or len(left) <= MIN_HELD_OUT or len(used) >= MAX_COMPILED_FROM:
            return flow, validation
        used += [one for one in left if one.sample_id == failed.sample_id]
        left = [one for one in left if one.sample_id != failed.sample_id]


async def validate_flow(
    asks: Asks,
    flow: CompiledFlow,
    spec: TaskSpec,
    held_out: Sequence[Recording],
    compiled_from: Sequence[Recording] = (),
    *,
    strict: bool = False,
    losses: Losses = NO_LOSSES,
) -> Validation:
    """Check the flow on the held-out samples, and what it loses on all of them. ``compiled_from``: those that it was
    made of, where they are no held-out ones. ``strict``: fields that are left to a model are a problem too."""
    differs = list(flow.problems)
    if len(held_out) < MIN_HELD_OUT:
        differs.append("no sample was held out to check it: record one more, or name fewer with --sample")
    if strict and flow.with_model:
        differs.append(f"no rule expresses {', '.join(flow.with_model)}, and the flow is to ask no model")
    if flow.problems:
        return Validation((), tuple(differs))
    checks = [await check_sample(asks, flow, spec, one) for one in held_out]
    own = [await check_sample(asks, flow, spec, one) for one in compiled_from]
    samples = (*held_out, *compiled_from)
    before = None if losses.published is None else await _found_by(asks, losses.published, spec, samples)
    lost = find_losses(spec, samples, {one.sample_id: one for one in (*checks, *own)}, flow.with_model, before)
    refused = tuple(one for one in lost if one.field not in losses.accepted)
    as_lost = {one.field for one in lost}
    for check in (*checks, *own):
        found = (*check.differs, *(told for field, told in check.lacking.items() if field not in as_lost))
        differs += [f"{check.sample_id}: {problem}" for problem in found]
    return Validation(tuple(checks), tuple(differs), lost, refused)


async def _found_by(
    asks: Asks, published: LibraryFlow, spec: TaskSpec, samples: Sequence[Recording]
) -> dict[str, Mapping[str, Any]]:
    """Return what the version in the library finds on each sample; nothing of those that it does not take or do."""
    found: dict[str, Mapping[str, Any]] = {}
    for sample in samples:
        with suppress(PermanentError):
            check = await check_flow(asks, published.begin(sample.row), published.files, spec, sample)
            found[sample.sample_id] = check.values
    return found
