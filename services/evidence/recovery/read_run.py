"""Reads a run and its step logs back from the store, so that a restart in the middle of a run changes nothing."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime

import msgspec

from services.evidence.ingest.step_files import attempt_begun, read_log, read_merged_log
from services.evidence.ports import READ_LIMIT, Store
from services.evidence.state.damaged_files import (
    RESULT_UNREADABLE,
    SAMPLE_UNREADABLE,
    known_result,
    without_sample,
)
from services.evidence.state.file_contents import AttemptLog
from services.evidence.state.run_state import Ended, RunState
from shared.aio import map_concurrently
from shared.contracts.codes import REASONS, Reason
from shared.contracts.discovery import RunRecord, Sample
from shared.errors import PermanentError
from shared.evidence_format import chain, layout
from shared.evidence_format.files.run import RunFile, parse_run_file, with_remark
from shared.evidence_format.files.sample import ResultFile, SampleFile, parse_result
from shared.evidence_format.log_codec import attempt_of_log
from shared.text.names import DISCOVERY

log = logging.getLogger(__name__)


async def read_run(store: Store, run_id: str, record: RunRecord | None = None) -> RunState | None:
    """Return a run as its files say it; None where there is none.

    ``record``: what was asked for, used where run.json is damaged beyond reading. PermanentError (``run_unreadable``)
    where it is, and there is no other record.
    """
    data = await store.read(layout.run_key(run_id, layout.RUN))
    if data is None:
        return None
    file = await _run_file(store, run_id, data, record)
    state = RunState(record=file.record, expected=file.expected)
    state.population_complete, state.population_note = file.population_complete, file.population_note
    state.remarks = file.remarks
    names = await store.names(layout.run_key(run_id))
    read = await map_concurrently(lambda name: _sample(store, run_id, name, file.record.created_at), names, READ_LIMIT)
    for sample, found_at, result in filter(None, read):
        state.found(sample, found_at)
        if result is not None:
            state.end(sample.sample_id, result)
    state.start_round(file.attempt_base)
    if (result := await store.read(layout.sample_key(run_id, DISCOVERY, layout.RESULT))) is not None:
        state.end(DISCOVERY, await _ended(store, run_id, DISCOVERY, result, file.record.created_at))
    state.finished = file.finished
    return state


async def _run_file(store: Store, run_id: str, data: bytes, record: RunRecord | None) -> RunFile:
    """Where run.json is beyond reading, the one that the latest sealed round has put aside says what was asked."""
    key = layout.run_key(run_id, layout.RUN)
    try:
        return parse_run_file(data)
    except chain.NOT_JSON as exc:
        log.warning("%s cannot be read: %s", store.location(key), exc)
        why = str(exc)
    rounds = [int(name) for name in await store.names(layout.run_key(run_id, layout.ROUNDS)) if name.isdecimal()]
    for number in sorted(rounds, reverse=True):
        aside = f"{layout.ROUNDS}/{number}/{layout.RUN}"
        with suppress(*chain.NOT_JSON):
            file = parse_run_file(await store.read(layout.run_key(run_id, aside)) or b"")
            return with_remark(file, f"{layout.RUN} could not be read, and was taken from {aside}: {why}")
    if record is not None:
        return with_remark(RunFile(record=record), f"{layout.RUN} could not be read, and was begun anew: {why}")
    told = f"{store.location(key)} cannot be read ({why}), and nothing else says what was asked for"
    raise PermanentError(
        f"{told}: put the file back as it was; what its samples left is untouched", code="run_unreadable"
    )


async def _sample(
    store: Store, run_id: str, name: str, since: datetime
) -> tuple[Sample, datetime, Ended | None] | None:
    """A sample and how it ended, of a name in the run's folder; None where it is no sample's. ``since``: when it was
    found at the earliest, for one that does not say so any more."""
    found = await store.read(f"{layout.run_key(run_id)}/{name}/{layout.SAMPLE}")
    if found is None:
        return None
    try:
        sample = msgspec.json.decode(found, type=SampleFile)
    except chain.NOT_JSON as exc:
        return await _lost_sample(store, run_id, name, since, str(exc)) if layout.is_safe(name) else None
    result = await store.read(layout.sample_key(run_id, sample.sample_id, layout.RESULT))
    if result is None:
        return sample.to_sample(), sample.found_at, None
    return (
        sample.to_sample(),
        sample.found_at,
        await _ended(store, run_id, sample.sample_id, result, sample.found_at),
    )


async def _lost_sample(
    store: Store, run_id: str, sample_id: str, since: datetime, why: str
) -> tuple[Sample, datetime, Ended | None] | None:
    """A sample whose sample.json cannot be read any more: what its result says of it."""
    if sample_id == DISCOVERY:
        return None
    folder = layout.sample_key(run_id, sample_id)
    log.warning("%s/%s cannot be read: %s", store.location(folder), layout.SAMPLE, why)
    result = without_sample(known_result(await store.read(f"{folder}/{layout.RESULT}")), why)
    if isinstance(result, ResultFile):
        return Sample(sample_id=sample_id, key=result.key, row=result.row), since, _remembered(result)
    attempt = await read_latest_attempt(store, run_id, sample_id)
    return Sample(sample_id=sample_id, key=sample_id, row=0), since, _lost(SAMPLE_UNREADABLE, attempt, since)


async def _ended(store: Store, run_id: str, sample_id: str, result: bytes, since: datetime) -> Ended:
    """How a sample ended. One whose result cannot be read any more has failed, and no other with it: what is not done
    is worked on again when the run is resumed, as a later attempt. ``since``: when it was begun, as far as is known."""
    try:
        return ended_of(result)
    except chain.NOT_JSON as exc:
        key = layout.sample_key(run_id, sample_id, layout.RESULT)
        log.warning("%s cannot be read, its sample counts as failed: %s", store.location(key), exc)
    attempt = await read_latest_attempt(store, run_id, sample_id)
    return _lost(RESULT_UNREADABLE, attempt, since)


def _lost(reason: Reason, attempt: int, since: datetime) -> Ended:
    return Ended(REASONS[reason].status, reason, attempt, llm_calls=0, cost_usd=0.0, flagged=True, started_at=since)


def ended_of(result: bytes) -> Ended:
    """What is remembered of a result.json. Raises one of `chain.NOT_JSON`."""
    return _remembered(parse_result(result))


def _remembered(read: ResultFile) -> Ended:
    return Ended(
        status=read.status,
        reason=read.reason,
        attempt=read.attempt,
        llm_calls=read.llm_calls,
        cost_usd=read.usage.cost_usd,
        flagged=read.flagged,
        started_at=read.started_at,
    )


async def read_attempt_log(store: Store, run_id: str, sample_id: str) -> AttemptLog:
    """Return the log of the latest attempt that left anything behind; of attempt 0 where none did."""
    folder = layout.sample_key(run_id, sample_id)
    entries, ended = await read_log(store, folder) or [], await _ended_attempt(store, folder)
    logged = max((entry.attempt for entry in entries), default=0)
    attempt = AttemptLog.of(await _latest(store, folder, logged, ended), entries)
    attempt.ended = ended == attempt.attempt
    return attempt


async def read_latest_attempt(store: Store, run_id: str, sample_id: str) -> int:
    """Return the number of the latest attempt that left anything behind; 0 where none did."""
    folder = layout.sample_key(run_id, sample_id)
    merged = await read_merged_log(store, folder)
    logged = attempt_of_log(merged) if merged is not None else 0
    return await _latest(store, folder, logged, await _ended_attempt(store, folder))


async def _ended_attempt(store: Store, folder: str) -> int:
    """0 where there is no result; one that cannot be read came behind all that were put aside."""
    result = await store.read(f"{folder}/{layout.RESULT}")
    if result is None:
        return 0
    try:
        return ended_of(result).attempt
    except chain.NOT_JSON:
        return 1 + max(layout.attempts_put_aside(await store.names(folder)), default=0)


async def _latest(store: Store, folder: str, logged: int, ended: int) -> int:
    aside = layout.attempts_put_aside(await store.names(folder))
    begun = await attempt_begun(store, folder)
    return max(ended, begun, logged, *aside)
