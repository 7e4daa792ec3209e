"""Variables and outputs of a flow, checked against their schemas. Pure.

A schema maps names as written, with ``!`` after a required one, to their types; code has them as identifiers.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from shared.contracts.discovery import Problem
from shared.flows.files import ValueSchema
from shared.flows.identifiers import to_identifier
from shared.text.normal import fold

__all__ = ["bind_variables", "name_of", "output_problems", "to_identifier", "variables_text"]
MAX_SHOWN = 80


def name_of(key: str) -> str:
    """Return the name of a variable, without the mark of a required one."""
    return key.removesuffix("!")


def bind_variables(
    schema: Mapping[str, ValueSchema], given: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Return the arguments of ``run`` by identifier, with defaults; and everything that is wrong with what was given.

    Variables are given by their names as written, or by their identifiers. One that is neither required nor given, and
    has no default, is left out. With problems there are no arguments.
    """
    problems: list[Problem] = []
    known: dict[str, str] = {}
    keys: dict[str, str] = {}
    for key in schema:
        identifier = to_identifier(name_of(key))
        if identifier in keys:
            text = f"{name_of(keys[identifier])!r} and {name_of(key)!r} are both {identifier} in code: rename one"
            problems.append(Problem(where=name_of(key), message=text))
        keys[identifier] = key
        known |= {name_of(key): identifier, identifier: identifier}
    values: dict[str, Any] = {}
    for name, value in given.items():
        identifier = known.get(name)
        if identifier is None:
            problems.append(Problem(where=name, message=f"there is no such variable{_similar(name, schema)}"))
        elif identifier in values:
            problems.append(Problem(where=name, message=f"it is given twice: {identifier} is the same variable"))
        else:
            values[identifier] = value
    arguments: dict[str, Any] = {}
    for identifier, key in keys.items():
        kind, value = schema[key], values.get(identifier)
        value = kind.default if value is None else value
        if value is None:
            if key.endswith("!"):
                problems.append(Problem(where=name_of(key), message="it is required, and has no value"))
        elif (problem := _type_problem(kind, value)) is not None:
            problems.append(Problem(where=name_of(key), message=problem))
        else:
            arguments[identifier] = value
    return ({} if problems else arguments), tuple(problems)


def typed_row(schema: Mapping[str, ValueSchema], row: Mapping[str, str]) -> dict[str, Any]:
    """Return the variables of a flow in a row of texts, such as a CSV has them: yes and no as booleans, numbers, JSON.

    A text that is no value of its type stays a text, which `bind_variables` refuses. Columns that are no variable are
    left out, and so are empty ones that may be.
    """
    found: dict[str, Any] = {}
    for key, kind in schema.items():
        name = name_of(key)
        text = row.get(name, row.get(to_identifier(name)))
        if text is not None and (text or key.endswith("!")):
            found[name] = _from_text(kind, text)
    return found


def _from_text(kind: ValueSchema, text: str) -> Any:
    if kind.type == "boolean":
        truth = truth_of(text)
        return text if truth is None else truth
    if kind.type not in ("number", "array", "object"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


_TRUE = frozenset({"yes", "true", "on", "y", "1"})
_FALSE = frozenset({"no", "false", "off", "n", "0", ""})


def truth_of(text: str) -> bool | None:
    """Return whether a text says yes or no; None: neither."""
    word = fold(text)
    return True if word in _TRUE else False if word in _FALSE else None


def variables_text(schema: Mapping[str, ValueSchema], arguments: Mapping[str, Any]) -> str:
    """Return data/variables.json: arguments by the names of their variables as written."""
    names = {to_identifier(name_of(key)): name_of(key) for key in schema}
    values = {names.get(identifier, identifier): value for identifier, value in arguments.items()}
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def output_problems(
    schema: Mapping[str, ValueSchema], outputs: Mapping[str, Any], *, complete: bool = True
) -> tuple[Problem, ...]:
    """Return what is wrong with outputs. None is right for each: the page says that there is no value.

    ``complete``: every output of the schema is set. Without a schema everything is right.
    """
    if not schema:
        return ()
    kinds = {name_of(key): kind for key, kind in schema.items()}
    problems: list[Problem] = []
    for name, value in outputs.items():
        kind = kinds.get(name)
        if kind is None:
            problems.append(Problem(where=name, message=f"there is no such output{_similar(name, kinds)}"))
        elif value is not None and (problem := _type_problem(kind, value)) is not None:
            problems.append(Problem(where=name, message=problem))
    if complete:
        missing = [name for name in kinds if name not in outputs]
        text = "it was not set; None is the value of what the page does not have"
        problems += [Problem(where=name, message=text) for name in missing]
    return tuple(problems)


def _type_problem(kind: ValueSchema, value: Any) -> str | None:
    if kind.type == "enum":
        if value in kind.enum_values:
            return None
        return f"{_shown(value)} is none of {', '.join(kind.enum_values)}"
    is_right = {
        "string": isinstance(value, str),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "boolean": isinstance(value, bool),
        "array": isinstance(value, list | tuple),
        "object": isinstance(value, dict),
    }[kind.type]
    article = "an" if kind.type in {"array", "object"} else "a"
    return None if is_right else f"{_shown(value)} is not {article} {kind.type}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


def _similar(name: str, names: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, [name_of(one) for one in names], 1)
    return f"; there is {found[0]!r}" if found else ""
