"""A task drafted from a sentence by a model of the planners: how it is asked for, and the rows that the sentence names.

The command `exhibit ask` and the console in the browser share it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from shared.bus.ports import Asks
from shared.contracts.planner import DraftPossible, DraftRefused, DraftTask, TaskDrafted
from shared.subjects import DRAFT_TASK

DRAFT_TIMEOUT_S = 300.0
CHECK_TIMEOUT_S = 5.0


async def draft_task(bus: Asks, sentence: str) -> TaskDrafted | DraftRefused:
    """Have a task drafted and checked. It costs money, also where it is refused, and runs nothing.

    Raises:
        PermanentError: there is no key for a model, or it is refused.
        ExhibitError: no planner or no model answers.
    """
    reply = await bus.ask(DRAFT_TASK, DraftTask(request=sentence), timeout_s=DRAFT_TIMEOUT_S)
    assert not isinstance(reply, DraftPossible), "it was asked for a draft"
    return reply


async def drafting_model(bus: Asks) -> str:
    """Return the name of the model that would draft; empty: a planner of an earlier version does not say. It costs
    nothing.

    Raises:
        PermanentError: none would, and what to do about it.
        ExhibitError: no planner answers.
    """
    reply = await bus.ask(DRAFT_TASK, DraftTask(request="", check_only=True), timeout_s=CHECK_TIMEOUT_S)
    return reply.model if isinstance(reply, DraftPossible) else ""


def rows_table(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the rows that a sentence names as CSV with a header; empty without rows."""
    if not rows:
        return ""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
