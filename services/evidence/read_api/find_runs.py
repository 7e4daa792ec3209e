"""Finds runs by their task and their input, the latest first."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from services.evidence.ports import READ_LIMIT, Store
from shared.aio import iterate_concurrently
from shared.contracts.evidence import FindRuns, KnownRun, RunsFound
from shared.evidence_format import chain, layout
from shared.evidence_format.files.run import RunFile, parse_run_file
from shared.text.names import age_of_run

log = logging.getLogger(__name__)


async def find_known_runs(store: Store, request: FindRuns) -> RunsFound:
    """See the request. Reads no further back than to the first that was not finished."""
    latest: KnownRun | None = None
    async with aclosing(_runs(store)) as runs:
        async for run in runs:
            if not _asked_for(run, request):
                continue
            known = _known(run)
            latest = latest or known
            if not known.finished:
                return RunsFound(latest=latest, unfinished=known)
    return RunsFound(latest=latest, unfinished=None)


async def _runs(store: Store) -> AsyncGenerator[RunFile]:
    names = sorted(filter(layout.is_safe, await store.names("")), key=age_of_run, reverse=True)

    async def read(name: str) -> RunFile | None:
        data = await store.read(f"{name}/{layout.RUN}")
        return None if data is None else _read(name, data)

    async with aclosing(iterate_concurrently(read, names, READ_LIMIT)) as runs:
        async for run in runs:
            if run is not None:
                yield run


def _read(name: str, data: bytes) -> RunFile | None:
    """None for a run that cannot be read: it must not keep anybody from beginning another."""
    try:
        return parse_run_file(data)
    except chain.NOT_JSON as exc:
        log.warning("%s/%s cannot be read: %s", name, layout.RUN, exc)
        return None


def _asked_for(run: RunFile, request: FindRuns) -> bool:
    """A run that was cut off while its samples were written down has done nothing, and cannot be gone on with."""
    record = run.record
    return (
        record.replay_run_id is None
        and (run.expected is not None or record.discovery_spec is not None)
        and request.task_id in (None, record.spec.get("task_id"))
        and request.input_sha256 in (None, record.input_sha256)
    )


def _known(run: RunFile) -> KnownRun:
    return KnownRun(
        run_id=run.record.run_id,
        created_at=run.record.created_at,
        expected=run.expected,
        finished=run.last_round is not None,
    )
