"""`exhibit validate`: check a task spec."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from services.console import exits
from services.console.options import AsJson
from shared.field_types import base_type
from shared.task.idle_keys import find_idle_keys
from shared.task.spec import check_spec, read_spec


def validate(spec: Annotated[Path, typer.Argument(help="The task spec.")], as_json: AsJson = False) -> None:
    """Check a task spec and list every problem."""
    data, problems = read_spec(spec)
    task = None
    if data is not None:
        task, problems = check_spec(data)
        problems = problems if task is None else find_idle_keys(task)
    if task is None or problems:
        exits.print_problems(problems, as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT)
    fields = {name: base_type(field.type) for name, field in task.output_schema.items()}
    if as_json:
        result = msgspec.json.encode({"task_id": task.task_id, "fields": fields, "problems": []})
        sys.stdout.write(result.decode() + "\n")
    else:
        typer.echo(f"{spec}: a valid task spec, {task.task_id}: {', '.join(f'{n} ({t})' for n, t in fields.items())}")
