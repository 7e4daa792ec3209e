"""What this process knows of runs and of the step logs at work; `RunLedger` is the one place that holds it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace

from services.evidence.ports import READ_LIMIT, Store
from services.evidence.recovery.read_run import read_attempt_log, read_latest_attempt, read_run
from services.evidence.state.file_contents import AttemptLog
from services.evidence.state.run_state import RunState
from shared.aio import map_concurrently
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import LoadedSample, RunFinished
from shared.errors import PermanentError
from shared.evidence_format import layout
from shared.evidence_format.files.base import encode_file
from shared.evidence_format.files.run import RunFile


class RunLedger:
    """Read from the store when first asked for, and kept up to date by those who write the run.

    All of it can be read again: a process that dies between any two events changes nothing.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runs: dict[str, RunState] = {}
        self._logs: dict[tuple[str, str], AttemptLog] = {}
        self._reading = asyncio.Lock()
        self.claiming = asyncio.Lock()
        """Held between reading and writing whose press it is: else two that claim at once would both have it."""

    # --- runs

    @property
    def runs(self) -> frozenset[str]:
        """Ids of the runs in memory."""
        return frozenset(self._runs)

    async def hold(self, run_id: str) -> None:
        """Take the run's lock, before anything of the run is written. What was read of the run before this process
        had the lock is read again. Raises Unavailable (``run_held``) where another process has it."""
        async with self._reading:
            if layout.is_safe(run_id) and await self._store.hold(run_id):
                self._runs.pop(run_id, None)
                for key in [key for key in self._logs if key[0] == run_id]:
                    del self._logs[key]

    async def state(self, run_id: str, record: RunRecord | None = None) -> RunState | None:
        """Return the run's state, the same object each time; None where there is no such run. ``record``, and what is
        raised: see `read_run`. PolicyDenied for an id that cannot be one."""
        if run_id not in self._runs:
            # Two that read it side by side would remember one each, and only one of them would be kept up to date.
            async with self._reading:
                if run_id not in self._runs and (read := await read_run(self._store, run_id, record)) is not None:
                    self._runs[run_id] = read
        return self._runs.get(run_id)

    async def find(self, run_id: str) -> RunState | None:
        """As `state`; None too for an id that cannot be one."""
        return await self.state(run_id) if layout.is_safe(run_id) else None

    async def open(self, record: RunRecord) -> RunState:
        """Take the lock, and return the state of a run that has started: as the store has it, or a new one."""
        await self.hold(record.run_id)
        state = await self.state(record.run_id, record)
        if state is None:
            state = self._runs[record.run_id] = RunState(record=record)
        return state

    async def held(self, run_id: str) -> RunState:
        """Take the lock, and return the state of a run that is written here. PermanentError (``unknown_run``) where it
        never started: events come in order, so its folder was taken away."""
        await self.hold(run_id)
        state = await self.state(run_id)
        if state is None:
            await self._store.release(run_id)
            raise PermanentError(f"{run_id} was never started here", code="unknown_run")
        return state

    async def save(self, state: RunState) -> None:
        """Write run.json."""
        await self._write(state, state.finished)

    async def save_finished(self, state: RunState, finished: RunFinished | None) -> None:
        """Write run.json with this summary of the last round, then remember it: where writing fails, it is tried
        again as if nothing had been summed up."""
        await self._write(state, finished)
        state.finished = finished

    async def _write(self, state: RunState, finished: RunFinished | None) -> None:
        """run.json is sealed with all else, so it cannot name the seal."""
        file = RunFile(
            record=state.record,
            attempt_base=state.attempt_base,
            expected=state.expected,
            finished=replace(finished, manifest_sha256="", signed_by="") if finished is not None else None,
            population_complete=state.population_complete,
            population_note=state.population_note,
            remarks=state.remarks,
        )
        await self._store.write(layout.run_key(state.record.run_id, layout.RUN), encode_file(file))

    async def release_if_finished(self, run_id: str) -> None:
        """Release the lock of a finished run: an event that is delivered again changes nothing, and must not keep
        another process from resuming the run."""
        state = await self.state(run_id)
        if state is not None and state.said is not None:
            await self._store.release(run_id)

    def forget_finished(self, but: str) -> None:
        """Drop the finished runs from memory, except this one. Only where an event is handled: events come one at a
        time, so no other is about to change one of them."""
        for run_id in [run_id for run_id, state in self._runs.items() if state.said is not None and run_id != but]:
            del self._runs[run_id]

    # --- step logs

    @property
    def logs(self) -> frozenset[tuple[str, str]]:
        """Run and sample of each log in memory."""
        return frozenset(self._logs)

    async def log(self, run_id: str, sample_id: str) -> AttemptLog:
        """Return the log of the latest attempt that left anything behind; of attempt 0 where none did."""
        key = (run_id, sample_id)
        if key not in self._logs:
            self._logs[key] = await read_attempt_log(self._store, run_id, sample_id)
        return self._logs[key]

    def begin_log(self, run_id: str, sample_id: str, attempt: int) -> AttemptLog:
        """Return a new log, for an attempt that begins."""
        log = self._logs[run_id, sample_id] = AttemptLog(attempt)
        return log

    def forget_log(self, run_id: str, sample_id: str) -> None:
        self._logs.pop((run_id, sample_id), None)

    async def latest_attempt(self, run_id: str, sample_id: str) -> int:
        """Return the number of the latest attempt that left anything behind; 0 where none did."""
        if (known := self._logs.get((run_id, sample_id))) is not None:
            return known.attempt
        return await read_latest_attempt(self._store, run_id, sample_id)

    async def with_attempts(self, run_id: str, samples: Sequence[LoadedSample]) -> tuple[LoadedSample, ...]:
        """Return the samples, those without a result with their latest attempt."""

        async def tried(one: LoadedSample) -> LoadedSample:
            if one.status is not None:
                return one
            return replace(one, attempt=await self.latest_attempt(run_id, one.sample.sample_id))

        return tuple(await map_concurrently(tried, samples, READ_LIMIT))
