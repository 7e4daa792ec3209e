"""Whose attempt at a sample it is: a later one puts aside what an earlier one left, an earlier one adds nothing."""

from __future__ import annotations

from services.evidence.deps import Deps
from services.evidence.ingest.step_files import begin_attempt, put_together
from services.evidence.recovery.read_run import ended_of
from services.evidence.seal.file_hashes import secured
from services.evidence.seal.run_seal import open_round
from services.evidence.state.file_contents import AttemptLog
from services.evidence.state.run_state import RunState
from shared.contracts.steps import PressClaim
from shared.errors import PermanentError
from shared.evidence_format import layout


async def current_log(deps: Deps, run_id: str, sample_id: str, attempt: int) -> AttemptLog | None:
    """The log that this attempt writes to; None for an attempt that a later one has overtaken.

    What an earlier attempt left behind is put aside first: evidence is added to, never overwritten.
    """
    log = await deps.ledger.log(run_id, sample_id)
    if attempt < log.attempt:
        return None
    if attempt > log.attempt:
        state = await deps.ledger.state(run_id)
        if state is not None:
            await reopen(deps, state, sample_id)
        if log.attempt:
            await put_aside(deps, run_id, sample_id, log.attempt)
        if attempt > 1:
            await begin_attempt(deps.store, layout.sample_key(run_id, sample_id), attempt)
        log = deps.ledger.begin_log(run_id, sample_id, attempt)
    return log


async def reopen(deps: Deps, state: RunState, sample_id: str) -> None:
    """A later attempt at a sample is at work; where the round was finished already, it is not any more."""
    if state.said is not None:
        await open_round(deps, state)
        await deps.ledger.save_finished(state, None)
    state.reopen(sample_id)


async def put_aside(deps: Deps, run_id: str, sample_id: str, attempt: int) -> None:
    folder = layout.sample_key(run_id, sample_id)
    aside = f"{folder}/{layout.attempt_folder(attempt)}"
    await put_together(deps.store, folder)
    for name in await deps.store.names(folder):
        if not layout.stays(name):
            await deps.store.move(f"{folder}/{name}", f"{aside}/{name}")
    await secured(deps.store, aside)


async def must_be_open(deps: Deps, pressed: PressClaim) -> None:
    """Whoever still works on a sample whose result is written was overtaken: it presses nothing, and adds nothing."""
    result = await deps.store.read(layout.sample_key(pressed.run_id, pressed.sample_id, layout.RESULT))
    if result is not None and ended_of(result).attempt >= pressed.attempt:
        raise PermanentError(f"attempt {pressed.attempt} at {pressed.sample_id} is over", code="sample_over")
