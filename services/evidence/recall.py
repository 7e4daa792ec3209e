"""Reads back what an earlier process filed, so that a restart in the middle of a run changes nothing."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from services.evidence import layout
from services.evidence.deps import Deps
from services.evidence.filing import AttemptLog, as_json, log_of
from services.evidence.rounds import Ended, RunState
from shared.contracts.base import Part
from shared.contracts.discovery import RunRecord, Sample
from shared.contracts.evidence import RunFinished
from shared.names import DISCOVERY


class RunFile(Part, frozen=True, kw_only=True):
    """run.json: what was asked, and how far it got."""

    record: RunRecord
    attempt_base: int = 0
    expected: int | None = None
    finished: RunFinished | None = None
    population_complete: bool = True
    population_note: str = ""


class _Found(Sample, frozen=True, kw_only=True):
    found_at: datetime


class _Result(Part, frozen=True, kw_only=True):
    status: str
    reason: str
    attempt: int
    llm_calls: int
    usage: dict[str, Any]
    flagged: bool
    started_at: datetime


async def run_state(deps: Deps, run_id: str) -> RunState | None:
    """The run as it is known here, or as it lies in the store; None where neither has it."""
    if run_id not in deps.runs:
        state = await _read_state(deps, run_id)
        if state is None:
            return None
        deps.runs[run_id] = state
    return deps.runs[run_id]


async def keep_run(deps: Deps, state: RunState) -> None:
    """Writes run.json."""
    file = RunFile(
        record=state.record,
        attempt_base=state.attempt_base,
        expected=state.expected,
        finished=state.finished,
        population_complete=state.population_complete,
        population_note=state.population_note,
    )
    await deps.store.write(layout.run_key(state.record.run_id, layout.RUN), as_json(file))


async def _read_state(deps: Deps, run_id: str) -> RunState | None:
    data = await deps.store.read(layout.run_key(run_id, layout.RUN))
    if data is None:
        return None
    file = msgspec.json.decode(data, type=RunFile)
    state = RunState(record=file.record, expected=file.expected)
    state.population_complete, state.population_note = file.population_complete, file.population_note
    for name in await deps.store.names(layout.run_key(run_id)):
        await _read_sample(deps, state, run_id, name)
    state.start_round(file.attempt_base)
    if (result := await deps.store.read(layout.sample_key(run_id, DISCOVERY, layout.RESULT))) is not None:
        state.end(DISCOVERY, ended_of(result))
    state.finished = file.finished
    return state


async def attempts_tried(deps: Deps, state: RunState) -> dict[str, int]:
    """The highest attempt that left something behind, of each sample that has no result."""
    run_id = state.record.run_id
    return {
        sample_id: (await _read_log(deps, run_id, sample_id)).attempt
        for sample_id in state.samples
        if sample_id not in state.ended
    }


async def _read_sample(deps: Deps, state: RunState, run_id: str, sample_id: str) -> None:
    found = await deps.store.read(f"{layout.run_key(run_id)}/{sample_id}/{layout.SAMPLE}")
    if found is None:
        return
    sample = msgspec.json.decode(found, type=_Found)
    plain = Sample(sample_id=sample.sample_id, key=sample.key, row=sample.row, url=sample.url, fields=sample.fields)
    state.found(plain, sample.found_at)
    result = await deps.store.read(layout.sample_key(run_id, sample_id, layout.RESULT))
    if result is not None:
        state.end(sample_id, ended_of(result))


def ended_of(result: bytes) -> Ended:
    """What is remembered of a result.json."""
    read = msgspec.json.decode(result, type=_Result)
    return Ended(
        status=read.status,
        reason=read.reason,
        attempt=read.attempt,
        llm_calls=read.llm_calls,
        cost_usd=float(read.usage.get("cost_usd", 0.0)),
        flagged=read.flagged,
        started_at=read.started_at,
    )


async def attempt_log(deps: Deps, run_id: str, sample_id: str) -> AttemptLog:
    """The log of the latest attempt that left anything behind; attempt 0 where none did."""
    key = (run_id, sample_id)
    if key not in deps.logs:
        deps.logs[key] = await _read_log(deps, run_id, sample_id)
    return deps.logs[key]


async def _read_log(deps: Deps, run_id: str, sample_id: str) -> AttemptLog:
    data = await deps.store.read(layout.sample_key(run_id, sample_id, layout.ACTION_LOG))
    entries: list[dict[str, Any]] = msgspec.json.decode(data) if data else []
    result = await deps.store.read(layout.sample_key(run_id, sample_id, layout.RESULT))
    attempts = [int(entry["attempt"]) for entry in entries]
    if result is not None:
        attempts.append(ended_of(result).attempt)
    attempts += layout.attempts_put_aside(await deps.store.names(layout.sample_key(run_id, sample_id)))
    return log_of(max(attempts, default=0), entries)
