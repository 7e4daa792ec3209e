"""Reads back what an earlier process filed, so that a restart in the middle of a run changes nothing."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

import msgspec
from msgspec.structs import replace

from services.evidence import layout
from services.evidence.deps import Deps
from services.evidence.filing.contents import AttemptLog
from services.evidence.filing.log_files import attempt_begun, read_log, read_merged_log
from services.evidence.ports import READ_LIMIT
from services.evidence.recalling.rounds import Ended, RunState
from services.evidence.recalling.unreadable import (
    RESULT_UNREADABLE,
    SAMPLE_UNREADABLE,
    known_result,
    without_sample,
)
from shared.aio import map_concurrently
from shared.contracts.codes import REASONS, Reason
from shared.contracts.discovery import RunRecord, Sample
from shared.contracts.evidence import RunFinished, SampleState
from shared.errors import PermanentError
from shared.evidence_format import chain
from shared.evidence_format.files.run import RunFile, parse_run_file, remarked
from shared.evidence_format.files.sample import ResultFile, SampleFile, parse_result
from shared.evidence_format.log_codec import attempt_of_log
from shared.evidence_format.manifest import as_written
from shared.text.names import DISCOVERY

log = logging.getLogger(__name__)


async def run_state(deps: Deps, run_id: str, record: RunRecord | None = None) -> RunState | None:
    """The run as it is known here, or as it lies in the store; None where neither has it. ``record``: what was asked,
    as somebody tells it who knows, should run.json be damaged. PermanentError (``run_unreadable``) where it is, and
    nobody knows."""
    if run_id not in deps.runs:
        # Two that read it side by side would remember one each, and only one of them would be kept up.
        async with deps.recalling:
            if run_id not in deps.runs and (state := await _read_state(deps, run_id, record)) is not None:
                deps.runs[run_id] = state
    return deps.runs.get(run_id)


async def keep_run(deps: Deps, state: RunState) -> None:
    """Writes run.json."""
    file = RunFile(
        record=state.record,
        attempt_base=state.attempt_base,
        expected=state.expected,
        finished=_unsealed(state.finished),
        population_complete=state.population_complete,
        population_note=state.population_note,
        remarks=state.remarks,
    )
    await deps.store.write(layout.run_key(state.record.run_id, layout.RUN), as_written(file))


def _unsealed(finished: RunFinished | None) -> RunFinished | None:
    """run.json is sealed with all else, so it cannot say by what."""
    return finished and msgspec.structs.replace(finished, manifest_sha256="", signed_by="")


async def _read_state(deps: Deps, run_id: str, record: RunRecord | None) -> RunState | None:
    data = await deps.store.read(layout.run_key(run_id, layout.RUN))
    if data is None:
        return None
    file = await _run_file(deps, run_id, data, record)
    state = RunState(record=file.record, expected=file.expected)
    state.population_complete, state.population_note = file.population_complete, file.population_note
    state.remarks = file.remarks
    names = await deps.store.names(layout.run_key(run_id))
    read = await map_concurrently(lambda name: _sample(deps, run_id, name, file.record.created_at), names, READ_LIMIT)
    for sample, found_at, result in filter(None, read):
        state.found(sample, found_at)
        if result is not None:
            state.end(sample.sample_id, result)
    state.start_round(file.attempt_base)
    if (result := await deps.store.read(layout.sample_key(run_id, DISCOVERY, layout.RESULT))) is not None:
        state.end(DISCOVERY, await _ended(deps, run_id, DISCOVERY, result, file.record.created_at))
    state.finished = file.finished
    return state


async def _run_file(deps: Deps, run_id: str, data: bytes, record: RunRecord | None) -> RunFile:
    """Where run.json is beyond reading, the one that the latest sealed round has put aside says what was asked."""
    key = layout.run_key(run_id, layout.RUN)
    try:
        return parse_run_file(data)
    except chain.NOT_JSON as exc:
        log.warning("%s cannot be read: %s", deps.store.location(key), exc)
        why = str(exc)
    rounds = [int(name) for name in await deps.store.names(layout.run_key(run_id, layout.ROUNDS)) if name.isdecimal()]
    for number in sorted(rounds, reverse=True):
        aside = f"{layout.ROUNDS}/{number}/{layout.RUN}"
        with suppress(*chain.NOT_JSON):
            file = parse_run_file(await deps.store.read(layout.run_key(run_id, aside)) or b"")
            return remarked(file, f"{layout.RUN} could not be read, and was taken from {aside}: {why}")
    if record is not None:
        return remarked(RunFile(record=record), f"{layout.RUN} could not be read, and was begun anew: {why}")
    told = f"{deps.store.location(key)} cannot be read ({why}), and nothing else says what was asked for"
    raise PermanentError(
        f"{told}: put the file back as it was; what its samples left is untouched", code="run_unreadable"
    )


async def with_attempts(deps: Deps, run_id: str, states: Sequence[SampleState]) -> tuple[SampleState, ...]:
    """What has no result gets the highest attempt that left something behind."""

    async def tried(one: SampleState) -> SampleState:
        if one.status is not None:
            return one
        return replace(one, attempt=await latest_attempt(deps, run_id, one.sample.sample_id))

    return tuple(await map_concurrently(tried, states, READ_LIMIT))


async def _sample(deps: Deps, run_id: str, name: str, since: datetime) -> tuple[Sample, datetime, Ended | None] | None:
    """A sample and how it ended, of a name in the run's folder; None where it is no sample's. ``since``: when it was
    found at the earliest, for one that does not say so any more."""
    found = await deps.store.read(f"{layout.run_key(run_id)}/{name}/{layout.SAMPLE}")
    if found is None:
        return None
    try:
        sample = msgspec.json.decode(found, type=SampleFile)
    except chain.NOT_JSON as exc:
        return await _lost_sample(deps, run_id, name, since, str(exc)) if layout.is_safe(name) else None
    result = await deps.store.read(layout.sample_key(run_id, sample.sample_id, layout.RESULT))
    if result is None:
        return sample.to_sample(), sample.found_at, None
    return (
        sample.to_sample(),
        sample.found_at,
        await _ended(deps, run_id, sample.sample_id, result, sample.found_at),
    )


async def _lost_sample(
    deps: Deps, run_id: str, sample_id: str, since: datetime, why: str
) -> tuple[Sample, datetime, Ended | None] | None:
    """A sample whose sample.json cannot be read any more: what its result says of it."""
    if sample_id == DISCOVERY:
        return None
    folder = layout.sample_key(run_id, sample_id)
    log.warning("%s/%s cannot be read: %s", deps.store.location(folder), layout.SAMPLE, why)
    result = without_sample(known_result(await deps.store.read(f"{folder}/{layout.RESULT}")), why)
    if isinstance(result, ResultFile):
        return Sample(sample_id=sample_id, key=result.key, row=result.row), since, _remembered(result)
    attempt = await latest_attempt(deps, run_id, sample_id)
    return Sample(sample_id=sample_id, key=sample_id, row=0), since, _lost(SAMPLE_UNREADABLE, attempt, since)


async def _ended(deps: Deps, run_id: str, sample_id: str, result: bytes, since: datetime) -> Ended:
    """How a sample ended. One whose result cannot be read any more has failed, and no other with it: what is not done
    is worked on again when the run is resumed, as a later attempt. ``since``: when it was begun, as far as is known."""
    try:
        return ended_of(result)
    except chain.NOT_JSON as exc:
        key = layout.sample_key(run_id, sample_id, layout.RESULT)
        log.warning("%s cannot be read, its sample counts as failed: %s", deps.store.location(key), exc)
    attempt = await latest_attempt(deps, run_id, sample_id)
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


async def attempt_log(deps: Deps, run_id: str, sample_id: str) -> AttemptLog:
    """The log of the latest attempt that left anything behind; attempt 0 where none did."""
    key = (run_id, sample_id)
    if key not in deps.logs:
        deps.logs[key] = await _read_log(deps, run_id, sample_id)
    return deps.logs[key]


async def latest_attempt(deps: Deps, run_id: str, sample_id: str) -> int:
    """The latest attempt that left anything behind; 0 where none did."""
    if (run_id, sample_id) in deps.logs:
        return deps.logs[run_id, sample_id].attempt
    folder = layout.sample_key(run_id, sample_id)
    merged = await read_merged_log(deps.store, folder)
    logged = attempt_of_log(merged) if merged is not None else 0
    return await _latest(deps, folder, logged, await _ended_attempt(deps, folder))


async def _read_log(deps: Deps, run_id: str, sample_id: str) -> AttemptLog:
    folder = layout.sample_key(run_id, sample_id)
    entries, ended = await read_log(deps.store, folder) or [], await _ended_attempt(deps, folder)
    logged = max((entry.attempt for entry in entries), default=0)
    attempt = AttemptLog.of(await _latest(deps, folder, logged, ended), entries)
    attempt.ended = ended == attempt.attempt
    return attempt


async def _ended_attempt(deps: Deps, folder: str) -> int:
    """0 where there is no result; one that cannot be read came behind all that were put aside."""
    result = await deps.store.read(f"{folder}/{layout.RESULT}")
    if result is None:
        return 0
    try:
        return ended_of(result).attempt
    except chain.NOT_JSON:
        return 1 + max(layout.attempts_put_aside(await deps.store.names(folder)), default=0)


async def _latest(deps: Deps, folder: str, logged: int, ended: int) -> int:
    aside = layout.attempts_put_aside(await deps.store.names(folder))
    begun = await attempt_begun(deps.store, folder)
    return max(ended, begun, logged, *aside)
