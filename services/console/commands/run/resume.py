"""Which run `--resume` means, and a warning when a new run repeats an unfinished one."""

from __future__ import annotations

import sys

from services.console.commands.run.inputs import RunInputs
from services.console.run_location import LAST, locate_run
from shared.client import Client, RunRejectedError
from shared.contracts.discovery import Problem
from shared.contracts.evidence import KnownRun
from shared.errors import PermanentError
from shared.settings import Settings


def locate_resumed(settings: Settings, resume: str | None) -> tuple[Settings, str | None]:
    """Return the settings under which the evidence of the run is found, and the run's id.

    ``last`` stays as it is: it depends on the inputs (see `find_run_to_resume`). Raises RunRejectedError.
    """
    if resume is None or resume == LAST:
        return settings, resume
    try:
        return locate_run(settings, resume)
    except PermanentError as exc:
        raise RunRejectedError([Problem(where="--resume", message=str(exc))]) from None


async def find_run_to_resume(client: Client, inputs: RunInputs) -> str:
    """Return the id of the run that ``--resume last`` means. Raises RunRejectedError when there is none."""
    task_id = _task_id(inputs)
    found = (await client.runs(task_id, inputs.sha256)).unfinished
    if found is None:
        of = f" of {task_id}" if task_id is not None else ""
        of += " and this input" if inputs.sha256 is not None else ""
        raise RunRejectedError([Problem(where="--resume last", message=f"there is no unfinished run{of}")])
    return found.run_id


async def warn_about_unfinished(client: Client, inputs: RunInputs) -> None:
    """Print how to resume the latest run of the same task and input, if it is unfinished."""
    if inputs.spec is None or inputs.sha256 is None:
        return
    latest = (await client.runs(_task_id(inputs), inputs.sha256)).latest
    if latest is not None and not latest.finished:
        sys.stderr.write(_unfinished_text(latest))


def _unfinished_text(run: KnownRun) -> str:
    samples = f" ({run.expected} samples)" if run.expected is not None else ""
    return (
        f"exhibit: {run.run_id}{samples}, of the same task and the same input, is not finished.\n"
        f"Go on with it by --resume {run.run_id}; the next time by --resume last. Another run begins now.\n"
    )


def _task_id(inputs: RunInputs) -> str | None:
    return None if inputs.spec is None else str(inputs.spec.get("task_id"))
