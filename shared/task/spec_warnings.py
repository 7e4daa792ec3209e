"""What a valid task spec may well lack, for who writes it. Pure."""

from __future__ import annotations

from shared.contracts.discovery import Problem
from shared.task.spec import TaskSpec

NO_IDENTITY = Problem(
    where="spec.identity",
    message="no field proves that a page shows the record of the row, so a wrong page may count as the right one; "
    'name a field and what it must show, such as {"ticket_number": "{ticket_number}"}',
)


def find_warnings(task: TaskSpec) -> tuple[Problem, ...]:
    """Return what the task may well lack."""
    return (NO_IDENTITY,) if task.phase == "execution" and not task.identity else ()
