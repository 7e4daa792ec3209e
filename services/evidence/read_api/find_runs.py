"""Finds runs by their task and their input, the latest first."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from services.evidence.ports import READ_LIMIT, Store
from shared.aio import iterate_concurrently
from shared.contracts.codes import is_final
from shared.contracts.evidence import FindRuns, KnownRun, RunsFound
from shared.evidence_format import chain, layout
from shared.evidence_format.files.run import RunFile, parse_run_file
from shared.text.names import age_of_run

log = logging.getLogger(__name__)


async def find_known_runs(store: Store, request: FindRuns) -> RunsFound:
    """Return the latest run of the task and the input, and the latest unfinished one. Reading stops at the latter."""
    latest: KnownRun | None = None
    async with aclosing(_read_runs(store)) as runs:
        async for run in runs:
            if not _matches(run, request):
                continue
            known = _known_run(run)
            latest = latest or known
            if not known.finished:
                return RunsFound(latest=latest, unfinished=known)
    return RunsFound(latest=latest, unfinished=None)


async def _read_runs(store: Store) -> AsyncGenerator[RunFile]:
    names = sorted(filter(layout.is_safe, await store.names("")), key=age_of_run, reverse=True)

    async def read(name: str) -> RunFile | None:
        data = await store.read(f"{name}/{layout.RUN}")
        return None if data is None else _parse(name, data)

    async with aclosing(iterate_concurrently(read, names, READ_LIMIT)) as runs:
        async for run in runs:
            if run is not None:
                yield run


def _parse(name: str, data: bytes) -> RunFile | None:
    """None for a corrupt run.json: it must not prevent a new run."""
    try:
        return parse_run_file(data)
    except chain.NOT_JSON as exc:
        log.warning("%s/%s cannot be read: %s", name, layout.RUN, exc)
        return None


def _matches(run: RunFile, request: FindRuns) -> bool:
    """Whether a run is of this task and input. One that was interrupted before its population was written cannot be
    resumed, and has done no work."""
    record = run.record
    return (
        record.replay_run_id is None
        and (run.expected is not None or record.discovery_spec is not None)
        and request.task_id in (None, record.spec.get("task_id"))
        and request.input_sha256 in (None, record.input_sha256)
    )


def _known_run(run: RunFile) -> KnownRun:
    ended = run.last_round.outcomes if run.last_round is not None else ()
    return KnownRun(
        run_id=run.record.run_id,
        created_at=run.record.created_at,
        expected=run.expected,
        finished=run.last_round is not None and run.population_complete,
        not_done=sum(one.samples for one in ended if not is_final(one.status, one.reason)),
    )
