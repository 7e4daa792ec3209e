"""Reads runs, attempts and samples back from the store.

The state of a run is read after a restart, or when the run is resumed. The facts of a sample are made from its files.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

import msgspec

from services.evidence.ports import READ_LIMIT, Store
from services.evidence.state.file_contents import AttemptLog
from services.evidence.state.run_state import RunState, SampleEnd, parse_sample_end
from services.evidence.step_files import read_begun_attempt, read_log, read_merged_log
from shared.aio import map_concurrently
from shared.contracts.codes import REASONS, Reason
from shared.contracts.discovery import RunRecord, Sample
from shared.errors import PermanentError
from shared.evidence_format import chain, layout
from shared.evidence_format.files.run import RunFile, parse_run_file, with_remark
from shared.evidence_format.files.sample import ResultFile, SampleFile
from shared.evidence_format.log_codec import attempt_of_log
from shared.evidence_view.sample_facts import (
    RESULT_UNREADABLE,
    SAMPLE_UNREADABLE,
    SampleFiles,
    parse_result_or_loss,
    result_without_sample,
)
from shared.text.names import DISCOVERY

log = logging.getLogger(__name__)


class _StoredSample(NamedTuple):
    sample: Sample
    found_at: datetime
    end: SampleEnd | None


# --- a run


async def read_run(store: Store, run_id: str, record: RunRecord | None = None) -> RunState | None:
    """Return the state of a run as its files show it; None without a run.json.

    ``record``: used if run.json is corrupt and no sealed round has a copy. Without it PermanentError
    (``run_unreadable``) is raised.
    """
    data = await store.read(layout.run_key(run_id, layout.RUN))
    if data is None:
        return None
    file = await _read_run_file(store, run_id, data, record)
    state = RunState(record=file.record, expected=file.expected)
    state.population_complete, state.population_note = file.population_complete, file.population_note
    state.population_reason, state.population_counted = file.population_reason, file.population_counted
    state.remarks, state.settlements, state.pauses = file.remarks, file.settlements, file.pauses
    state.reviewed = file.reviewed
    created_at = file.record.created_at
    names = await store.names(layout.run_key(run_id))
    read = await map_concurrently(lambda name: _read_sample(store, run_id, name, created_at), names, READ_LIMIT)
    for sample, found_at, end in filter(None, read):
        state.add_sample(sample, found_at)
        if end is not None:
            state.set_end(sample.sample_id, end)
    state.start_round(file.attempt_base)
    if (result := await store.read(layout.sample_key(run_id, DISCOVERY, layout.RESULT))) is not None:
        state.set_end(DISCOVERY, await _sample_end(store, run_id, DISCOVERY, result, created_at))
    state.finished = file.finished
    return state


async def _read_run_file(store: Store, run_id: str, data: bytes, record: RunRecord | None) -> RunFile:
    """Parse run.json. If it is corrupt, use the copy of the latest sealed round, or ``record``, with a remark."""
    key = layout.run_key(run_id, layout.RUN)
    try:
        return parse_run_file(data)
    except chain.NOT_JSON as exc:
        log.warning("%s cannot be read: %s", store.location(key), exc)
        why = str(exc)
    rounds = [int(name) for name in await store.names(layout.run_key(run_id, layout.ROUNDS)) if name.isdecimal()]
    for number in sorted(rounds, reverse=True):
        copy = f"{layout.ROUNDS}/{number}/{layout.RUN}"
        with suppress(*chain.NOT_JSON):
            file = parse_run_file(await store.read(layout.run_key(run_id, copy)) or b"")
            return with_remark(file, f"{layout.RUN} could not be read, and was taken from {copy}: {why}")
    if record is not None:
        return with_remark(RunFile(record=record), f"{layout.RUN} could not be read, and was begun anew: {why}")
    problem = f"{store.location(key)} cannot be read ({why}), and no other file has the task of the run"
    raise PermanentError(
        f"{problem}: put the file back as it was; what its samples left is untouched", code="run_unreadable"
    )


# --- a sample


async def _read_sample(store: Store, run_id: str, name: str, since: datetime) -> _StoredSample | None:
    """Read the sample that has this name in the run's folder; None if there is no sample of it. ``since``: fallback for
    the time when it was found."""
    found = await store.read(f"{layout.run_key(run_id)}/{name}/{layout.SAMPLE}")
    if found is None:
        return None
    try:
        file = msgspec.json.decode(found, type=SampleFile)
    except chain.NOT_JSON as exc:
        return await _read_damaged_sample(store, run_id, name, since, str(exc)) if layout.is_safe(name) else None
    result = await store.read(layout.sample_key(run_id, file.sample_id, layout.RESULT))
    end = await _sample_end(store, run_id, file.sample_id, result, file.found_at) if result is not None else None
    return _StoredSample(file.to_sample(), file.found_at, end)


async def _read_damaged_sample(
    store: Store, run_id: str, sample_id: str, since: datetime, why: str
) -> _StoredSample | None:
    """Return what the result knows of a sample whose sample.json is corrupt."""
    if sample_id == DISCOVERY:
        return None
    folder = layout.sample_key(run_id, sample_id)
    log.warning("%s/%s cannot be read", store.location(folder), layout.SAMPLE)
    result = result_without_sample(parse_result_or_loss(await store.read(f"{folder}/{layout.RESULT}")), why)
    if isinstance(result, ResultFile):
        return _StoredSample(Sample(sample_id=sample_id, key=result.key, row=result.row), since, SampleEnd.of(result))
    attempt = await read_latest_attempt(store, run_id, sample_id)
    sample = Sample(sample_id=sample_id, key=sample_id, row=0)
    return _StoredSample(sample, since, _failed_end(SAMPLE_UNREADABLE, attempt, since))


async def _sample_end(store: Store, run_id: str, sample_id: str, result: bytes, since: datetime) -> SampleEnd:
    """Parse how a sample ended. A corrupt result counts as failed, so that resuming the run works on the sample again.
    ``since``: fallback for the time when the attempt began."""
    try:
        return parse_sample_end(result)
    except chain.NOT_JSON as exc:
        key = layout.sample_key(run_id, sample_id, layout.RESULT)
        log.warning("%s cannot be read, its sample counts as failed: %s", store.location(key), exc)
    attempt = await read_latest_attempt(store, run_id, sample_id)
    return _failed_end(RESULT_UNREADABLE, attempt, since)


def _failed_end(reason: Reason, attempt: int, since: datetime) -> SampleEnd:
    return SampleEnd(REASONS[reason].status, reason, attempt, llm_calls=0, cost_usd=0.0, flagged=True, started_at=since)


# --- an attempt


# --- attempts


async def read_attempt_log(store: Store, run_id: str, sample_id: str) -> AttemptLog:
    """Return the log of the latest attempt that left a file; of attempt 0 if none did."""
    folder = layout.sample_key(run_id, sample_id)
    entries, ended = await read_log(store, folder) or [], await _ended_attempt(store, folder)
    logged = max((entry.step.attempt for entry in entries), default=0)
    attempt = AttemptLog.of(await _latest_attempt(store, folder, logged, ended), entries)
    attempt.ended = ended == attempt.attempt
    return attempt


async def read_latest_attempt(store: Store, run_id: str, sample_id: str) -> int:
    """Return the number of the latest attempt that left a file; 0 if none did."""
    folder = layout.sample_key(run_id, sample_id)
    merged = await read_merged_log(store, folder)
    logged = attempt_of_log(merged) if merged is not None else 0
    return await _latest_attempt(store, folder, logged, await _ended_attempt(store, folder))


async def _ended_attempt(store: Store, folder: str) -> int:
    """Return the attempt that result.json is of; 0 without a result. A corrupt result is later than all attempts that
    were moved away."""
    result = await store.read(f"{folder}/{layout.RESULT}")
    if result is None:
        return 0
    try:
        return parse_sample_end(result).attempt
    except chain.NOT_JSON:
        return 1 + max(layout.attempts_put_aside(await store.names(folder)), default=0)


async def _latest_attempt(store: Store, folder: str, logged: int, ended: int) -> int:
    earlier = layout.attempts_put_aside(await store.names(folder))
    begun = await read_begun_attempt(store, folder)
    return max(ended, begun, logged, *earlier)


# --- the files of a sample


async def read_sample_files(store: Store, run_id: str, sample_id: str, *, log: bool = True) -> SampleFiles:
    """Read the files of a sample on which no attempt is at work. ``log``: with its steps, the largest of them."""
    names = (layout.SAMPLE, layout.RESULT, *([layout.ACTION_LOG] if log else []))
    return SampleFiles(sample_id, *[await store.read(layout.sample_key(run_id, sample_id, name)) for name in names])


async def read_open_sample_files(store: Store, run_id: str, sample_id: str) -> SampleFiles:
    """Read the files of a sample on which an attempt may be at work, with its step files. Raises one of
    `chain.NOT_JSON` if a partly written log is corrupt."""
    folder = layout.sample_key(run_id, sample_id)
    sample, result = [await store.read(f"{folder}/{name}") for name in (layout.SAMPLE, layout.RESULT)]
    return SampleFiles(sample_id, sample, result, await read_merged_log(store, folder))
