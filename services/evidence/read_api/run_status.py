"""Reads the status record of a run: its state, and the results of one page of its samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.ports import READ_LIMIT
from services.evidence.state.reply_pages import PAGE_BYTES
from services.evidence.state.run_state import RunState, sample_states
from services.evidence.state.status_record import EndedSample, status_record
from shared.aio import map_concurrently
from shared.contracts.evidence import LoadedSample
from shared.contracts.sessions.control import RunControl
from shared.contracts.sessions.status import RunStatus
from shared.evidence_format import chain, layout
from shared.evidence_format.files.sample import ResultFile, SampleFile, parse_result
from shared.streams import RUN_CONTROL

STATUS_BYTES = PAGE_BYTES // 2
"""Of the results of one page, as they are stored: the record repeats less than that."""


async def read_status(deps: EvidenceDeps, state: RunState, skip: int = 0) -> RunStatus:
    """Return the status record with the results of the samples after the skipped ones that fit a message."""
    ended = sum(sample_id in state.samples for sample_id in state.ends)
    skip = min(max(skip, 0), ended)
    left = [one for one in sample_states(state) if one.status is not None][skip:] if skip < ended else []
    page = await _read_page(deps, state, left)
    end = skip + len(page)
    control = None if deps.records is None else await deps.records.read(RUN_CONTROL, state.record.run_id, RunControl)
    return status_record(
        state,
        page,
        control,
        location=deps.store.location(layout.run_key(state.record.run_id)),
        skip=skip,
        next_skip=end if end < ended else None,
    )


async def _read_page(deps: EvidenceDeps, state: RunState, known: Sequence[LoadedSample]) -> list[EndedSample]:
    """Return the first samples whose files fit a message; at least one if there is one."""

    async def read(one: LoadedSample) -> tuple[EndedSample, int]:
        return await _read_sample(deps, state, one)

    page: list[EndedSample] = []
    size = 0
    for start in range(0, len(known), READ_LIMIT):
        for sample, read_bytes in await map_concurrently(read, known[start : start + READ_LIMIT], READ_LIMIT):
            size += read_bytes
            if page and size > STATUS_BYTES:
                return page
            page.append(sample)
    return page


async def _read_sample(deps: EvidenceDeps, state: RunState, one: LoadedSample) -> tuple[EndedSample, int]:
    """Return what a sample brought, and the size of its files. Of a damaged file there is nothing."""
    run_id, sample_id = state.record.run_id, one.sample.sample_id
    stored = await deps.store.read(layout.sample_key(run_id, sample_id, layout.RESULT)) or b""
    found = await deps.store.read(layout.sample_key(run_id, sample_id, layout.SAMPLE)) if state.discovers else None
    location = deps.store.location(layout.sample_key(run_id, sample_id))
    return EndedSample(one, _result(stored), _item(found or b""), location), len(stored) + len(found or b"")


def _result(stored: bytes) -> ResultFile | None:
    try:
        return parse_result(stored)
    except chain.NOT_JSON:
        return None


def _item(stored: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(stored, type=SampleFile).item or {}
    except chain.NOT_JSON:
        return {}
