"""Runs that tests ask for, and what lies in the folders of those that have ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shared.client import Client
from shared.contracts.evidence import RunFinished


async def run(client: Client, spec: dict[str, Any], rows: Sequence[dict[str, str]], **options: Any) -> RunFinished:
    """Request a run of these rows, and return how it has ended."""
    accepted = await client.submit(spec, rows=rows, **options)
    return await client.result(accepted.run_id)


def results_of(finished: RunFinished) -> dict[str, dict[str, Any]]:
    """Return the result of each sample, by its id."""
    return _read(finished, "result.json")


def logs_of(finished: RunFinished) -> dict[str, list[dict[str, Any]]]:
    """Return the action log of each sample, by its id."""
    return _read(finished, "action_log.json")


def _read(finished: RunFinished, name: str) -> dict[str, Any]:
    paths = Path(finished.location).glob(f"*/{name}")
    return {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def outcomes_of(finished: RunFinished) -> dict[tuple[str, str], int]:
    """Return the number of samples by status and reason."""
    return {(one.status, one.reason): one.samples for one in finished.outcomes}
