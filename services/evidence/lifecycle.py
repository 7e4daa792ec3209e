"""Begins attempts at samples, and closes complete rounds of a run.

Of several attempts at a sample the latest may write. It archives the files of the attempt before it. Which attempts are
taken at all is decided in `state/admission.py`.
"""

from __future__ import annotations

from contextlib import aclosing

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.facts import RoundBefore
from services.evidence.outputs.make_products import make_products
from services.evidence.ports import READ_LIMIT
from services.evidence.reviews.review_logs import read_signed_off
from services.evidence.seal.file_hashes import make_tree_durable
from services.evidence.seal.run_seal import archive_sealed_round, find_unchanged_round, seal_run
from services.evidence.seal.sample_seal import seal_sample
from services.evidence.state.file_contents import AttemptLog
from services.evidence.state.run_doubts import (
    DateReading,
    date_readings,
    dated_fields,
    doubted_result,
    refuted_orders,
)
from services.evidence.state.run_state import RunState, parse_sample_end, round_summary
from services.evidence.step_files import begin_attempt, merge_step_files
from shared.aio import iterate_concurrently
from shared.contracts.evidence import RunFinished
from shared.contracts.steps import PressClaim
from shared.errors import PermanentError
from shared.evidence_format import layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.sample import ResultFile
from shared.evidence_view.sample_facts import parse_result_or_loss

# --- attempts at a sample


async def attempt_log(deps: EvidenceDeps, state: RunState, sample_id: str, attempt: int) -> AttemptLog:
    """Return the log that an admitted attempt writes to: the latest, or one that begins.

    The first call of an attempt moves the files of the attempt before it away: evidence is never overwritten.
    """
    run_id = state.record.run_id
    log = await deps.ledger.log(run_id, sample_id)
    if attempt > log.attempt:
        state.reopen(sample_id)
        if log.attempt:
            await _archive_attempt(deps, run_id, sample_id, log.attempt)
        if attempt > 1:
            await begin_attempt(deps.store, layout.sample_key(run_id, sample_id), attempt)
        log = deps.ledger.begin_log(run_id, sample_id, attempt)
    return log


async def _archive_attempt(deps: EvidenceDeps, run_id: str, sample_id: str, attempt: int) -> None:
    """Move the files of an attempt to ``attempt_N/``. Idempotent."""
    folder = layout.sample_key(run_id, sample_id)
    archive = f"{folder}/{layout.attempt_folder(attempt)}"
    await merge_step_files(deps.store, folder)
    for name in await deps.store.names(folder):
        if not layout.stays(name):
            await deps.store.move(f"{folder}/{name}", f"{archive}/{name}")
    await make_tree_durable(deps.store, archive)


async def require_open_attempt(deps: EvidenceDeps, state: RunState, pressed: PressClaim) -> None:
    """Raise PermanentError: ``sample_over`` if the sample, or this attempt at it, has its result already, or the run is
    finished, or has no such sample."""
    if not state.has_sample(pressed.sample_id):
        raise PermanentError(f"{pressed.run_id} has no sample {pressed.sample_id!r}", code="sample_over")
    if state.current_summary is not None or state.has_ended(pressed.sample_id):
        raise PermanentError(f"{pressed.sample_id} has its result already", code="sample_over")
    result = await deps.store.read(layout.sample_key(pressed.run_id, pressed.sample_id, layout.RESULT))
    if result is not None and parse_sample_end(result).attempt >= pressed.attempt:
        raise PermanentError(f"attempt {pressed.attempt} at {pressed.sample_id} is over", code="sample_over")


# --- rounds of a run


async def close_run_if_complete(deps: EvidenceDeps, state: RunState) -> RunFinished | None:
    """Close the round once every sample is accounted for, and return its summary; None before that.

    Idempotent: the summary of a closed round is returned again, because it may not have been published.
    """
    if not state.is_complete:
        return None
    before: RoundBefore | None = None
    if state.current_summary is None:
        await archive_sealed_round(deps, state)
        before = await find_unchanged_round(deps, state)
        if before is None:  # the results of an unchanged round were heard when it was closed
            await _judge_run(deps, state)
        await deps.ledger.save_finished(state, await _make_outputs(deps, state, before))
    assert state.finished is not None
    state.finished = await seal_run(deps, state, state.finished, before)
    if deps.timestamps is not None:
        deps.timestamps.note(state.record.run_id)
    deps.ledger.forget_finished(but=state.record.run_id)
    await deps.store.unlock_run(state.record.run_id)
    return state.finished


