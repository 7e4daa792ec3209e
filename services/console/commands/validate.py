"""`exhibit validate`: check a task spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from services.console import exits
from services.console.options import AsJson
from services.console.outcomes import CommandOutcome, ErrorLine
from services.console.terminal.plain_output import print_err
from shared.errors import RunRejectedError
from shared.task.spec import TaskSpec, check_spec, read_spec
from shared.task.spec_warnings import find_warnings
from shared.task.unused_keys import find_unused_keys


@dataclass(frozen=True)
class ValidSpec:
    """A task spec without problems."""

    file: Path
    task: TaskSpec
    exit_code: int = exits.OK

    def to_json(self) -> dict[str, Any]:
        fields, warnings = self._fields(), find_warnings(self.task)
        return {"task_id": self.task.task_id, "fields": fields, "problems": [], "warnings": warnings}

    def lines(self) -> Iterator[str]:
        fields = ", ".join(f"{name} ({kind})" for name, kind in self._fields().items())
        yield f"{self.file}: a valid task spec, {self.task.task_id}: {fields}"
        yield from warning_lines(self.task)

    def _fields(self) -> dict[str, str]:
        return {name: field.type for name, field in self.task.output_schema.items()}


def validate(spec: Annotated[Path, typer.Argument(help="The task spec.")], as_json: AsJson = False) -> CommandOutcome:
    """Check a task spec and list every problem. A warning is none: the spec is valid with it."""
    data, problems = read_spec(spec)
    task = None
    if data is not None:
        task, problems = check_spec(data)
        problems = problems if task is None else find_unused_keys(task)
    if task is None or problems:
        raise RunRejectedError(problems)
    return ValidSpec(spec, task)


def warn_of_spec(data: Mapping[str, Any]) -> None:
    """Print the warnings of a spec that was taken for a run."""
    task, _ = check_spec(data)
    print_err("".join(f"{line}\n" for line in (() if task is None else warning_lines(task))))


def warning_lines(task: TaskSpec) -> Iterator[str]:
    return (ErrorLine(f"warning: {one.where}: {one.message}") for one in find_warnings(task))
