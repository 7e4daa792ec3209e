"""Decides which attempt at a sample may write: a later one archives the files of an earlier one, which writes nothing
more."""

from __future__ import annotations

from services.evidence.deps import EvidenceDeps
from services.evidence.ingest.step_files import begin_attempt, merge_step_files
from services.evidence.seal.file_hashes import make_tree_durable
from services.evidence.seal.run_seal import archive_sealed_round
from services.evidence.state.file_contents import AttemptLog
from services.evidence.state.run_state import RunState, parse_sample_end
from shared.contracts.steps import PressClaim
from shared.errors import PermanentError
from shared.evidence_format import layout


async def open_attempt_log(deps: EvidenceDeps, run_id: str, sample_id: str, attempt: int) -> AttemptLog | None:
    """Return the log that this attempt writes to; None if a later attempt has begun.

    The first call of an attempt moves the files of the attempt before it away: evidence is never overwritten.
    """
    log = await deps.ledger.log(run_id, sample_id)
    if attempt < log.attempt:
        return None
    if attempt > log.attempt:
        state = await deps.ledger.state(run_id)
        if state is not None:
            await _reopen_sample(deps, state, sample_id)
        if log.attempt:
            await _archive_attempt(deps, run_id, sample_id, log.attempt)
        if attempt > 1:
            await begin_attempt(deps.store, layout.sample_key(run_id, sample_id), attempt)
        log = deps.ledger.begin_log(run_id, sample_id, attempt)
    return log


async def _reopen_sample(deps: EvidenceDeps, state: RunState, sample_id: str) -> None:
    """Drop the end of a sample; a round that was finished is open again."""
    if state.current_summary is not None:
        await archive_sealed_round(deps, state)
        await deps.ledger.save_finished(state, None)
    state.reopen(sample_id)


async def _archive_attempt(deps: EvidenceDeps, run_id: str, sample_id: str, attempt: int) -> None:
    """Move the files of an attempt to ``attempt_N/``. Idempotent."""
    folder = layout.sample_key(run_id, sample_id)
    archive = f"{folder}/{layout.attempt_folder(attempt)}"
    await merge_step_files(deps.store, folder)
    for name in await deps.store.names(folder):
        if not layout.stays(name):
            await deps.store.move(f"{folder}/{name}", f"{archive}/{name}")
    await make_tree_durable(deps.store, archive)


async def require_open_attempt(deps: EvidenceDeps, pressed: PressClaim) -> None:
    """Raise PermanentError (``sample_over``) if this attempt, or a later one, has a result already."""
    result = await deps.store.read(layout.sample_key(pressed.run_id, pressed.sample_id, layout.RESULT))
    if result is not None and parse_sample_end(result).attempt >= pressed.attempt:
        raise PermanentError(f"attempt {pressed.attempt} at {pressed.sample_id} is over", code="sample_over")
