"""Which run is resumed: the latest unfinished one of the same task and the same input."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from services.evidence.deps import EvidenceDeps
from services.evidence.handlers import close_population, open_run
from services.evidence.read_api.read_handlers import find_runs
from services.evidence.store.folder_store import FolderStore
from shared.contracts.discovery import PopulationClosed, RunRecord, RunStarted
from shared.contracts.evidence import FindRuns
from shared.testing.bus import MemoryBus

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)


@pytest.fixture
def deps(tmp_path: Path) -> EvidenceDeps:
    return EvidenceDeps(store=FolderStore(tmp_path), blobs=MemoryBus(), now=lambda: NOW)


async def begin(deps: EvidenceDeps, run_id: str, task: str = "t", given: str = "in", **more: Any) -> None:
    """A run whose population is not closed."""
    spec = {"task_id": task, "output_schema": {"number": "string"}}
    record = RunRecord(
        run_id=run_id, spec=spec, planner=None, concurrency=1, created_at=NOW, input_sha256=given, **more
    )
    await open_run(RunStarted(run_id=run_id, record=record), deps, 1)


async def close(deps: EvidenceDeps, run_id: str, samples: int) -> None:
    """With no sample the run is finished at once."""
    await close_population(PopulationClosed(run_id=run_id, samples=samples), deps, 1)


async def unfinished(deps: EvidenceDeps, run_id: str, **more: Any) -> None:
    await begin(deps, run_id, **more)
    await close(deps, run_id, 3)


async def finished(deps: EvidenceDeps, run_id: str, **more: Any) -> None:
    await begin(deps, run_id, **more)
    await close(deps, run_id, 0)


async def found(deps: EvidenceDeps, task: str | None = "t", given: str | None = "in") -> tuple[str | None, str | None]:
    reply = await find_runs(FindRuns(task_id=task, input_sha256=given), deps)
    return (reply.latest and reply.latest.run_id, reply.unfinished and reply.unfinished.run_id)


async def test_where_there_is_no_run_there_is_none(deps: EvidenceDeps):
    assert await found(deps) == (None, None)


@pytest.mark.parametrize("broken", [b"", b'{"record": "\xff"}', b"[]"], ids=["empty", "no text", "another kind"])
async def test_a_run_that_cannot_be_read_hides_no_other(deps: EvidenceDeps, broken: bytes):
    await unfinished(deps, "run_1")
    await unfinished(deps, "run_2")
    await deps.store.write("run_2/run.json", broken)
    assert await found(deps) == ("run_1", "run_1")


async def test_the_latest_unfinished_is_found_behind_later_ones_that_are_finished(deps: EvidenceDeps):
    for second in range(20):  # more than are read side by side
        await finished(deps, f"run_2026-11-21_0800{second:02d}")
    await unfinished(deps, "run_2026-11-20_080000")
    await unfinished(deps, "run_2026-11-19_080000")
    assert await found(deps) == ("run_2026-11-21_080019", "run_2026-11-20_080000")


async def test_of_runs_of_one_second_the_one_with_the_highest_number_is_the_latest(deps: EvidenceDeps):
    for run_id in ("run_2026-11-21_080000", "run_2026-11-21_080000_2", "run_2026-11-21_080000_10"):
        await unfinished(deps, run_id)
    assert await found(deps) == ("run_2026-11-21_080000_10", "run_2026-11-21_080000_10")


async def test_runs_of_another_task_or_another_input_are_not_meant(deps: EvidenceDeps):
    await unfinished(deps, "run_2026-11-21_080000")
    await unfinished(deps, "run_2026-11-21_090000", task="other")
    await unfinished(deps, "run_2026-11-21_100000", given="other")
    assert await found(deps) == ("run_2026-11-21_080000", "run_2026-11-21_080000")
    assert await found(deps, task=None, given=None) == ("run_2026-11-21_100000", "run_2026-11-21_100000")
    assert await found(deps, given=None) == ("run_2026-11-21_100000", "run_2026-11-21_100000")


async def test_what_cannot_be_gone_on_with_is_not_found(deps: EvidenceDeps):
    await begin(deps, "run_2026-11-21_080000")
    await unfinished(deps, "run_2026-11-21_080001", replay_run_id="run_2026-11-20_080000")
    assert await found(deps) == (None, None)
    await begin(deps, "run_2026-11-21_090000", discovery_spec={"phase": "discovery"})
    assert await found(deps) == ("run_2026-11-21_090000", "run_2026-11-21_090000"), "its samples are still looked for"


async def test_a_round_that_was_cut_off_makes_a_finished_run_unfinished(deps: EvidenceDeps):
    await finished(deps, "run_2026-11-21_080000")
    assert await found(deps) == ("run_2026-11-21_080000", None)
    state = await deps.ledger.state("run_2026-11-21_080000")
    assert state is not None
    await open_run(RunStarted(run_id="run_2026-11-21_080000", record=state.record, attempt_base=1), deps, 1)
    assert await found(deps) == ("run_2026-11-21_080000", "run_2026-11-21_080000")
