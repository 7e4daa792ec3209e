"""A flow that is healed while a run uses it: what its samples found is reported, and the healed version is taken."""

from __future__ import annotations

import logging

from msgspec.structs import replace

from services.planner.deps import PlannerDeps
from services.planner.state.workflow_choice import WorkflowChoice
from shared.bus.ports import Asks
from shared.client.workflow_calls import get_workflow
from shared.contracts.planner import SampleFinished
from shared.contracts.workflows.flow_uses import FlowEnding
from shared.contracts.workflows.heals import FlowFinished, FlowHealing, Heal
from shared.contracts.workflows.library import WorkflowShown
from shared.errors import ExhibitError
from shared.streams import FLOW_HEALS
from shared.subjects import NOTE_FLOW
from shared.task.spec import TaskSpec

log = logging.getLogger(__name__)

MAX_HEALS = 5
"""Versions that one run may go on by."""
NOTE_S = 10.0


async def healed_choice(choice: WorkflowChoice, spec: TaskSpec, deps: PlannerDeps) -> WorkflowChoice:
    """Return the choice with the version that has taken its place, if that is the library's current one.

    A version that a person has published, or an old one that is used again, is not what healing has come to.
    """
    if not choice.is_flow or spec.heal == "off":
        return choice
    healed = choice
    for _ in range(MAX_HEALS):
        record = await deps.records.read(FLOW_HEALS, healed.hash, FlowHealing)
        if record is None or not record.next_hash:
            break
        healed = replace(healed, hash=record.next_hash)
    if healed.hash == choice.hash:
        return choice
    try:
        current = await get_workflow(deps.asks, choice.name)
    except ExhibitError as exc:
        log.warning("the healed version of %s is not used: %s", choice.name, exc)
        return choice
    is_current = isinstance(current, WorkflowShown) and current.workflow.hash == healed.hash
    return healed if is_current else choice


def ending_with_flow(finished: SampleFinished) -> FlowEnding | None:
    """Return how a sample ended in which a flow began; None where none did, or where neither a flow nor rules could
    have done it: it failed, asks for a login, or a person has taken it over."""
    worked = finished.drivers
    if finished.taken_over_by:
        return None
    if "flow" not in worked or finished.status in ("failed", "auth_required"):
        return None
    if finished.status != "done":
        return "left"
    if worked == ("flow",):
        return "done"
    return "taken_over" if worked[-1] == "rules" and not finished.usage.llm_calls else "left"


async def report_flow(
    finished: SampleFinished, ending: FlowEnding, choice: WorkflowChoice, heals: tuple[Heal, ...], asks: Asks
) -> None:
    """Tell the library how a sample ended in which a flow began, and what the flow found in another way. A report that
    is lost costs nothing but time."""
    report = FlowFinished(
        run_id=finished.run_id,
        sample_id=finished.sample_id,
        name=choice.name,
        hash=choice.hash,
        heals=heals,
        ending=ending,
    )
    try:
        await asks.ask(NOTE_FLOW, report, timeout_s=NOTE_S)
    except ExhibitError as exc:
        log.info("how %s ended is not reported: %s", finished.sample_id, exc)
