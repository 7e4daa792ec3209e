"""The pages about flows and workflows: the library, one of them with its versions and runs, what has moved."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.web.desk import NO_RUN, Desk, desk_of, page
from services.console.web.library.flow_drift import (
    DriftUnknown,
    NoFlowUsed,
    RunDrift,
    SeenChange,
    read_drift,
    seen_changes,
)
from services.console.web.library.flow_facts import (
    MOST_USES,
    RUNG_WORDS,
    LibraryLine,
    RunOnFlow,
    field_lines,
    library_line,
    run_on_flow,
    uses_query,
    version_lines,
)
from services.console.web.library.source_lines import diff_lines, source_lines
from services.console.web.new_run.saved_specs import saved_names
from shared.client.workflow_calls import get_workflow, list_library, load_history, search_workflows
from shared.client.workflow_samples import SampleBus, load_sample_set
from shared.contracts.evidence import LoadRun, RunUnknown, SqlRefused
from shared.contracts.workflows.library import FileProblem, WorkflowShown, WorkflowUnknown
from shared.contracts.workflows.samples import KeptSample
from shared.errors import ExhibitError
from shared.flows.files import FlowFiles, is_flow, parse_files
from shared.flows.healing.proposals import HealProposal, diff_of
from shared.flows.healing.versions import HEAL_FILE, hash_before, heal_of, texts_of
from shared.subjects import LOAD_RUN
from shared.workflow_source.wording import signature_of

MOST_HITS, USES_BOUND_S = 50, 8.0
MOST_QUERY_CHARS = 500
MISSING = "It is not in the library; all that is there is under Flows"
NO_LIBRARY = (
    "There is no library here yet. A run that compiles its flow makes it, and so do `exhibit compile` and "
    "`exhibit workflows create`."
)


async def library_of(desk: Desk) -> SampleBus:
    """Return the bus of the library. Raises HTTPException (404) where there is none."""
    bus = await desk.library()
    if bus is None:
        raise HTTPException(404, NO_LIBRARY)
    return bus


async def list_flows(request: Request) -> Response:
    """Show the library, or what of it does what is asked for."""
    asked = request.query_params.get("q", "").strip()[:MOST_QUERY_CHARS]
    bus = await desk_of(request).library()
    lines: list[LibraryLine] = []
    problems: Sequence[FileProblem] = ()
    known = 0
    if bus is not None:
        listed = await list_library(bus)
        problems, known = listed.problems, len(listed.workflows)
        lines = [library_line(one, listed.set_aside.get(one.name, "")) for one in listed.workflows]
        if asked and known:
            hits = await search_workflows(bus, asked, MOST_HITS)
            lines = [library_line(one.workflow, listed.set_aside.get(one.workflow.name, ""), one.score) for one in hits]
    return page(
        request, "flows.html", lines=lines, known=known, asked=asked, problems=problems,
        can_run=desk_of(request).has_services,
    )  # fmt: skip


async def show_flow(request: Request) -> Response:
    """Show a flow or a workflow as one of its versions has it."""
    desk, name = desk_of(request), request.path_params["name"]
    bus = await library_of(desk)
    version = request.query_params.get("version", "")
    shown, history = await asyncio.gather(get_workflow(bus, f"{name}@{version}"), load_history(bus, name))
    if isinstance(shown, WorkflowUnknown):
        if not history or version:
            raise HTTPException(404, f"{MISSING}: {shown.message}.")
        return page(request, "flow_gone.html", name=name, versions=version_lines(history, ""))
    flow = is_flow(shown.source, shown.files)
    kept, kept_lost = await _kept_samples(bus, shown)
    uses, uses_lost = await _uses(desk, name) if flow else ([], "")
    heal = heal_of(shown)
    files, files_lost = _files_of(shown)
    saved = name in await asyncio.to_thread(saved_names, desk.settings) if desk.has_services else False
    before = hash_before(history, shown.workflow.hash)
    current = next((one.version.hash for one in reversed(history) if one.kind == "created"), "")
    return page(
        request, "flow.html", name=name, shown=shown, one=shown.workflow, signature=signature_of(shown.workflow),
        is_flow=flow, files=files, files_lost=files_lost, fields=field_lines(files), lines=source_lines(shown.source),
        texts=sorted(shown.files.items()), versions=version_lines(history, current if history else ""),
        before=before, kept=kept, kept_lost=kept_lost, uses=uses, uses_lost=uses_lost, heal=heal, saved=saved,
        heal_diff=diff_lines(heal.diff) if heal is not None else [], most_uses=MOST_USES,
    )  # fmt: skip


def _files_of(shown: WorkflowShown) -> tuple[FlowFiles, str]:
    """Return the files of a flow; empty ones and why, where they cannot be read."""
    try:
        return parse_files(shown.files), ""
    except ValueError as exc:
        return FlowFiles(), str(exc)


async def _kept_samples(bus: SampleBus, shown: WorkflowShown) -> tuple[Sequence[KeptSample], str]:
    """Return the samples that are kept with a version; none and why, where that is not told."""
    if not shown.workflow.samples:
        return (), ""
    try:
        kept = await load_sample_set(bus, f"{shown.workflow.name}@{shown.workflow.hash}")
    except ExhibitError as exc:
        return (), f"Which they are is not told: {exc}"
    return (kept.samples, "") if kept is not None else ((), "")


async def _uses(desk: Desk, name: str) -> tuple[list[RunOnFlow], str]:
    """Return the runs of a flow, newest first; none and why, where the evidence does not say."""
    try:
        answer = await desk.client.sql(uses_query(name), (), max_rows=MOST_USES, timeout_s=USES_BOUND_S)
    except ExhibitError as exc:
        return [], f"The evidence could not be asked: {exc}"
    if isinstance(answer, SqlRefused):
        return [], f"The evidence could not be asked: {answer.message}"
    return [run_on_flow(row) for row in json.loads(answer[1])], ""


async def show_difference(request: Request) -> Response:
    """Show what differs between two versions."""
    desk, name = desk_of(request), request.path_params["name"]
    bus = await library_of(desk)
    after = await version_of(bus, name, request.query_params.get("new", ""))
    old = request.query_params.get("old", "") or hash_before(await load_history(bus, name), after.workflow.hash)
    if not old:
        raise HTTPException(404, f"There is no version of {name} before {after.workflow.hash[:12]}.")
    before = await version_of(bus, name, old)
    left_out = {HEAL_FILE} if heal_of(after) is not None else set[str]()
    texts = [{path: text for path, text in texts_of(one).items() if path not in left_out} for one in (before, after)]
    lines = diff_lines(diff_of(*texts))
    return page(request, "flow_diff.html", name=name, before=before.workflow, after=after.workflow, lines=lines)


async def version_of(bus: SampleBus, name: str, hash: str) -> WorkflowShown:
    """Return a version. Raises HTTPException (404) without one."""
    shown = await get_workflow(bus, f"{name}@{hash}" if hash else name)
    if isinstance(shown, WorkflowUnknown):
        raise HTTPException(404, f"{MISSING}: {shown.message}.")
    return shown


# --- how the pages of a run have moved


async def load_drift(request: Request) -> tuple[RunDrift, WorkflowShown]:
    """Return the drift of the run of an address, and the version that it used. Raises HTTPException: 404 without the
    run or a flow that it used."""
    try:
        return await _find_drift(request)
    except NoFlowUsed as exc:
        raise HTTPException(404, str(exc)) from exc


async def _find_drift(request: Request) -> tuple[RunDrift, WorkflowShown]:
    """As `load_drift`; raises NoFlowUsed without a flow that the run used."""
    desk, run_id = desk_of(request), request.path_params["run"]
    loaded = await desk.client.bus.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True))
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, NO_RUN)
    flow, hash = request.query_params.get("flow", ""), request.query_params.get("version", "")
    try:
        drift = await asyncio.to_thread(read_drift, desk.settings, run_id, flow, hash)
    except NoFlowUsed:
        raise
    except DriftUnknown as exc:
        raise HTTPException(404, str(exc)) from exc
    return drift, await version_of(await library_of(desk), drift.name, drift.hash)


async def show_drift(request: Request) -> Response:
    """Show what the samples of a run found in another way than recorded, with pictures, and what that would change."""
    desk = desk_of(request)
    try:
        drift, shown = await _find_drift(request)
    except NoFlowUsed as exc:
        return page(request, "drift_none.html", run_id=request.path_params["run"], why=str(exc))
    kept, _ = await _kept_samples(await library_of(desk), shown)
    seen = await asyncio.to_thread(seen_changes, desk.settings, drift, shown, [one.sample_id for one in kept])
    current = await get_workflow(await library_of(desk), drift.name)
    now = current.workflow.hash if isinstance(current, WorkflowShown) else ""
    proposal = await asyncio.to_thread(drift.proposal, shown) if drift.healed else None
    return page(request, "drift.html", **_drift_facts(drift, seen, proposal, now), kept=kept)


def _drift_facts(
    drift: RunDrift, seen: Sequence[SeenChange], proposal: HealProposal | None, now: str
) -> dict[str, Any]:
    return {
        "run_id": drift.recordings.record.run_id,
        "drift": drift,
        "seen": seen,
        "proposal": proposal,
        "lines": diff_lines(proposal.diff) if proposal is not None else [],
        "is_current": now == drift.hash,
        "rung_words": RUNG_WORDS,
        "now": now,
    }
