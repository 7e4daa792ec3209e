"""Which valid tasks can be tried without leaving evidence behind: on one row, or on the list that they find."""

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
    return _find_press_problems(spec)


def find_list_try_problems(spec: TaskSpec) -> tuple[Problem, ...]:
    """Return why the list of a valid task cannot be tried."""
    if spec.phase != "discovery":
        message = "this task works on samples and finds none: a list is that of a discovery task"
        return (Problem(where="spec.phase", message=message),)
    return _find_press_problems(spec)


def _find_press_problems(spec: TaskSpec) -> tuple[Problem, ...]:
    if not has_irreversible_step(spec):
        return ()
    message = (
        "a step is taken once for a sample, and without evidence nothing would say that it was: name a place for it "
        "with --evidence"
    )
    return (Problem(where="spec.route", message=message),)
