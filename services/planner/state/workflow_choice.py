"""The workflow that a run uses, and its arguments for one row. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from shared.contracts.base import Part
from shared.contracts.workflows.library import WorkflowShown, WorkflowVersion
from shared.flows.files import is_flow, parse_files
from shared.flows.identifiers import to_identifier
from shared.task.spec import PLACEHOLDER, TaskSpec, fill, has_irreversible_step, placeholders
from shared.workflow_source.module import Module

TYPED = re.compile(r"^(int|float|bool|list|dict)\b")
"""Types of parameters whose argument is JSON in the row, such as ``3`` or ``["a"]``."""


class WorkflowChoice(Part, frozen=True, kw_only=True):
    """The workflow of a run. An empty ``name``: none fits. ``hash``: its version; the run keeps to it.

    ``arguments``: values, with ``{column}`` in texts. ``chosen_by``: ``spec``, ``name`` (it has the name of the task),
    or the name of a model. ``reason``: of the model; without a name, why none is used.
    """

    name: str = ""
    hash: str = ""
    arguments: dict[str, Any] = {}
    types: dict[str, str] = {}
    """Types of its parameters, as they are written."""
    chosen_by: str = ""
    reason: str = ""
    is_flow: bool = False
    """It is run by turns, and each of its calls is an action of the sample."""


NO_WORKFLOW = WorkflowChoice()
PRESSED_ONCE = "the route has an irreversible step, and only what a flow presses can be held to once"
OWN_COLUMNS = frozenset({"sample_id", "key"})
"""What every row has, beside the columns of the input."""


def make_choice(
    shown: WorkflowShown, spec: TaskSpec, given: Mapping[str, Any], *, chosen_by: str, reason: str = ""
) -> tuple[WorkflowChoice, tuple[str, ...]]:
    """Return the choice of this version, and what is wrong with its arguments.

    A parameter that is not given is taken from the column of the same name, if the input has one.
    """
    version, flow = shown.workflow, is_flow(shown.source, shown.files)
    columns = column_names(spec)
    own = {to_identifier(name): name for name in columns if PLACEHOLDER.fullmatch(f"{{{name}}}")} if flow else {}
    arguments, unfit = fitted_arguments(version, spec, given, own)
    problems = (
        *unfit,
        *((f"{PRESSED_ONCE}, and {version.name} is no flow",) if has_irreversible_step(spec) and not flow else ()),
        *(_file_problems(shown) if flow else ()),
    )
    types = {one.name: one.type for one in version.parameters if one.type}
    choice = WorkflowChoice(
        name=version.name,
        hash=version.hash,
        arguments=arguments,
        types=types,
        chosen_by=chosen_by,
        reason=reason,
        is_flow=flow,
    )
    return choice, problems


def fitted_arguments(
    called: WorkflowVersion | Module, spec: TaskSpec, given: Mapping[str, Any], own: Mapping[str, str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments with those that are taken from the columns, and what is wrong with them.

    ``own``: columns by the names of parameters that are not spelled like them.
    """
    columns = column_names(spec)
    known = {one.name: one for one in called.parameters}
    arguments = dict(given)
    for name in known.keys() - arguments.keys():
        column = name if name in columns else own.get(name)
        if column is not None:
            arguments[name] = f"{{{column}}}"
    missing = [name for name, one in known.items() if one.required and name not in arguments]
    unknown = [] if called.takes_more else [name for name in arguments if name not in known]
    absent = sorted({column for value in arguments.values() for column in _columns_in(value)} - columns)
    title = called.name if isinstance(called, WorkflowVersion) else "run"
    return arguments, (
        *(f"{title} needs the argument {name!r}" for name in missing),
        *(f"{title} has no parameter {name!r}" for name in unknown),
        *(f"the input has no column {name!r}" for name in absent),
    )


def _file_problems(shown: WorkflowShown) -> tuple[str, ...]:
    try:
        parse_files(shown.files)
    except ValueError as exc:
        return (f"{shown.workflow.name}: {exc}",)
    return ()


def column_names(spec: TaskSpec) -> set[str]:
    """Return the columns that the rows of a task have, as far as its spec tells."""
    templates = (spec.start_url, spec.sample_id, *spec.identity.values())
    return {*OWN_COLUMNS, *spec.input_schema, *(name for text in templates for name in placeholders(text))}


def arguments_for(choice: WorkflowChoice, row: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments for one row. An optional column that is empty leaves its argument out.

    Raises KeyError for a column that the row does not have.
    """
    found: dict[str, Any] = {}
    for name, value in choice.arguments.items():
        filled = _filled(value, row)
        if isinstance(value, str) and placeholders(value):
            if filled == "" and name in choice.types:
                continue
            filled = _typed(filled, choice.types.get(name, ""))
        found[name] = filled
    return found


def _typed(text: Any, kind: str) -> Any:
    """Return the value of a cell for a parameter of this type; the text itself where it is no JSON that can be sent."""
    if not TYPED.match(kind):
        return text
    try:
        return json.loads(
            text.lower() if kind.startswith("bool") else text,
            parse_constant=_finite,
            parse_float=_finite,
            parse_int=_whole,
        )
    except (ValueError, RecursionError):
        return text


def _finite(text: str) -> float:
    """Raises ValueError for NaN and what is infinite: a message would hold null in its place."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _whole(text: str) -> int:
    number = int(text)
    if not -(2**63) <= number < 2**63:
        raise ValueError(text)
    return number


def _filled(value: Any, row: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return fill(value, dict(row))
    if isinstance(value, dict):
        return {key: _filled(one, row) for key, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_filled(one, row) for one in cast("list[Any]", value)]
    return value


def _columns_in(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield from placeholders(value)
    elif isinstance(value, dict):
        for one in cast("dict[str, Any]", value).values():
            yield from _columns_in(one)
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _columns_in(one)
