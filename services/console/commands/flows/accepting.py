"""The option `--accept-loss`: fields that a new version of a flow may lose, named one by one."""

from __future__ import annotations

from typing import Annotated

import typer

from shared.contracts.discovery import Problem
from shared.errors import RunRejectedError
from shared.task.spec import TaskSpec

AcceptLoss = Annotated[
    list[str] | None,
    typer.Option(
        "--accept-loss",
        metavar="FIELD",
        help="Publish though this field is lost: the flow does not bring it, and recorded samples, rules or the "
        "version before do. Once for each field.",
    ),
]


def accepted_fields(spec: TaskSpec, named: list[str] | None) -> frozenset[str]:
    """Return the fields that may be lost. Raises RunRejectedError for one that the task does not have."""
    unknown = [one for one in named or () if one not in spec.output_schema]
    if unknown:
        has = ", ".join(spec.output_schema)
        raise RunRejectedError(
            [Problem(where="--accept-loss", message=f"the task has no field {one!r}; it has {has}") for one in unknown]
        )
    return frozenset(named or ())
