"""Which valid tasks can be tried on one row without leaving evidence behind."""

from __future__ import annotations

from shared.contracts.discovery import Problem
from shared.task.spec import TaskSpec, has_irreversible_step


def find_try_problems(spec: TaskSpec) -> tuple[Problem, ...]:
    """Return why a valid task cannot be tried."""
    if spec.phase == "discovery":
        message = (
            "this task finds samples, and a row belongs to a task that works on them: `exhibit run SPEC` lists them"
        )
        return (Problem(where="spec.phase", message=message),)
    if has_irreversible_step(spec):
        message = (
            "a step is taken once for a sample, and without evidence nothing would say that it was: name a place for "
            "it with --evidence"
        )
        return (Problem(where="spec.route", message=message),)
    return ()
