"""Saves the way of a sample as a workflow: once in a run, after the first sample that took many steps.

A failure here never fails a sample: it is logged, and the result stays as it is.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from functools import reduce
from typing import Any, cast

import msgspec

from services.planner.budget import add_spending
from services.planner.deps import PlannerDeps
from services.planner.state.attempt_state import AttemptState, Entry
from services.planner.state.workflow_choice import WorkflowChoice
from services.planner.workflow_use.prompts import SAVE_TRIES
from shared.client.workflow_calls import create_workflow
from shared.contracts.actions import Done, Screenshot, ScreenshotElement, ScreenshotViews, UseWorkflow
from shared.contracts.base import Usage, add_usage
from shared.contracts.planner import LONG_WAY_STEPS, SampleFinished
from shared.contracts.results import Locator
from shared.contracts.steps import FieldValue, plain_note
from shared.contracts.workflows.library import WorkflowCreated
from shared.errors import ExhibitError
from shared.streams import WORKFLOW_CHOICES
from shared.task.spec import TaskSpec
from shared.workflow_source.wording import finding_line

log = logging.getLogger(__name__)

MAX_STEPS_CHARS = 30_000


def is_worth_saving(finished: SampleFinished, state: AttemptState) -> bool:
    """Return whether a sample was done in so many steps, and without a workflow, that its way is worth keeping."""
    used = any(isinstance(entry.action, UseWorkflow) or entry.flow is not None for entry in state.history)
    return finished.status == "done" and finished.steps > LONG_WAY_STEPS and not used


async def save_workflow(
    spec: TaskSpec, finished: SampleFinished, state: AttemptState, deps: PlannerDeps
) -> SampleFinished:
    """Have the model write a workflow of the sample, and create it. Return the result with a note and the cost.

    Only the first sample of a run that is worth it: the others would give the same.
    """
    if not spec.save_workflow or deps.librarian is None or not is_worth_saving(finished, state):
        return finished
    costs: list[Usage] = []
    note = ""
    try:
        if not await deps.records.create(WORKFLOW_CHOICES, f"{finished.run_id}.saved", WorkflowChoice()):
            return finished
        note = await _save(spec, finished, state, deps, costs)
    except ExhibitError as exc:
        log.warning("no workflow was saved of %s: %s: %s", finished.sample_id, exc.code, exc)
    paid = msgspec.structs.replace(finished, usage=reduce(add_usage, costs, finished.usage))
    return _noted(paid, note) if note else paid


async def _save(
    spec: TaskSpec, finished: SampleFinished, state: AttemptState, deps: PlannerDeps, costs: list[Usage]
) -> str:
    """Return what came of it, for people. What each answer has cost is added to ``costs``, also where a later one
    fails."""
    librarian = deps.librarian
    assert librarian is not None
    steps = steps_text(state, finished.values)
    problems: tuple[str, ...] = ()
    before: object = None
    for _ in range(SAVE_TRIES):
        arguments, usage = await librarian.write(spec, finished.sample.fields, steps, problems, before)
        costs.append(usage)
        await add_spending(finished.run_id, usage, deps)
        given = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}
        if given.get("save") is False:
            return f"no workflow was saved: {str(given.get('reason'))[:300]}"
        before, name, source = given, given.get("name"), given.get("source")
        if not isinstance(name, str) or not isinstance(source, str):
            problems = ("there was no call of the tool with a name and a source",)
            continue
        reply = await create_workflow(
            deps.asks,
            name,
            source,
            description=str(given.get("description") or ""),
            author=librarian.name,
            source_run=finished.run_id,
        )
        if isinstance(reply, WorkflowCreated):
            version = reply.workflow
            return f"saved as the workflow {version.name}, version {version.hash[:12]}"
        problems = tuple(finding_line(one) for one in reply.findings if one.severity != "advice")
    return f"no workflow was saved: {'; '.join(problems)[:500]}"


def _noted(finished: SampleFinished, text: str) -> SampleFinished:
    log.info("%s: its notes tell whether a workflow was saved of it", finished.sample_id)
    return msgspec.structs.replace(finished, notes=(*finished.notes, plain_note(text)))


def steps_text(state: AttemptState, values: Iterable[FieldValue]) -> str:
    """Return the steps with their elements, and where the values stood, as somebody needs them who does them again: one
    JSON object a line."""
    left_out = (Done, Screenshot, ScreenshotElement, ScreenshotViews)
    steps = [_step(entry) for entry in state.history if not entry.refused and not isinstance(entry.action, left_out)]
    lines = [json.dumps(one, ensure_ascii=False) for one in (*steps, *map(_value, values))]
    return "\n".join(lines)[:MAX_STEPS_CHARS]


def _step(entry: Entry) -> dict[str, Any]:
    action = entry.action
    found = entry.result.target if entry.result is not None else None
    step: dict[str, Any] = {"page": entry.url}
    if entry.result is not None and entry.result.change.url_after != entry.url:
        step["then"] = f"{entry.result.change.title} ({entry.result.change.url_after})"
    if action is not None:
        step |= {"action": action.__struct_config__.tag, "arguments": _told(msgspec.to_builtins(action))}
    if found is not None:
        step["element"] = {"role": found.role, "name": found.name[:120], "found by": _selectors(found.locators)}
    step["result"] = ("ok: " if entry.ok else "FAILED: ") + entry.message[:200]
    return step


def _value(value: FieldValue) -> dict[str, Any]:
    """Return where a value stood on the last page."""
    told: dict[str, Any] = {"field": value.field, "state": value.state, "shown": value.shown}
    if value.source is not None:
        source = value.source
        told |= {"on": source.url, "role": source.role, "header": source.label, "found by": _selectors(source.locators)}
    return told


def _selectors(locators: Iterable[Locator]) -> list[str]:
    """Return the CSS selectors that found only this element."""
    found = (one.value for one in locators if one.matches == 1 and one.kind in ("id", "testid", "css"))
    return [f"css={value}" for value in dict.fromkeys(found)]


def _told(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that hold for other pages too: a ref does not, and the element is told beside it."""
    return {
        name: value
        for name, value in arguments.items()
        if name not in ("action", "refs")
        and value not in (None, "", {}, [])
        and not (isinstance(value, dict) and "ref" in value)
    }
