"""Whether a run goes on with one that was cut off. Never is a second folder begun beside it without a word."""

from __future__ import annotations

import hashlib
import sys
from typing import Any

from shared.client import Client, RunRejectedError
from shared.contracts.discovery import Problem
from shared.contracts.evidence import KnownRun
from shared.hashing import search_sha256


def input_sha256(
    spec: dict[str, Any] | None, file: tuple[str, bytes] | None, discovery: dict[str, Any] | None, row: dict[str, str]
) -> str | None:
    """As discovery writes it into the run's record; None where nothing says what the samples come from."""
    if file is not None:
        return hashlib.sha256(file[1]).hexdigest()
    if discovery is not None:
        return search_sha256(discovery, row)
    if spec is not None and spec.get("phase") == "discovery":
        return search_sha256(spec, row)
    return None


async def run_to_resume(client: Client, spec: dict[str, Any] | None, input_sha: str | None) -> str:
    """The run that ``--resume last`` means. Raises RunRejectedError where there is none."""
    task_id = _task_id(spec)
    found = (await client.runs(task_id, input_sha)).unfinished
    if found is None:
        of = f" of {task_id}" if task_id is not None else ""
        of += " and this input" if input_sha is not None else ""
        raise RunRejectedError([Problem(where="--resume last", message=f"there is no unfinished run{of}")])
    return found.run_id


async def say_where_one_was_cut_off(client: Client, spec: dict[str, Any], input_sha: str) -> None:
    """Says it where the latest run of this task and this input was not finished, and how to go on with it."""
    latest = (await client.runs(_task_id(spec), input_sha)).latest
    if latest is not None and not latest.finished:
        sys.stderr.write(cut_off(latest))


def cut_off(run: KnownRun) -> str:
    samples = f" ({run.expected} samples)" if run.expected is not None else ""
    return (
        f"exhibit: {run.run_id}{samples}, of the same task and the same input, is not finished.\n"
        f"Go on with it by --resume {run.run_id}; the next time by --resume last. Another run begins now.\n"
    )


def _task_id(spec: dict[str, Any] | None) -> str | None:
    return None if spec is None else str(spec.get("task_id"))
