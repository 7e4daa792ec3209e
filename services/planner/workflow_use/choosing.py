"""Chooses the workflow of a run, once for all its samples and all planner processes.

By the key ``workflow`` of the spec; else the workflow that has the name of the task; else, where a model decides, the
model chooses among the hits of a search, or composes a new one of them. Without a library nothing is chosen, and
nothing fails.
"""

from __future__ import annotations

import asyncio
import logging
from functools import reduce
from typing import Any, cast

from services.planner.budget import add_spending
from services.planner.deps import LoadedFlow, PlannerDeps
from services.planner.state.attempt_state import NO_USAGE
from services.planner.state.workflow_choice import NO_WORKFLOW, WorkflowChoice, make_choice
from services.planner.workflow_use.flow_file import encode_flow
from services.planner.workflow_use.prompts import (
    CHOICE_LIMIT,
    COMPOSE_TRIES,
    Composition,
    choice_of,
    parse_choice,
    parse_composition,
)
from shared.client.workflow_calls import create_workflow, get_workflow, search_workflows
from shared.contracts.base import Usage, add_usage
from shared.contracts.workflows.library import WorkflowCreated, WorkflowShown
from shared.errors import ExhibitError, PermanentError
from shared.flows.files import is_flow, parse_files
from shared.flows.made_for import other_task_problems
from shared.streams import WORKFLOW_CHOICES
from shared.task.spec import TaskSpec, has_irreversible_step
from shared.workflow_source.wording import finding_line

log = logging.getLogger(__name__)

KEPT_FLOWS = 16
COMPOSING_S = 120.0
"""How long a planner waits for what another one composes."""
POLL_S = 0.5
BY_SPEC, BY_NAME = "spec", "name"
MAKE_IT_AGAIN = "compile it again, or name it in the key workflow of the spec"


async def load_choice(
    run_id: str, spec: TaskSpec, deps: PlannerDeps, *, asks_model: bool
) -> tuple[WorkflowChoice, Usage]:
    """Return the workflow of a run, without a name where none fits, and what this call has cost: the first sample of a
    run pays for the choice, which is recorded.

    Raises PermanentError (``unknown_workflow``, ``invalid_spec``) when the spec names one that cannot be used.
    """
    if spec.workflow == "off" or spec.phase == "discovery":
        return NO_WORKFLOW, NO_USAGE
    usage = NO_USAGE
    async with deps.choosing.setdefault(run_id, asyncio.Lock()):  # the first samples of a run begin together
        choice = deps.choices.get(run_id)
        if choice is None:
            choice, usage = await _load_or_choose(run_id, spec, deps, asks_model=asks_model)
            deps.choices[run_id] = choice
    return choice, usage


async def _load_or_choose(
    run_id: str, spec: TaskSpec, deps: PlannerDeps, *, asks_model: bool
) -> tuple[WorkflowChoice, Usage]:
    known = await deps.records.read(WORKFLOW_CHOICES, run_id, WorkflowChoice)
    if known is not None:
        return known, NO_USAGE
    choice, usage = await _choose(run_id, spec, deps, asks_model=asks_model)
    if not await deps.records.create(WORKFLOW_CHOICES, run_id, choice):
        choice = await deps.records.read(WORKFLOW_CHOICES, run_id, WorkflowChoice) or choice
    if choice.name:
        log.info("run %s uses the workflow %s@%s (%s)", run_id, choice.name, choice.hash[:12], choice.chosen_by)
    return choice, usage


async def _choose(run_id: str, spec: TaskSpec, deps: PlannerDeps, *, asks_model: bool) -> tuple[WorkflowChoice, Usage]:
    if not isinstance(spec.workflow, str):
        return await _by_spec(spec, deps), NO_USAGE
    why = ""
    costs: list[Usage] = []
    try:
        named = await get_workflow(deps.asks, spec.task_id)
        if isinstance(named, WorkflowShown):
            choice, problems = make_choice(named, spec, {}, chosen_by=BY_NAME)
            problems = (*problems, *other_task_problems(named, spec))
            if not problems and not named.set_aside:
                return choice, NO_USAGE
            if not problems:
                return WorkflowChoice(reason=set_aside_text(named)), NO_USAGE
            why = f"the library's {spec.task_id} is not used: {'; '.join(problems)}; {MAKE_IT_AGAIN}"
            log.warning("the library's %s is not used; problems: %d", spec.task_id, len(problems))
        none = WorkflowChoice(reason=why)
        if not asks_model or has_irreversible_step(spec):
            return none, NO_USAGE
        choice = await _by_model(run_id, spec, deps, costs)
        return (choice if choice.name else none), reduce(add_usage, costs, NO_USAGE)
    except ExhibitError as exc:
        level = logging.INFO if exc.code == "no_responders" else logging.WARNING
        log.log(level, "no workflow is looked for: %s", exc)
        choice = WorkflowChoice(reason=f"the library of workflows could not be asked: {exc}")
        return choice, reduce(add_usage, costs, NO_USAGE)


async def flow_problem(spec: TaskSpec, deps: PlannerDeps) -> str:
    """Return why a run of this task cannot be done by a flow alone, and what to do; empty: it can."""
    if spec.heal == "planner":
        return "the task says heal: planner, which asks a model, and a flow alone asks none: say heal: recorded"
    if spec.workflow == "off":
        return "the spec says that no workflow is used: leave its key workflow out"
    try:
        choice, _ = await _choose("", spec, deps, asks_model=False)
    except PermanentError as exc:
        return str(exc)
    return "" if choice.is_flow else no_flow_text(spec, choice)


