"""`exhibit validate`: check a task spec."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from services.console import exits
from services.console.options import AsJson
from services.console.terminal.plain_output import print_err, print_out
from shared.contracts.discovery import Problem
from shared.task.idle_keys import find_idle_keys
from shared.task.spec import TaskSpec, check_spec, read_spec

NO_IDENTITY = Problem(
    where="spec.identity",
    message="no field proves that a page shows the record of the row, so a wrong page may count as the right one; "
    'name a field and what it must show, such as {"ticket_number": "{ticket_number}"}',
)


def validate(spec: Annotated[Path, typer.Argument(help="The task spec.")], as_json: AsJson = False) -> None:
    """Check a task spec and list every problem. A warning is none: the spec is valid with it."""
    data, problems = read_spec(spec)
    task = None
    if data is not None:
        task, problems = check_spec(data)
        problems = problems if task is None else find_idle_keys(task)
    if task is None or problems:
        exits.print_problems(problems, as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT)
    warnings = find_warnings(task)
    fields = {name: field.type for name, field in task.output_schema.items()}
    if as_json:
        result = msgspec.json.encode({"task_id": task.task_id, "fields": fields, "problems": [], "warnings": warnings})
        sys.stdout.write(result.decode() + "\n")
    else:
        print_out(f"{spec}: a valid task spec, {task.task_id}: {', '.join(f'{n} ({t})' for n, t in fields.items())}\n")
        print_warnings(warnings)


def warn_of_spec(data: Mapping[str, Any]) -> None:
    """Print the warnings of a spec that was taken for a run."""
    task, _ = check_spec(data)
    print_warnings(() if task is None else find_warnings(task))


def print_warnings(warnings: Iterable[Problem]) -> None:
    for warning in warnings:
        print_err(f"warning: {warning.where}: {warning.message}\n")


def find_warnings(task: TaskSpec) -> tuple[Problem, ...]:
    """Return what a valid spec may well lack, for who writes it."""
    return (NO_IDENTITY,) if task.phase == "execution" and not task.identity else ()
