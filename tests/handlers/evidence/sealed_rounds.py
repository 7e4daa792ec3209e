"""A run of two rounds, filed and sealed, and the findings of a check."""

from __future__ import annotations

from typing import Any

from shared.evidence_format.verify.verify_run import RunCheck
from tests.handlers.evidence.evidence_desk import Desk, closed, ended, found, sample, started, took


async def worked(desk: Desk, key: str, row: int, attempt: int = 1, **how: Any) -> None:
    one = sample(key, row)
    filed = await desk.capture(one, f"picture of {key}, {attempt}".encode() * 20, attempt)
    await desk.tell(took(one, filed, attempt=attempt), took(one, step=2, attempt=attempt))
    await desk.tell(ended(one, filed, attempt=attempt, **how))


async def rounds(desk: Desk) -> None:
    """File two rounds.

    A sample fails in the first one and is done in the second; one attempt's screenshot is kept aside.
    """
    await desk.tell(
        started(), *(found(sample(key, row)) for row, key in enumerate(("A-1", "A-2", "A-3"), 1)), closed(3)
    )
    await worked(desk, "A-1", 1)
    await worked(desk, "A-2", 2, status="failed", reason="not_found")
    await worked(desk, "A-3", 3)
    await desk.tell(started(1), closed(3, 1))
    await worked(desk, "A-2", 2, attempt=2)


def told(checked: RunCheck) -> set[tuple[str, str]]:
    return {(problem.path, problem.code) for problem in checked.problems}