async def _judge_run(deps: EvidenceDeps, state: RunState) -> None:
    """Leave to a person what samples of the run refute of each other. Idempotent: values stay as they were read, so
    that the same results are doubted again after a crash, and those of earlier rounds are heard in each round."""
    fields = dated_fields(state.record.spec)
    if not fields:
        return
    run_id = state.record.run_id
    ids = [sample.sample_id for sample in state.in_row_order]

    async def read(sample_id: str) -> tuple[str, ResultFile | None]:
        return sample_id, await _read_result(deps, run_id, sample_id)

    readings: list[DateReading] = []
    async with aclosing(iterate_concurrently(read, ids, READ_LIMIT)) as results:
        async for sample_id, result in results:
            readings += date_readings(sample_id, result, fields) if result is not None else []
    for sample_id, refuted in refuted_orders(readings).items():
        result = await _read_result(deps, run_id, sample_id)
        if result is not None and result.status == "done":
            await _put_aside(deps, layout.sample_key(run_id, sample_id), result.attempt)
            await _leave_to_person(deps, state, sample_id, doubted_result(result, refuted))
        elif result is not None and result.refuted:  # a crash may have come before its manifest
            await _leave_to_person(deps, state, sample_id, result)


async def _read_result(deps: EvidenceDeps, run_id: str, sample_id: str) -> ResultFile | None:
    result = parse_result_or_loss(await deps.store.read(layout.sample_key(run_id, sample_id, layout.RESULT)))
    return result if isinstance(result, ResultFile) else None


async def _put_aside(deps: EvidenceDeps, folder: str, attempt: int) -> None:
    """Keep result and manifest as they were: evidence is never overwritten."""
    aside = f"{folder}/{layout.doubt_folder(attempt)}"
    for name in (layout.RESULT, layout.MANIFEST):
        if (data := await deps.store.read(f"{folder}/{name}")) is not None:
            await deps.store.write(f"{aside}/{name}", data)
    await deps.store.make_durable(aside)


async def _leave_to_person(deps: EvidenceDeps, state: RunState, sample_id: str, result: ResultFile) -> None:
    run_id, doubted = state.record.run_id, encode_file(result)
    await deps.store.write(layout.sample_key(run_id, sample_id, layout.RESULT), doubted)
    await seal_sample(deps, run_id, sample_id, await deps.ledger.log(run_id, sample_id), doubted)
    await deps.store.make_durable(layout.sample_key(run_id, sample_id))
    deps.ledger.forget_log(run_id, sample_id)
    state.set_end(sample_id, parse_sample_end(doubted))


async def _make_outputs(deps: EvidenceDeps, state: RunState, before: RoundBefore | None) -> RunFinished:
    """Make all outputs of a complete round; return its summary, without the seal. ``before``: the round that only its
    review has changed."""
    run_id = state.record.run_id
    table = deps.store.location(layout.run_key(run_id, layout.COMBINED))
    summary = round_summary(state, deps.store.location(layout.run_key(run_id)), table, deps.now())
    review = await read_signed_off(deps.store, state, await deps.reviews.log(state)) if state.reviewed else None
    products = await make_products(deps.store, deps.products, state, summary, deps.on_blocked, review, before)
    await make_tree_durable(deps.store, layout.run_key(run_id, layout.MEMORY))
    await deps.store.make_durable(layout.run_key(run_id))
    report = deps.store.location(layout.run_key(run_id, layout.REPORT)) if layout.REPORT in products.names else ""
    table = table if layout.COMBINED in products.names else ""
    return msgspec.structs.replace(
        summary, table=table, report=report, not_made=products.failures, reconciliation=products.reconciliation
    )
