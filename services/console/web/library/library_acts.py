"""What is done to flows in the browser, when it is confirmed: a heal is approved, an old version is used again."""

from __future__ import annotations

import asyncio
import hashlib
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.desk import desk_of, page
from services.console.web.library.library_web import library_of, load_drift, version_of
from services.console.web.library.source_lines import diff_lines
from shared.contracts.workflows.library import WorkflowShown
from shared.flows.healing.publishing import HealPublished, HealTaken, LibrarySamples, approve_heal, roll_back


async def ask_to_roll_back(request: Request) -> Response:
    """Ask whether an old version is meant to be used again."""
    name, old, now = await _versions(request)
    return page(request, "roll_back.html", name=name, old=old, now=now, person=desk_of(request).person)


async def apply_roll_back(request: Request) -> Response:
    """Publish an old version again, with its samples, and lead to it."""
    desk = desk_of(request)
    name, old, now = await _versions(request)
    if request.state.form.get("now", "") != now.workflow.hash:
        raise HTTPException(409, "Another version was published meanwhile. Nothing was changed: look at it first.")
    bus, hash = await library_of(desk), old.workflow.hash
    try:
        _, kept = await LibrarySamples(bus)(name, hash)
        await roll_back(bus, name, hash, author=desk.person, samples=kept)
    except ValueError as exc:
        raise HTTPException(409, f"Nothing was changed: {exc}") from exc
    return RedirectResponse(f"/flows/{quote(name)}", 303)


async def _versions(request: Request) -> tuple[str, WorkflowShown, WorkflowShown]:
    """Return the name, the version that the address asks for, and the current one."""
    name, hash = request.path_params["name"], request.query_params.get("version", "")
    bus = await library_of(desk_of(request))
    old, now = await version_of(bus, name, hash), await version_of(bus, name, "")
    if old.workflow.hash == now.workflow.hash and not now.set_aside:
        raise HTTPException(409, f"Version {old.workflow.hash[:12]} is the current one already.")
    return name, old, now


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


async def ask_to_approve(request: Request) -> Response:
    """Ask whether what a run has found is meant to become a version."""
    drift, shown = await load_drift(request)
    proposal = await asyncio.to_thread(drift.proposal, shown)
    if (await version_of(await library_of(desk_of(request)), drift.name, "")).workflow.hash != drift.hash:
        raise HTTPException(409, "Another version is current by now. Nothing of this run is published over it.")
    if proposal is None:
        raise HTTPException(409, "No change was found by all samples, in at least two. There is nothing to approve.")
    return page(
        request, "approve.html", run_id=drift.recordings.record.run_id, drift=drift, proposal=proposal,
        lines=diff_lines(proposal.diff), shown_sha=_sha(proposal.diff), person=desk_of(request).person,
    )  # fmt: skip


async def apply_approval(request: Request) -> Response:
    """Publish what a run has found, where the recorded samples come out as before. What was shown is published, or
    nothing: samples that have ended since may call for something else."""
    desk = desk_of(request)
    drift, shown = await load_drift(request)
    proposal = await asyncio.to_thread(drift.proposal, shown)
    if proposal is None or _sha(proposal.diff) != request.state.form.get("shown", ""):
        raise HTTPException(409, "The run calls for something else by now. Nothing was published: look at it again.")
    bus, recorded = await library_of(desk), drift.recordings
    outcome = await approve_heal(bus, recorded.record, recorded.samples, drift.name, drift.hash, author=desk.person)
    flow = f"/flows/{quote(drift.name)}"
    if isinstance(outcome, HealPublished):
        return RedirectResponse(f"{flow}?{urlencode({'version': outcome.hash})}", 303)
    if isinstance(outcome, HealTaken):
        problems: tuple[str, ...] = ("Another version was published meanwhile. Look at that one first.",)
    else:
        problems = outcome.problems
    run_id = recorded.record.run_id
    return page(request, "not_approved.html", 409, run_id=run_id, drift=drift, problems=problems)
