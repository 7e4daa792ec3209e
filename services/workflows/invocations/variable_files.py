"""Variables of a workflow that has a schema of them: checked, and as the file that it reads. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from shared.contracts.workflows.invocations import JsonValue, WorkflowFailure
from shared.flows.files import VARIABLES_FILE, VARIABLES_SCHEMA_FILE, ValueSchema
from shared.flows.variables import bind_variables, variables_text


def bound_files(
    name: str, files: Mapping[str, str], given: Mapping[str, JsonValue]
) -> tuple[Mapping[str, JsonValue], Mapping[str, str], WorkflowFailure | None]:
    """Return the arguments of ``run``, and the files of its folder with data/variables.json; or what is wrong with
    them, all at once. A workflow without files takes the arguments as they are, and no file."""
    if not files:
        return given, {}, None
    schema: dict[str, ValueSchema] = {}
    if VARIABLES_SCHEMA_FILE in files:
        try:
            schema = msgspec.json.decode(files[VARIABLES_SCHEMA_FILE], type=dict[str, ValueSchema])
        except msgspec.DecodeError as exc:
            return {}, {}, _failure(name, f"{VARIABLES_SCHEMA_FILE} of {name} is none: {exc}")
        given, problems = bind_variables(schema, given)
        if problems:
            told = "; ".join(f"{one.where}: {one.message}" for one in problems)
            return {}, {}, _failure(name, f"the variables of {name} are refused: {told}")
    try:
        return given, {**files, VARIABLES_FILE: variables_text(schema, given)}, None
    except (TypeError, ValueError, RecursionError) as exc:
        return {}, {}, _failure(name, f"{name}() got what is no JSON: {exc}")


def _failure(name: str, message: str) -> WorkflowFailure:
    return WorkflowFailure(code="bad_value", type="ValueError", message=message, chain=(name,))
