"""Runs on the forged site, and which task runs in which mode: everything in `make test-long`, `make test` a part."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from practice.comparing import rows_of
from shared.client import Client
from shared.contracts.discovery import RunMode
from tests.end_to_end.family_runs import written
from tests.forged.tasks import Row

SEED = int(os.environ.get("FORGED_SEED", "11"))
HONEST = 2
"""Samples of a run that meet no lie."""
RECORDED = 4
"""Samples that a flow is compiled from, and checked with."""


async def run(client: Client, task: dict[str, Any], rows: Sequence[Row], mode: RunMode) -> list[dict[str, str]]:
    """Return the table of a run that asked no model."""
    accepted = await client.submit(task, file=("rows.csv", written(list(rows))), mode=mode)
    finished = await client.result(accepted.run_id)
    assert finished.llm_calls == 0
    return rows_of(Path(finished.table))
