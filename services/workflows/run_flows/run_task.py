"""The task of a run, as this service reads it."""

from __future__ import annotations

from typing import Any

from shared.bus.ports import Records
from shared.contracts.discovery import RunRecord
from shared.errors import PermanentError
from shared.streams import RUNS
from shared.task.spec import TaskSpec, check_spec


async def load_task(records: Records, run_id: str) -> tuple[dict[str, Any], TaskSpec]:
    """Return the task of a run, as it was written and as it is read. Raises PermanentError (``unknown_run``)."""
    run = await records.read(RUNS, run_id, RunRecord)
    spec = check_spec(run.spec)[0] if run is not None else None
    if run is None or spec is None:
        raise PermanentError(f"the task of {run_id} cannot be read", code="unknown_run")
    return run.spec, spec