def no_flow_text(spec: TaskSpec, choice: WorkflowChoice) -> str:
    """Return why the task has no flow, and what to do."""
    if choice.reason:
        return f"{choice.reason}; or run with the mode auto"
    why = f"{choice.name} is a workflow, and no flow" if choice.name else f"the library has no flow {spec.task_id!r}"
    return f"{why}: make one of a run (exhibit compile RUN), or run with the mode auto"


def set_aside_text(shown: WorkflowShown) -> str:
    """Return why a flow of the library is not used though it is of the task, and how it is used again."""
    again = f"exhibit flows rollback {shown.workflow.name} {shown.workflow.hash[:12]}"
    return (
        f"the library's {shown.workflow.name} is set aside: {shown.set_aside}; compile it again with samples at which "
        f"it stopped, or use it all the same: {again}"
    )


async def _by_spec(spec: TaskSpec, deps: PlannerDeps) -> WorkflowChoice:
    assert not isinstance(spec.workflow, str)
    found = await get_workflow(deps.asks, spec.workflow.name)
    if not isinstance(found, WorkflowShown):
        raise PermanentError(f"spec.workflow: {found.message}", code="unknown_workflow")
    choice, problems = make_choice(found, spec, spec.workflow.arguments, chosen_by=BY_SPEC)
    if problems:
        raise PermanentError(f"spec.workflow: {'; '.join(problems)}", code="invalid_spec")
    return choice


async def load_flow(choice: WorkflowChoice, deps: PlannerDeps) -> LoadedFlow:
    """Return the flow of a run, read once by each process.

    Raises PermanentError (``unknown_workflow``, ``invalid_spec``) where this version cannot be had any more.
    """
    if choice.hash not in deps.flows:
        found = await get_workflow(deps.asks, f"{choice.name}@{choice.hash}")
        if not isinstance(found, WorkflowShown):
            raise PermanentError(f"the flow of this run: {found.message}", code="unknown_workflow")
        try:
            files = parse_files(found.files)
        except ValueError as exc:
            raise PermanentError(f"{choice.name}: {exc}", code="invalid_spec") from exc
        while len(deps.flows) >= KEPT_FLOWS:
            del deps.flows[next(iter(deps.flows))]
        deps.flows[choice.hash] = LoadedFlow(files, encode_flow(found))
    return deps.flows[choice.hash]


async def _by_model(run_id: str, spec: TaskSpec, deps: PlannerDeps, costs: list[Usage]) -> WorkflowChoice:
    """Ask the model which hit of a search fits, or how several do the task together, if there is any. What it composes
    of them is kept in the library. What each call has cost is added to ``costs``, also where a later one fails.

    A flow is used by its task's name only."""
    hits = await search_workflows(deps.asks, spec.goal, CHOICE_LIMIT)
    if not hits or deps.librarian is None:
        return NO_WORKFLOW
    shown = [await get_workflow(deps.asks, hit.workflow.name) for hit in hits]
    candidates = {
        one.workflow.name: one for one in shown if isinstance(one, WorkflowShown) and not is_flow(one.source, one.files)
    }
    if not candidates:
        return NO_WORKFLOW
    problems, before, is_ours = (), None, False
    for _ in range(COMPOSE_TRIES):
        before, used = await deps.librarian.choose(spec, tuple(candidates.values()), problems, before)
        costs.append(used)
        await add_spending(run_id, used, deps)
        composition, problems = parse_composition(before, spec, candidates)
        if problems:
            continue
        if composition is None:
            choice, problems = parse_choice(before, spec, candidates, chosen_by=deps.librarian.name)
            return _usable(choice, problems)
        known = None if is_ours else await _chosen_by_others(run_id, deps)
        if known is not None:
            return known
        is_ours = True
        new, problems = await _compose(run_id, composition, deps.librarian.name, deps)
        if new is not None:
            given = cast("dict[str, Any]", before)
            choice, problems = choice_of(new, given, spec, chosen_by=deps.librarian.name)
            return _usable(choice, problems)
    return _usable(NO_WORKFLOW, problems)


async def _chosen_by_others(run_id: str, deps: PlannerDeps) -> WorkflowChoice | None:
    """Return what another process has chosen, also one that is composing right now; None: this one composes.

    One that has ended meanwhile is not waited for without end: then this one composes too."""
    if await deps.records.create(WORKFLOW_CHOICES, f"{run_id}.composed", WorkflowChoice()):
        return await deps.records.read(WORKFLOW_CHOICES, run_id, WorkflowChoice)
    since_s = deps.elapsed_s()
    while True:
        known = await deps.records.read(WORKFLOW_CHOICES, run_id, WorkflowChoice)
        if known is not None or deps.elapsed_s() - since_s >= COMPOSING_S:
            return known
        await deps.wait(POLL_S)


def _usable(choice: WorkflowChoice, problems: tuple[str, ...]) -> WorkflowChoice:
    if problems:
        log.warning("the workflow that the model chose is not used; problems: %d", len(problems))
    return NO_WORKFLOW if problems else choice


async def _compose(
    run_id: str, composition: Composition, author: str, deps: PlannerDeps
) -> tuple[WorkflowShown | None, tuple[str, ...]]:
    """Put a composed workflow into the library; return it, or why it was refused."""
    reply = await create_workflow(
        deps.asks,
        composition.name,
        composition.source,
        description=composition.description,
        author=author,
        source_run=run_id,
    )
    if isinstance(reply, WorkflowCreated):
        return WorkflowShown(workflow=reply.workflow, source=composition.source, is_current=True), ()
    return None, tuple(finding_line(one) for one in reply.findings if one.severity != "advice")
