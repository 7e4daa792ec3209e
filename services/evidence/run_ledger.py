"""The state of runs and step logs that this process holds in memory, and the locks of runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace

from services.evidence.ports import READ_LIMIT, Store
from services.evidence.recovery import read_attempt_log, read_latest_attempt, read_run
from services.evidence.state.file_contents import AttemptLog
from services.evidence.state.run_state import RunState
from shared.aio import map_concurrently, run_to_its_end
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import LoadedSample, RunFinished
from shared.errors import PermanentError
from shared.evidence_format import layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.run import RunFile


class RunLedger:
    """State is read from the store on first use, and updated by those who write the run.

    All of it can be read again, so a process that dies between any two events loses nothing.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runs: dict[str, RunState] = {}
        self._logs: dict[tuple[str, str], AttemptLog] = {}
        self._reading = asyncio.Lock()
        self.claiming = asyncio.Lock()
        """Held while a press is claimed, so that of two concurrent claims only one succeeds."""

    # --- runs

    @property
    def runs(self) -> frozenset[str]:
        """Ids of the runs in memory."""
        return frozenset(self._runs)

    async def lock_run(self, run_id: str) -> None:
        """Take the run's lock, before anything of the run is written. State that was read before this process had the
        lock is dropped, also where the caller is cancelled meanwhile: the store goes on with it. Raises Unavailable
        (``run_held``) if another process has it."""
        if not layout.is_safe(run_id):
            return
        async with self._reading:
            await run_to_its_end(self._take_lock(run_id))

    async def _take_lock(self, run_id: str) -> None:
        if await self._store.lock_run(run_id):
            self._drop(run_id)

    def _drop(self, run_id: str) -> None:
        self._runs.pop(run_id, None)
        for key in [key for key in self._logs if key[0] == run_id]:
            del self._logs[key]

    async def state(self, run_id: str, record: RunRecord | None = None) -> RunState | None:
        """Return the run's state, the same object each time; None if there is no such run. ``record`` and errors: see
        `read_run`. Raises PolicyDenied for an unsafe id."""
        if run_id not in self._runs:
            # Two concurrent readers would get two objects, of which only one would be updated later.
            async with self._reading:
                if run_id not in self._runs and (read := await read_run(self._store, run_id, record)) is not None:
                    self._runs[run_id] = read
        return self._runs.get(run_id)

    async def find(self, run_id: str) -> RunState | None:
        """As `state`; None for an unsafe id."""
        return await self.state(run_id) if layout.is_safe(run_id) else None

    async def begin_run(self, record: RunRecord) -> RunState:
        """Take the lock and return the state of a run that starts or is resumed."""
        await self.lock_run(record.run_id)
        state = await self.state(record.run_id, record)
        if state is None:
            state = self._runs[record.run_id] = RunState(record=record)
        return state

    async def lock_and_read(self, run_id: str) -> RunState:
        """Take the lock and return the run's state. Raises PermanentError (``unknown_run``) if the run never started:
        events come in order, so its folder was removed."""
        await self.lock_run(run_id)
        state = await self.state(run_id)
        if state is None:
            await self._store.unlock_run(run_id)
            raise PermanentError(f"{run_id} was never started here", code="unknown_run")
        return state

    async def save(self, state: RunState) -> None:
        """Write run.json."""
        await self._write(state, state.finished)

    async def save_finished(self, state: RunState, finished: RunFinished | None) -> None:
        """Write run.json with this summary of the last round, then remember it. If writing fails, the state is as
        before, and the round is closed again."""
        await self._write(state, finished)
        state.finished = finished

    async def _write(self, state: RunState, finished: RunFinished | None) -> None:
        """Write run.json. It is sealed itself, so it cannot name the seal."""
        file = RunFile(
            record=state.record,
            attempt_base=state.attempt_base,
            expected=state.expected,
            finished=replace(finished, manifest_sha256="", signed_by="") if finished is not None else None,
            population_complete=state.population_complete,
            population_reason=state.population_reason,
            population_counted=state.population_counted,
            population_note=state.population_note,
            remarks=state.remarks,
            settlements=state.settlements,
            reviewed=state.reviewed,
            pauses=state.pauses,
        )
        await self._store.write(layout.run_key(state.record.run_id, layout.RUN), encode_file(file))

    async def unlock_if_finished(self, run_id: str) -> None:
        """Release the lock of a finished run. An event that is delivered again must not keep another process from
        resuming the run."""
        state = await self.state(run_id)
        if state is not None and state.current_summary is not None:
            await self._store.unlock_run(run_id)

    def forget_finished(self, but: str) -> None:
        """Drop the finished runs from memory, except ``but``. Call it only while an event is handled: events come one
        at a time, so none is changing such a run."""
        for run_id in [
            run_id for run_id, state in self._runs.items() if state.current_summary is not None and run_id != but
        ]:
            del self._runs[run_id]

    # --- step logs

    @property
    def logs(self) -> frozenset[tuple[str, str]]:
        """Run id and sample id of each log in memory."""
        return frozenset(self._logs)

    async def log(self, run_id: str, sample_id: str) -> AttemptLog:
        """Return the log of the latest attempt that left a file; of attempt 0 if none did."""
        key = (run_id, sample_id)
        if key not in self._logs:
            self._logs[key] = await read_attempt_log(self._store, run_id, sample_id)
        return self._logs[key]

    def begin_log(self, run_id: str, sample_id: str, attempt: int) -> AttemptLog:
        """Return a new log for an attempt that begins."""
        log = self._logs[run_id, sample_id] = AttemptLog(attempt)
        return log

    def forget_log(self, run_id: str, sample_id: str) -> None:
        self._logs.pop((run_id, sample_id), None)

    async def latest_attempt(self, run_id: str, sample_id: str) -> int:
        """Return the number of the latest attempt that left a file; 0 if none did."""
        if (known := self._logs.get((run_id, sample_id))) is not None:
            return known.attempt
        return await read_latest_attempt(self._store, run_id, sample_id)

    async def with_attempts(self, run_id: str, samples: Sequence[LoadedSample]) -> tuple[LoadedSample, ...]:
        """Return the samples; those without a result with the number of their latest attempt."""

        async def with_attempt(sample: LoadedSample) -> LoadedSample:
            return replace(sample, attempt=await self.latest_attempt(run_id, sample.sample.sample_id))

        waiting = [sample for sample in samples if sample.status is None]
        known = iter(await map_concurrently(with_attempt, waiting, READ_LIMIT))
        return tuple(next(known) if sample.status is None else sample for sample in samples)
