"""Ending tasks for certain."""

from __future__ import annotations

import asyncio
from typing import Any

AGAIN_S = 0.5


async def ended(*tasks: asyncio.Future[Any]) -> None:
    """Cancels them and waits until they have ended; how they ended is nobody's business.

    One cancellation is not always enough: in Python 3.11 `asyncio.wait_for` returns its result, and forgets that it was
    cancelled, where both come at the same moment. A task that goes round in a loop then never ends.
    """
    while pending := [task for task in tasks if not task.done()]:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending, timeout=AGAIN_S)
    await asyncio.gather(*tasks, return_exceptions=True)


def unless_cancelled() -> None:
    """Raises the cancellation that this task was sent and that got lost in a `wait_for` on its way, as above.

    For loops that nobody cancels a second time: Ctrl-C is pressed once.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
