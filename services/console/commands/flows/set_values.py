"""The one row that values set by hand make, and the task that it is a sample of. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from shared.contracts.discovery import Problem
from shared.flows.files import ValueSchema
from shared.flows.variables import bind_variables, name_of, to_identifier, typed_row
from shared.submission.samples import DEFAULT_TEMPLATE
from shared.task.spec import TaskSpec, placeholders


def parse_pairs(pairs: Sequence[str]) -> tuple[dict[str, str], list[Problem]]:
    """Return the values of ``NAME=VALUE`` pairs by name, and what is wrong with them. A value is kept as it is."""
    values: dict[str, str] = {}
    problems: list[Problem] = []
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals or not name:
            problems.append(Problem(where=f"--set {pair}", message='write NAME=VALUE, such as "Medical License=A-1"'))
        elif name in values:
            problems.append(Problem(where=f"--set {name}", message="it is given twice"))
        else:
            values[name] = value
    return values, problems


def row_of(
    spec: TaskSpec, variables: Mapping[str, ValueSchema], given: Mapping[str, str]
) -> tuple[dict[str, str], list[Problem]]:
    """Return the row of the columns of a task, and everything that is wrong with what was given.

    ``variables``: of the flow, by their names with ``!`` after a required one. A value is given by the name of a column
    or of a variable, as written or as code has it.
    """
    columns = _columns(spec)
    known = {to_identifier(name): name for name in (*map(name_of, variables), *columns)}
    row: dict[str, str] = {}
    problems: list[Problem] = []
    for name, value in given.items():
        column = name if name in columns else known.get(to_identifier(name))
        if column is None:
            shown = [*columns, *(name_of(one) for one in variables if to_identifier(name_of(one)) not in columns)]
            near = difflib.get_close_matches(name, shown, n=1)
            told = f"did you mean {near[0]}?" if near else f"there is {', '.join(shown) or 'none'}"
            problems.append(Problem(where=f"--set {name}", message=f"the flow has no such variable; {told}"))
        elif column in row:
            problems.append(Problem(where=f"--set {name}", message=f"it is given twice: {column} is the same variable"))
        else:
            row[column] = value
    bound = () if problems else bind_variables(variables, typed_row(variables, row))[1]
    return row, [*problems, *(Problem(where=f"--set {one.where}", message=one.message) for one in bound)]


def task_of_row(data: Mapping[str, Any], spec: TaskSpec, row: Mapping[str, str], flow: str) -> dict[str, Any]:
    """Return the task spec for this row alone, done by ``flow``, which may be ``NAME@HASH``.

    Columns without a value are none of it: what the flow needs is given (`row_of`), and the address and the identity
    ask for theirs themselves. A row that lacks what names a sample is named by its number.
    """
    is_named = row.keys() >= set(placeholders(spec.sample_id))
    return {
        **data,
        "input_schema": {name: kind for name, kind in spec.input_schema.items() if name in row},
        "sample_id": spec.sample_id if is_named else DEFAULT_TEMPLATE,
        "workflow": {"name": flow},
    }


def _columns(spec: TaskSpec) -> dict[str, None]:
    """Return the columns that a row may have, in the order in which the task names them."""
    templates = (spec.sample_id, spec.start_url, *spec.identity.values())
    named = (name for text in templates for name in placeholders(text))
    return dict.fromkeys([*spec.input_schema, *named])
