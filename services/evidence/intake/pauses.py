"""The pauses of a run for an outage, as its evidence keeps them."""

from __future__ import annotations

from msgspec.structs import replace

from services.evidence.deps import EvidenceDeps
from shared.contracts.outages import RunPause
from shared.contracts.sessions.control import CloseRun, InterruptRun, PauseRun, ResumePaused, RunControlled

MAX_PAUSES = 100
"""Of one run; the first ones are kept."""


async def note_pause(message: RunControlled, deps: EvidenceDeps) -> None:
    """Note in run.json that a pause for an outage has begun or ended. Idempotent; a run that is finished stays so."""
    state = await deps.ledger.lock_and_read(message.run_id)
    after = pauses_after(state.pauses, message)
    if after != state.pauses and state.current_summary is None:
        state.pauses = after
        await deps.ledger.save(state)
    await deps.ledger.unlock_if_finished(message.run_id)


def pauses_after(known: tuple[RunPause, ...], told: RunControlled) -> tuple[RunPause, ...]:
    """Return the pauses after a control."""
    match told.control:
        case PauseRun(outage=outage) if outage is not None:
            begun = any(one.at == told.at and one.outage == outage for one in known)
            return known if begun or len(known) >= MAX_PAUSES else (*known, RunPause(outage=outage, at=told.at))
        case ResumePaused() | CloseRun() | InterruptRun():
            return tuple(
                replace(one, ended_at=told.at, ended_by=told.by) if one.ended_at is None and one.at <= told.at else one
                for one in known
            )
        case _:
            return known
