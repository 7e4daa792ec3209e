"""A flow that is learned of the records which somebody has pointed at and looked at, as `exhibit learn` does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from services.console.web.pointing.page_looks import pages_at
from services.console.web.pointing.spec_drafts import SpecDraft
from services.console.web.pointing.trials import TriedRecord
from shared.client.workflow_samples import SampleBus
from shared.contracts.browser_pool import PageObserved
from shared.contracts.discovery import Problem, Sample
from shared.contracts.workflows.library import WorkflowRefused
from shared.flows.checking.into_library import publish_flow
from shared.flows.learning.flow import FlowOfExamples, find_task_problems, learned_flow
from shared.flows.learning.learned_fields import WrittenRow, learn_fields
from shared.host.connections import SessionBus
from shared.task.row_values import start_url
from shared.task.spec import TaskSpec, check_spec
from shared.workflow_source.wording import finding_line


async def learn_flow(bus: SessionBus, library: SampleBus, draft: SpecDraft, author: str) -> tuple[Problem, ...]:
    """Learn a flow of the pointed record and of those that were tried and are done, and put it into the library under
    the name of the task. Return why that was not done; empty: it was.

    Raises:
        ExhibitError: a page cannot be opened any more, or no service answers.
    """
    spec, problems = check_spec(draft.spec())
    if spec is None:
        return tuple(problems)
    records = [one for one in draft.trial.records if one.done] if draft.trial is not None and draft.is_tried else []
    if not records:
        told = "try the spec as it is on other records first: two records that are right teach where a value stands"
        return (Problem(where="flow", message=told),)
    if refused := find_task_problems(spec):
        return tuple(Problem(where="flow", message=one) for one in refused)
    samples = [draft.sample, *(one.sample for one in records)]
    pages = await pages_at(bus, [start_url(spec, one) for one in samples], draft.profile)
    found = await asyncio.to_thread(_learned, spec, _written(draft, records, samples, pages))
    if found.left:
        return tuple(Problem(where="", message=one) for one in found.left)
    reply = await publish_flow(library, found.flow.name, found.flow, author, "", accepted_losses=found.given_up)
    if isinstance(reply, WorkflowRefused):
        return tuple(Problem(where="flow", message=finding_line(one)) for one in reply.findings)
    return ()


def _learned(spec: TaskSpec, rows: Sequence[WrittenRow]) -> FlowOfExamples:
    return learned_flow(spec, learn_fields(spec, rows), rows)


def _written(
    draft: SpecDraft, records: Sequence[TriedRecord], samples: Sequence[Sample], pages: Sequence[PageObserved]
) -> list[WrittenRow]:
    """Return the records as rows of examples: what was read of each, which somebody has seen to be right."""
    pointed: dict[str, str | None] = {one.name: one.shown for one in draft.fields}
    read = [
        {at.field.field: at.field.shown if at.field.state == "value" else None for at in one.fields} for one in records
    ]
    return [
        WrittenRow(sample.key, {name: sample.fields[name] for name in draft.columns}, values, page)
        for sample, values, page in zip(samples, [pointed, *read], pages, strict=True)
    ]
