"""Reads the step log of an attempt. Logs of earlier attempts are in ``attempt_N/`` of the sample's folder."""

from __future__ import annotations

from services.evidence.deps import EvidenceDeps
from services.evidence.ingest.step_files import read_log
from services.evidence.state.reply_pages import page_of_steps, step_log_problem
from services.evidence.state.run_state import RunState
from shared.contracts.evidence import LoadSteps, StepsLoaded, StepsReply, StepsUnknown
from shared.contracts.steps import StepTaken
from shared.evidence_format import chain, layout
from shared.evidence_format.files.sample import ResultFile, parse_result
from shared.evidence_format.log_codec import step_of


async def read_steps(deps: EvidenceDeps, state: RunState | None, request: LoadSteps) -> StepsReply:
    """Return a page of the requested log, or what is missing."""
    run_id, sample_id = request.run_id, request.sample_id
    if state is None:
        return _unknown(request, layout.no_run(run_id, deps.store.location("")))
    if sample_id not in state.samples:
        return _unknown(request, f"{run_id} has no sample {sample_id!r}")
    latest = await deps.ledger.latest_attempt(run_id, sample_id)
    attempt = request.attempt or latest
    folder = layout.sample_key(run_id, sample_id, "" if attempt == latest else layout.attempt_folder(attempt))
    try:
        entries = await read_log(deps.store, folder)
        if entries is None:
            return _unknown(request, f"{run_id} has no step log of {sample_id}, attempt {attempt}")
        steps = [step_of(entry, run_id, sample_id) for entry in entries]
    except chain.NOT_JSON as exc:
        return _unknown(request, f"{deps.store.location(folder)}/{layout.ACTION_LOG} cannot be read: {exc}")
    written = await deps.store.read(f"{folder}/{layout.RESULT}")
    try:
        result = parse_result(written) if written is not None else None
    except chain.NOT_JSON as exc:
        return _unknown(request, f"{deps.store.location(folder)}/{layout.RESULT} cannot be read: {exc}")
    return _loaded(state, request, attempt, steps, result)


def _loaded(
    state: RunState, request: LoadSteps, attempt: int, steps: list[StepTaken], result: ResultFile | None
) -> StepsLoaded:
    status, reason = (result.status, result.reason) if result is not None else (None, "")
    taken = result.steps if result is not None and result.attempt == attempt else None
    return StepsLoaded(
        run_id=request.run_id,
        sample=state.samples[request.sample_id][0],
        spec=state.record.spec,
        attempt=attempt,
        steps=() if request.count_only else page_of_steps(steps, request.after_step),
        total=len(steps),
        status=status,
        reason=reason,
        problem=step_log_problem(steps, taken, status, reason),
    )


def _unknown(request: LoadSteps, message: str) -> StepsUnknown:
    return StepsUnknown(run_id=request.run_id, sample_id=request.sample_id, message=message)
