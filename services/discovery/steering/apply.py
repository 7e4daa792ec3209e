"""Applies a control to a run at work: stores it, then tells everybody."""

from __future__ import annotations

from services.discovery.deps import DiscoveryDeps
from services.discovery.steering.controls import applied, control_of_round, known_control
from shared.contracts.evidence import LoadRun, RunUnknown
from shared.contracts.sessions.control import ControlRefused, ControlReply, ControlRun, RunControl, RunControlled
from shared.streams import RUN_CONTROL
from shared.subjects import LOAD_RUN, RUN_CONTROLLED


async def apply_control(request: ControlRun, deps: DiscoveryDeps) -> ControlReply:
    """Return what was applied, or why nothing was. A request that is sent again changes nothing, and its event is told
    again, for the first try may have ended before it told."""
    loaded = await deps.asks.ask(LOAD_RUN, LoadRun(run_id=request.run_id, count_only=True))
    if isinstance(loaded, RunUnknown):
        return ControlRefused(run_id=request.run_id, code="no_such_run", message=loaded.message)
    base = loaded.attempt_base
    if loaded.finished is not None and loaded.finished.attempt_base == base:
        return ControlRefused(run_id=request.run_id, code="run_ended", message=f"{request.run_id} has ended")
    refused: list[ControlRefused] = []

    def change(stored: RunControl | None) -> RunControl | None:
        refused.clear()
        record = control_of_round(stored, base)
        if known_control(record, request.control_id) is not None:
            return record
        after = applied(record, request, deps.now())
        if isinstance(after, ControlRefused):
            refused.append(after)
            return None
        return after

    record = await deps.records.modify(RUN_CONTROL, request.run_id, RunControl, change)
    if record is None:
        return refused[0]
    told: RunControlled | None = known_control(record, request.control_id)
    assert told is not None
    await deps.publishes.publish(RUN_CONTROLLED, told)
    return told
